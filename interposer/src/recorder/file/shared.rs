//! The state that the threads of a process share: the file, the definitions, the call sites. All of it is off the
//! straight line.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, TryLockError};

use traces::definitions::{CalledFrom, Caller, Definition, Module, Site, SourcePlace};
use traces::file::{PageKind, Stop};

use super::modules;
use super::page_series::PageSeries;
use super::pages::{NO_PAGE, Output};
use crate::call_site::CallSite;
use crate::clock;
use crate::recorder::guard;
use crate::recorder::process::counted;
use crate::unwind::{self, StackFrame};
use recorder_core::call_paths::{self, StackWord};
use recorder_core::code_map::LoadedCode;
use recorder_core::handles::Handles;
use recorder_core::path_numbers::PathNumbers;

/// Bytes of the first two pages of definitions; further ones double, up to 64 times this.
const FIRST: usize = 1536;

/// Limits on the call sites on paths of calls, and on paths of samples.
const MOST_PATHS: usize = 1 << 15;
const MOST_SAMPLED: usize = 1 << 16;
/// Attempts to take the lock, for a thread that must not wait.
const TRIES: u32 = 1000;

/// The state that one thread at a time may change.
pub struct Shared {
    pages: PageSeries,
    /// Number of call sites.
    sites: u32,
    /// Call sites on paths of calls, and on paths of samples alone.
    on_calls: usize,
    on_samples: usize,
    /// Return addresses of calls on paths.
    places: BTreeSet<u64>,
    /// Memory for unwinding the stack.
    pub unwinding: Unwinding,
    /// Modules by number minus one; `None` once a module is unloaded.
    modules: Vec<Option<modules::Loaded>>,
    /// [`call_paths::epoch`] at the last search for unloaded modules.
    epoch: u32,
}

static OUTPUT: OnceLock<Output> = OnceLock::new();
static SHARED: OnceLock<Mutex<Shared>> = OnceLock::new();
static PATHS: OnceLock<PathNumbers> = OnceLock::new();
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

