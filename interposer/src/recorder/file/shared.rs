//! The state that the threads of a process share: the file, the definitions, the call sites. All of it is off the
//! straight line.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock};

use traces::definitions::{Definition, Module, Site, SourcePlace};
use traces::file::{PageKind, Stop};

use super::modules;
use super::page_series::PageSeries;
use super::pages::{NO_PAGE, Output};
use crate::clock;
use crate::messages;
use crate::recorder::guard;
use crate::recorder::process::counted;
use recorder_core::handles::Handles;

/// Bytes of the first two pages of definitions; further ones double, up to 64 times this.
const FIRST: usize = 1536;

/// The state that one thread at a time may change.
pub struct Shared {
    pages: PageSeries,
    /// Number of call sites.
    sites: u32,
    modules: Vec<modules::Loaded>,
}

static OUTPUT: OnceLock<Output> = OnceLock::new();
static SHARED: OnceLock<Mutex<Shared>> = OnceLock::new();
/// Numbers of call sites by their return addresses.
static SITES: Handles<u32> = Handles::new();

/// The file of this process, once recording has begun.
pub fn output() -> Option<&'static Output> {
    OUTPUT.get()
}

pub fn set_output(output: Output) -> &'static Output {
    OUTPUT.get_or_init(|| output)
}

pub fn lock() -> MutexGuard<'static, Shared> {
    SHARED.get_or_init(|| Mutex::new(Shared::new())).lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Notes in the file and prints, once, that events end here and why.
pub fn stopped(stop: Stop) {
    let Some(output) = output() else { return };
    if !output.header().stopped(stop, clock::now(), counted::is_on()) {
        return;
    }
    match stop {
        Stop::No => {}
        Stop::MaxBytes => messages::once("the file has reached its limit: from here on there is only a profile"),
        Stop::SizeLimit => messages::once(
            "the file has reached the limit for the size of a file (ulimit -f): from here on there is only a profile",
        ),
        Stop::NoSpace => messages::once("the disk is full: from here on calls are only counted and timed"),
        Stop::Io => {
            messages::once("the file of the run cannot be written: from here on calls are only counted and timed")
        }
        Stop::NoMemory => messages::once("no memory is left: from here on calls are only counted and timed"),
    }
}

pub fn define(definition: &Definition) {
    lock().define(definition);
}

/// Words of a definitions page that are kept for definitions that readers need.
const KEPT: usize = 64;

/// As [`define`], unless another thread is defining something, or the page has little room: then the definition is dropped
/// instead of waiting, and takes no room from those that readers need.
pub fn define_at_once(definition: &Definition) {
    if let Some(Ok(mut shared)) = SHARED.get().map(Mutex::try_lock)
        && let Ok(bytes) = definition.to_bytes()
        && shared.pages.cursor.room() >= Definition::padded(bytes.len()) / size_of::<u64>() + KEPT
    {
        shared.define(definition);
    }
}

/// A warning that is written to the file at most once.
pub struct WarningOnce {
    said: AtomicBool,
    text: &'static str,
}

impl WarningOnce {
    pub const fn new(text: &'static str) -> WarningOnce {
        WarningOnce { said: AtomicBool::new(false), text }
    }

    /// Writes the warning, if it was not written before.
    #[cold]
    pub fn say(&self) {
        if !self.said.swap(true, Relaxed) {
            guard::run(|| define(&Definition::Warning(self.text.into())));
        }
    }
}

/// The number of the call site with this return address, if it has one.
pub fn known_site(address: u64) -> Option<u32> {
    if address == 0 { None } else { SITES.get(address) }
}

impl Shared {
    fn new() -> Shared {
        Shared { pages: PageSeries::new(PageKind::Definitions, 0), sites: 0, modules: Vec::new() }
    }

    /// Gives a call site a number, and defines it: by its source line if `describe` knows it, else by its module and
    /// offset.
    pub fn add_site(&mut self, address: u64, describe: impl FnOnce(u32) -> Option<SourcePlace>) -> u32 {
        self.sites += 1;
        let number = self.sites;
        let place = describe(number);
        let (module, offset) = if place.is_some() { (0, address) } else { self.module(address) };
        self.define(&Definition::Site(Site { number, module, offset }));
        if let Some(place) = place {
            self.define(&Definition::Place(place));
        }
        SITES.share(address, number);
        number
    }

    pub fn define(&mut self, definition: &Definition) {
        let (Some(output), Ok(bytes)) = (output(), definition.to_bytes()) else { return };
        let words = bytes.chunks(size_of::<u64>()).map(word);
        // The first word is the length; it is written last, and tells readers that the rest is there.
        if self.pages.cursor.write_all(bytes.len() as u64, words.clone()) {
            return;
        }
        let least = size_of_val(&NO_PAGE) + Definition::padded(bytes.len());
        let size = (FIRST << self.pages.count().saturating_sub(1).min(6)).max(least);
        if self.pages.turn(output, NO_PAGE, size, least).is_ok() {
            self.pages.cursor.write_all(bytes.len() as u64, words);
        }
    }

    /// The number of the module that holds an address, and the address relative to the module's load address.
    fn module(&mut self, address: u64) -> (u32, u64) {
        if let Some((number, module)) = (1..).zip(&self.modules).find(|(_, module)| module.holds(address)) {
            return (number, address - module.base);
        }
        let Some(module) = modules::holding(address) else { return (0, address) };
        let (number, base) = (self.modules.len() as u32 + 1, module.base);
        let (path, build_id) = (module.path.clone(), module.build_id.clone());
        self.define(&Definition::Module(Module { number, path, build_id }));
        self.modules.push(module);
        (number, address - base)
    }
}

/// Up to eight bytes as a word of the file, padded with zeros.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
