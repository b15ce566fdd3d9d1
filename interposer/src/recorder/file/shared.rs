//! What the threads of a process share: the file, the definitions, the call sites. All of it off the straight line.

use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock};

use traces::definitions::{Definition, Module, PREFIX, Site, SourcePlace};
use traces::file::{PageKind, Stop};

use super::modules;
use super::pages::{NO_PAGE, Output, Page};
use crate::clock;
use crate::messages;
use crate::recorder::process::counted;
use recorder_core::handles::Handles;

/// Bytes of the first page of definitions, and of the second; then they grow.
const FIRST: usize = 1536;

/// What is written by one thread at a time.
#[derive(Default)]
pub struct Shared {
    page: Option<Page>,
    used: usize,
    pages: u32,
    /// Call sites that were met.
    sites: u32,
    modules: Vec<modules::Loaded>,
}

static OUTPUT: OnceLock<Output> = OnceLock::new();
static SHARED: OnceLock<Mutex<Shared>> = OnceLock::new();
/// Call sites' numbers by the addresses they return to.
static SITES: Handles<u32> = Handles::new();

/// The file of this process, once recording has begun.
pub fn output() -> Option<&'static Output> {
    OUTPUT.get()
}

/// Makes this the file of the process.
pub fn set_output(output: Output) -> &'static Output {
    OUTPUT.get_or_init(|| output)
}

/// Waits for the right to change what is shared.
pub fn lock() -> MutexGuard<'static, Shared> {
    SHARED.get_or_init(Mutex::default).lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Says once, on stderr and in the file, that events end here, and why.
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
        Stop::Defect => messages::once("a defect in the recorder: from here on calls are only counted and timed"),
    }
}

/// Writes a definition.
pub fn define(definition: &Definition) {
    lock().define(definition);
}

/// The number of the call site that returns to this address, if it was met before.
pub fn known_site(address: u64) -> Option<u32> {
    if address == 0 { None } else { SITES.get(address) }
}

impl Shared {
    /// Gives a call site its number. Where it is a line that `describe` knows, that is said of it; else which module it is in.
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

    /// Writes a definition.
    pub fn define(&mut self, definition: &Definition) {
        let (Some(output), Ok(bytes)) = (output(), definition.to_bytes()) else { return };
        let needed = Definition::padded(bytes.len());
        if self.page.is_none_or(|page| page.body::<u8>().1 - self.used < needed) {
            let least = needed + size_of_val(&NO_PAGE);
            let size = (FIRST << self.pages.saturating_sub(1).min(6)).max(least);
            let header = traces::file::PageHeader { sequence: self.pages, ..NO_PAGE };
            let Ok(page) = output.take(header, PageKind::Definitions, size, least) else { return };
            if let Some(full) = self.page.replace(page) {
                output.give_back(full);
            }
            self.pages += 1;
            self.used = 0;
        }
        let Some(page) = self.page else { return };
        // SAFETY: there is room for prefix and bytes. The length goes last: it says that the rest is there.
        unsafe {
            let place = page.body::<u8>().0.add(self.used);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.add(PREFIX).as_ptr(), bytes.len());
            AtomicU32::from_ptr(place.cast().as_ptr()).store(bytes.len() as u32, Release);
        }
        self.used += needed;
    }

    /// The number of the module that holds an address, and the address counted from where it is loaded.
    fn module(&mut self, address: u64) -> (u32, u64) {
        let at = self.modules.iter().position(|module| module.holds(address)).or_else(|| {
            let module = modules::holding(address)?;
            let number = self.modules.len() as u32 + 1;
            let (path, build_id) = (module.path.clone(), module.build_id.clone());
            self.define(&Definition::Module(Module { number, path, build_id }));
            self.modules.push(module);
            Some(self.modules.len() - 1)
        });
        match at {
            Some(at) => (at as u32 + 1, address - self.modules[at].base),
            None => (0, address),
        }
    }
}