/// Like [`lock`], for a thread that must not wait: a signal handler, or one that may hold the loader's lock. `None` if
/// another thread keeps defining something.
pub fn lock_soon() -> Option<MutexGuard<'static, Shared>> {
    let shared = SHARED.get()?;
    for _ in 0..TRIES {
        match shared.try_lock() {
            Ok(locked) => return Some(locked),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

/// The number of the call site with this return address, in a function that `caller` has called, if it has one.
pub fn known_on_path(address: u64, caller: CalledFrom) -> Option<u32> {
    PATHS.get()?.find(word_of(caller), address)
}

/// A caller as the key of [`PATHS`].
fn word_of(caller: CalledFrom) -> u32 {
    match caller {
        CalledFrom::Start => 0,
        CalledFrom::NoUnwindInformation => 1,
        CalledFrom::Limit => 2,
        CalledFrom::Site(number) => number + 3,
    }
}

/// Notes in the file that events end here and why.
pub fn stopped(stop: Stop) {
    if let Some(output) = output() {
        output.header().stopped(stop, clock::now(), counted::is_on());
    }
}

pub fn define(definition: &Definition) {
    lock().define(definition);
}

/// Like [`define`], unless another thread defines something at this moment. Returns true if it was tried.
pub fn try_define(definition: &Definition) -> bool {
    let Some(mut shared) = SHARED.get().and_then(|shared| shared.try_lock().ok()) else { return false };
    shared.define(definition);
    true
}

/// Words of a definitions page that are reserved for definitions that readers need.
const KEPT: usize = 64;

/// Like [`define`], but drops the definition instead of waiting for another thread that defines something, and instead
/// of taking room from definitions that readers need.
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
    state: AtomicU8,
    text: &'static str,
}

const UNSAID: u8 = 0;
const DUE: u8 = 1;
const SAID: u8 = 2;

impl WarningOnce {
    pub const fn new(text: &'static str) -> WarningOnce {
        WarningOnce { state: AtomicU8::new(UNSAID), text }
    }

    /// Writes the warning, if it was not written before.
    #[cold]
    pub fn say(&self) {
        if self.state.swap(SAID, Relaxed) != SAID {
            guard::run(|| define(&Definition::Warning(self.text.into())));
        }
    }

    /// Like [`say`](Self::say), but later: for signal handlers, which write nothing.
    pub fn say_later(&self) {
        let _ = self.state.compare_exchange(UNSAID, DUE, Relaxed, Relaxed);
    }

    /// Writes the warning if a signal handler has asked for it.
    pub fn say_if_due(&self) {
        if self.state.load(Relaxed) == DUE {
            self.say();
        }
    }
}

/// The number of the call site with this return address or path, if it has one.
pub fn known_site(address: u64) -> Option<u32> {
    if address == 0 { None } else { CallSite::path(address).or_else(|| SITES.get(address)) }
}

/// Memory to unwind a stack with.
pub struct Unwinding {
    pub room: unwind::Room,
    /// The frames that were found, the innermost first, and the stack words that identify them. Both keep their memory,
    /// since a signal handler that interrupts the allocator must not allocate.
    pub frames: Vec<StackFrame>,
    pub words: Vec<StackWord>,
}

impl Shared {
    fn new() -> Shared {
        if let Some(paths) = PathNumbers::new() {
            let _ = PATHS.set(paths);
        }
        Shared {
            pages: PageSeries::new(PageKind::Definitions, 0),
            sites: 0,
            on_calls: 0,
            on_samples: 0,
            places: BTreeSet::new(),
            unwinding: Unwinding { room: unwind::Room::new(), frames: Vec::new(), words: Vec::new() },
            modules: Vec::new(),
            epoch: call_paths::epoch(),
        }
    }

    /// Gives a call site a number, and defines it: by its source line if `describe` knows it, else by its module and
    /// offset.
    pub fn add_site(&mut self, address: u64, describe: impl FnOnce(u32) -> Option<SourcePlace>) -> u32 {
        let number = self.define_site(address, describe);
        SITES.share(address, number);
        number
    }

    /// The number of the call site with this return address, in a function that `caller` has called.
    pub fn site_on_path(
        &mut self,
        address: u64,
        caller: CalledFrom,
        describe: impl FnOnce(u32) -> Option<SourcePlace>,
    ) -> u32 {
        if let Some(number) = known_on_path(address, caller) {
            return number;
        }
        let site = self.define_site(address, describe);
        self.define(&Definition::Caller(Caller { site, caller }));
        if let Some(paths) = PATHS.get() {
            paths.add(word_of(caller), address, site);
        }
        self.on_calls += 1;
        site
    }

    /// The number of the site at this address on a sample's path, in a function that `caller` has called; `None` if
    /// there is no room for it. Allocates nothing, since signal handlers call it.
    pub fn sampled_site(&mut self, address: usize, code: Option<LoadedCode>, caller: CalledFrom) -> Option<u32> {
        if let Some(number) = known_on_path(address as u64, caller) {
            return Some(number);
        }
        let output = output().filter(|output| !output.is_buffered() && self.on_samples < MOST_SAMPLED)?;
        let number = self.sites + 1;
        let (module, base) = code.map_or((0, 0), |code| (code.module as u32, code.base));
        let site = Definition::Site(Site { number, module, offset: (address - base) as u64 });
        for definition in [site, Definition::Caller(Caller { site: number, caller })] {
            let mut room = [0; 64];
            let bytes = definition.write_into(&mut room).ok()?;
            self.put(output, room.get(..bytes)?).then_some(())?;
        }
        PATHS.get()?.add(word_of(caller), address as u64, number).then_some(())?;
        (self.sites, self.on_samples) = (number, self.on_samples + 1);
        Some(number)
    }

    /// The number of the module that contains an address.
    pub fn module_at(&mut self, address: usize) -> u32 {
        self.module(address as u64).0
    }

    /// True if the file has room for further paths. A recursive search may call MPI on any number of paths.
    pub fn has_room_for_paths(&self) -> bool {
        self.on_calls < MOST_PATHS && PATHS.get().is_some()
    }

    /// Adds a return address. True if it is new.
    pub fn is_new_place(&mut self, address: u64) -> bool {
        self.places.insert(address)
    }

    /// Forgets the sites in unloaded modules: other code may have taken their addresses.
    pub fn forget_unloaded(&mut self) {
        let epoch = call_paths::epoch();
        if std::mem::replace(&mut self.epoch, epoch) == epoch {
            return;
        }
        for module in &mut self.modules {
            if let Some(gone) = module.take_if(|module| !module.is_there()) {
                if let Some(paths) = PATHS.get() {
                    paths.forget(|address| gone.holds(address));
                }
                self.places.retain(|address| !gone.holds(*address));
            }
        }
    }

    fn define_site(&mut self, address: u64, describe: impl FnOnce(u32) -> Option<SourcePlace>) -> u32 {
        self.sites += 1;
        let number = self.sites;
        let place = describe(number);
        let (module, offset) = if place.is_some() { (0, address) } else { self.module(address) };
        self.define(&Definition::Site(Site { number, module, offset }));
        if let Some(place) = place {
            self.define(&Definition::Place(place));
        }
        number
    }

    pub fn define(&mut self, definition: &Definition) {
        if let (Some(output), Ok(bytes)) = (output(), definition.to_bytes()) {
            self.put(output, &bytes);
        }
    }

    /// Writes a definition's bytes. `false` if there is no room.
    fn put(&mut self, output: &Output, bytes: &[u8]) -> bool {
        let is_written = self.write(output, bytes);
        if is_written {
            output.header().defined();
        }
        is_written
    }

    fn write(&mut self, output: &Output, bytes: &[u8]) -> bool {
        let words = bytes.chunks(size_of::<u64>()).map(word);
        // The first word is the length; it is written last, and tells readers that the rest is there.
        if self.pages.cursor.write_all(bytes.len() as u64, words.clone()) {
            return true;
        }
        let least = size_of_val(&NO_PAGE) + Definition::padded(bytes.len());
        let size = (FIRST << self.pages.count().saturating_sub(1).min(6)).max(least);
        self.pages.turn(output, NO_PAGE, size, least).is_ok() && self.pages.cursor.write_all(bytes.len() as u64, words)
    }

    /// The number of the module that holds an address, and the address relative to the module's load address.
    fn module(&mut self, address: u64) -> (u32, u64) {
        for (number, module) in (1..).zip(&self.modules) {
            if let Some(module) = module.as_ref().filter(|module| module.holds(address)) {
                return (number, address - module.base);
            }
        }
        let Some(module) = modules::holding(address) else { return (0, address) };
        let (number, base) = (self.modules.len() as u32 + 1, module.base);
        let (path, build_id) = (module.path.clone(), module.build_id.clone());
        self.define(&Definition::Module(Module { number, path, build_id }));
        self.modules.push(Some(module));
        (number, address - base)
    }
}

/// Up to eight bytes as a word of the file, padded with zeros.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}
