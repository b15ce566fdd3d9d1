//! Writes definitions by OTF2's library. A definition must follow those that it refers to.

use super::archive::{Archive, text};
use super::event_meanings::Context;
use super::event_writer::TIMER;
use super::library::{Code, Functions, Handle};
use model::error::Error;

/// Stands for no reference.
pub const NONE: u32 = u32::MAX;
/// Times are nanoseconds.
const TICKS_IN_A_SECOND: u64 = 1_000_000_000;

/// `OTF2_LOCATION_GROUP_TYPE_PROCESS`, `OTF2_LOCATION_TYPE_CPU_THREAD`, `OTF2_PARADIGM_CLASS_PROCESS`.
const PROCESS: u8 = 1;
const CPU_THREAD: u8 = 1;
const PROCESS_CLASS: u8 = 0;

/// `OTF2_INTERRUPT_GENERATOR_MODE_TIME`, `OTF2_BASE_DECIMAL`, and the exponent of nanoseconds.
const BY_TIME: u8 = 0;
const DECIMAL: u8 = 1;
const NANO: i64 = -9;

/// Writer of an archive's definitions. Names are numbers of strings.
pub struct DefinitionWriter<'a> {
    archive: &'a Archive<'a>,
    functions: &'a Functions,
    handle: Handle,
}

#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    pub number: u32,
    /// `OTF2_GROUP_TYPE_*`.
    pub kind: u8,
    /// `OTF2_PARADIGM_*`.
    pub paradigm: u8,
    pub members: &'a [u64],
}

impl<'a> DefinitionWriter<'a> {
    pub fn begin(archive: &'a Archive<'_>) -> Result<DefinitionWriter<'a>, Error> {
        let functions = archive.functions;
        // SAFETY: the archive is open.
        let handle = archive.made(unsafe { (functions.global_writer)(archive.handle) })?;
        Ok(DefinitionWriter { archive, functions, handle })
    }

    /// Defines the clock: nanoseconds from 0 to `length`, with time 0 at `realtime` nanoseconds since 1970, if known.
    pub fn clock(&self, length: u64, realtime: Option<u64>) -> Result<(), Error> {
        let realtime = realtime.unwrap_or(u64::MAX);
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_clock)(self.handle, TICKS_IN_A_SECOND, 0, length, realtime) })
    }

    pub fn text(&self, number: u32, content: &str) -> Result<(), Error> {
        let content = text(content.as_bytes());
        // SAFETY: the writer is open, and the text ends in zero.
        self.check(unsafe { (self.functions.write_string)(self.handle, number, content.as_ptr()) })
    }

    /// Defines a paradigm, by which processes communicate.
    pub fn paradigm(&self, paradigm: u8, name: u32) -> Result<(), Error> {
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_paradigm)(self.handle, paradigm, name, PROCESS_CLASS) })
    }

    /// Defines an attribute of events; its kind is `OTF2_TYPE_*`.
    pub fn attribute(&self, number: u32, name: u32, meaning: u32, kind: u8) -> Result<(), Error> {
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_attribute)(self.handle, number, name, meaning, kind) })
    }

    /// Defines a node of the system tree; its domain is `OTF2_SYSTEM_TREE_DOMAIN_*`.
    pub fn node(&self, number: u32, name: u32, class: u32, parent: u32, domain: u8) -> Result<(), Error> {
        // SAFETY: the writer is open.
        unsafe {
            self.check((self.functions.write_tree_node)(self.handle, number, name, class, parent))?;
            self.check((self.functions.write_domain)(self.handle, number, domain))
        }
    }

    pub fn process(&self, number: u32, name: u32, node: u32) -> Result<(), Error> {
        let write = self.functions.write_location_group;
        // SAFETY: the writer is open.
        self.check(unsafe { write(self.handle, number, name, PROCESS, node, NONE) })
    }

    /// Defines a thread of a process with its number of events.
    pub fn location(&self, number: u64, name: u32, events: u64, process: u32) -> Result<(), Error> {
        let write = self.functions.write_location;
        // SAFETY: the writer is open.
        self.check(unsafe { write(self.handle, number, name, CPU_THREAD, events, process) })
    }

    /// Defines a function or a named region of the program.
    pub fn region(&self, number: u32, (name, role, paradigm): (u32, u8, u8)) -> Result<(), Error> {
        let write = self.functions.write_region;
        // SAFETY: the writer is open.
        self.check(unsafe { write(self.handle, number, name, name, NONE, role, paradigm, 0, NONE, 0, 0) })
    }

    pub fn source_location(&self, number: u32, (file, line): (u32, u32)) -> Result<(), Error> {
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_source_location)(self.handle, number, file, line) })
    }

    /// Defines a function on a path, called by its parent.
    pub fn context(&self, number: u32, context: &Context) -> Result<(), Error> {
        let (place, parent) = (context.place.unwrap_or(NONE), context.parent.unwrap_or(NONE));
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_context)(self.handle, number, context.region, place, parent) })
    }

    /// Defines the timer that interrupts threads to sample them, with its period in nanoseconds.
    pub fn timer(&self, name: u32, period: u64) -> Result<(), Error> {
        let write = self.functions.write_generator;
        // SAFETY: the writer is open.
        self.check(unsafe { write(self.handle, TIMER, name, BY_TIME, DECIMAL, NANO, period) })
    }

    /// Defines a group of processes.
    pub fn group(&self, name: u32, group: Group<'_>) -> Result<(), Error> {
        let Group { number, kind, paradigm, members } = group;
        let (count, first) = (members.len() as u32, members.as_ptr());
        // SAFETY: the writer is open, and `first` points to `count` members.
        self.check(unsafe { (self.functions.write_group)(self.handle, number, name, kind, paradigm, 0, count, first) })
    }

    pub fn communicator(&self, number: u32, name: u32, group: u32, parent: u32) -> Result<(), Error> {
        // SAFETY: the writer is open.
        self.check(unsafe { (self.functions.write_communicator)(self.handle, number, name, group, parent, 0) })
    }

    pub fn finish(self) -> Result<(), Error> {
        self.archive.has_room()?;
        // SAFETY: the writer is this archive's, and nothing uses it any more.
        self.check(unsafe { (self.functions.close_global_writer)(self.archive.handle, self.handle) })
    }

    fn check(&self, code: Code) -> Result<(), Error> {
        self.archive.check(code)
    }
}
