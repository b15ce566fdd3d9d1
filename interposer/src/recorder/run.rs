//! The recording of a process: dormant until MPI is initialised, over when the process is.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Mutex, OnceLock};

use traces::calls::Call;
use traces::definitions::{Definition, Library, Process};
use traces::file::{FINALIZED, FileHeader, INITIALIZED, MAGIC, NO_RANK, VERSION};

use super::current;
use super::folder;
use super::forked::{self, HERE};
use super::last_words;
use super::modules;
use super::objects::{self, Kind};
use super::pages::{Output, UNIT};
use super::shared;
use super::slots;
use super::spent;
use super::thread::Thread;
use super::together::{self, Together};
use super::totals;
use super::world;
use crate::abi::{self, Family};
use crate::clock::{self, sync};
use crate::config::{self, Config};
use crate::layers;
use crate::messages;
use crate::progress;
use crate::real;
use crate::wrappers::observe;

/// What the recording knows of itself once it has begun.
struct Run {
    config: Config,
    family: &'static Family,
}

static RUN: OnceLock<Run> = OnceLock::new();
/// MPI has not been initialised.
const DORMANT: u8 = 0;
const RECORDING: u8 = 1;
/// Recording was not wanted, or failed.
const OFF: u8 = 2;

static RECORDED: [AtomicBool; Call::LIMIT] = [const { AtomicBool::new(false) }; Call::LIMIT];
static READY: AtomicBool = AtomicBool::new(false);
/// Recording was wanted and failed, here; other ranks may be recording.
static FAILED: AtomicBool = AtomicBool::new(false);
/// How many sessions are open.
static SESSIONS: AtomicU32 = AtomicU32::new(0);
/// Between MPI_Init and MPI_Finalize.
static WORLD: AtomicBool = AtomicBool::new(false);
/// This rank is the first of those that record together, and speaks for them.
static FIRST: AtomicBool = AtomicBool::new(false);

/// Whether calls of this function are recorded.
#[inline(always)]
pub fn records(call: Call) -> bool {
    RECORDED[call.number() as usize].load(Relaxed)
}

/// Whether MPI can be asked.
pub fn is_ready() -> bool {
    READY.load(Relaxed)
}

/// Whether this process says at the end what was recorded: it is the first, and no command in front of the launcher does.
pub fn speaks_at_end() -> bool {
    FIRST.load(Acquire) && RUN.get().is_some_and(|run| run.config.run.is_none())
}

/// The program has called MPI from a new place: objects may have been loaded since the last one.
pub fn new_place() {
    if layers::patch() {
        progress::ready();
    }
}

/// Whether the recording itself has something to do when this call returns.
#[inline(always)]
pub const fn is_lifecycle(call: Call) -> bool {
    starts(call) || ends(call)
}

#[inline(always)]
const fn starts(call: Call) -> bool {
    matches!(call, Call::Init | Call::Init_thread | Call::Session_init)
}

#[inline(always)]
const fn ends(call: Call) -> bool {
    matches!(call, Call::Finalize | Call::Session_finalize)
}

/// Called for the first call of every thread, and for all calls of a process that does not record. The thread, if its
/// recording begins here.
pub fn first_call(call: Call) -> Option<&'static mut Thread> {
    match HERE.phase.load(Acquire) {
        OFF => return None,
        DORMANT if is_forked() => return None,
        DORMANT => {
            // Even what is only forwarded needs to know where to.
            shared::guard(|| {
                layers::patch();
                real::resolve();
            });
            if !starts(call) || shared::guard(begin) != Some(true) {
                return None;
            }
        }
        _ => {}
    }
    let thread = begin_thread();
    if thread.is_none() && is_recording() && records(call) {
        totals::lost();
    }
    thread
}

/// The recording of a thread that has not called MPI and does its work.
pub fn join() -> Option<&'static mut Thread> {
    if is_recording() { begin_thread() } else { None }
}

/// Whether this process records.
pub fn is_recording() -> bool {
    HERE.phase.load(Acquire) == RECORDING
}

/// Whether this is a child of the process that recorded: what says that there is a recording was cleared.
fn is_forked() -> bool {
    HERE.phase.load(Acquire) == DORMANT && RUN.get().is_some()
}

fn begin_thread() -> Option<&'static mut Thread> {
    let begun = shared::guard(|| {
        let output = shared::output()?;
        match slots::occupy(output, RUN.get()?.config.mode?) {
            Ok(thread) => current::set(thread.as_ptr()),
            Err(stop) => shared::stopped(stop),
        }
        current::thread()
    });
    begun.flatten()
}

/// MPI is about to be initialised: makes the file, so that even a call that never returns is in it.
fn begin() -> bool {
    // Sessions may be opened by several threads at once.
    static BEGINNING: Mutex<()> = Mutex::new(());
    let _alone = BEGINNING.lock();
    if HERE.phase.load(Acquire) != DORMANT {
        return is_recording();
    }
    let begun = try_begin();
    HERE.phase.store(if matches!(begun, Ok(true)) { RECORDING } else { OFF }, Release);
    if let Err(reason) = begun {
        FAILED.store(true, Release);
        if config::launcher_rank().unwrap_or(0) == 0 {
            messages::say(&format!("{reason}. The program runs, unrecorded."));
        }
        return false;
    }
    is_recording()
}

fn try_begin() -> Result<bool, String> {
    let config = config::read()?;
    let Some(mode) = config.mode else { return Ok(false) };
    let library = real::library().ok_or("no MPI library was found in the process")?;
    let family = abi::detect(library);
    together::announce();
    let (kind, frequency) = clock::choose(config.false_clock);
    let sample = clock::sample();
    let path = folder::provisional(&config)?;
    let output = Output::create(&path, config.max_bytes).map_err(|error| {
        format!("{}: {error}. Set OVERHEAR_DIR to a folder that can be written", folder::parent_of(&path).display())
    })?;
    // SAFETY: nobody else knows the file yet.
    let header = unsafe { output.header() };
    *header = FileHeader {
        magic: MAGIC,
        version: VERSION,
        unit: UNIT as u32,
        run: config.run.unwrap_or_default(),
        rank: NO_RANK,
        size: 0,
        world: 0,
        pid: std::process::id(),
        abi: family.abi as u16,
        clock: kind as u16,
        thread_level: 0,
        mode: mode as u16,
        state: 0,
        stop: 0,
        stopped_at: 0,
        nominal_frequency: frequency,
        wrapper_cost: 0,
        begin: sample,
        ready: Default::default(),
        end: Default::default(),
        profile_begin: 0,
        profile_stopped_at: 0,
        profile_stopped: 0,
        lost: 0,
        threads: 0,
        entry_cost: 0,
        reserved: [0; 2],
    };
    shared::set_output(output);
    shared::define(&Definition::Process(process()));
    shared::define(&Definition::Filter(config.filter.text.clone()));
    if layers::calls_unseen() {
        let warning = "the program calls MPI by its profiling names (PMPI_) too; what is called so is in no figure";
        shared::define(&Definition::Warning(warning.into()));
    }
    for call in Call::all() {
        RECORDED[call.number() as usize].store(config.filter.records(call), Relaxed);
    }
    // SAFETY: the handler only stores two words.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    forked::begin();
    config::forget_recorded_process();
    messages::let_stderr_go();
    slots::begin();
    progress::begin(config.progress);
    let _ = RUN.set(Run { config, family });
    Ok(true)
}

/// A forked child does not write into its parent's file.
unsafe extern "C" fn forked() {
    HERE.phase.store(OFF, Release);
    current::set(std::ptr::null_mut());
}

fn process() -> Process {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_string();
    let directory = std::env::current_dir().unwrap_or_default();
    Process {
        host: read("/proc/sys/kernel/hostname"),
        boot: read("/proc/sys/kernel/random/boot_id"),
        program: modules::executable(),
        arguments: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        directory: directory.to_string_lossy().into_owned(),
        recorder: env!("CARGO_PKG_VERSION").into(),
    }
}

/// A call that starts or ends MPI is about to be made. All ranks do this, also those whose recording has stopped or could
/// not begin: it takes all of them to compare clocks.
#[cold]
#[inline(never)]
pub fn before(call: Call, session: u64) {
    if call == Call::Session_finalize {
        shared::guard(|| world::session_ends(session));
    }
    if call == Call::Finalize {
        world::end();
    }
    if call != Call::Finalize || !(is_recording() || FAILED.load(Acquire)) {
        return;
    }
    shared::guard_wait(|| {
        if let Some(output) = shared::output() {
            // SAFETY: one thread finalises MPI.
            let begin = unsafe { output.header() }.begin;
            let now = clock::sample();
            let seconds = now.monotonic.saturating_sub(begin.monotonic) as f64 / 1e9;
            progress::intel::read(now.ticks.wrapping_sub(begin.ticks) as f64 / seconds.max(1e-9));
        }
        spent::waiting(|| progress::unheard(sync::finalizing));
        together::leave();
    });
}

/// A call that starts or ends MPI has returned in a process that does not record. Other ranks may wait for this one.
#[cold]
#[inline(never)]
pub fn after_unrecorded(call: Call, code: i32) {
    if starts(call) && code != 0 {
        together::withdraw();
    }
    let world = matches!(call, Call::Init | Call::Init_thread);
    if world && code == 0 && FAILED.load(Acquire) && !READY.swap(true, AcqRel) {
        shared::guard_wait(take_part);
    }
}

/// Does what takes all ranks that record together.
fn take_part() -> Option<()> {
    let family = abi::detect(real::library()?);
    let config = config::read().ok()?;
    objects::learn(family, family.comm_world, Kind::Communicator);
    let world = objects::get(family.comm_world)?;
    let beside = folder::wanted(&config).ok()?;
    let meeting = folder::parent_of(&beside);
    let together = together::come(family, world.rank as u32, world.size, folder::spawned(family), meeting);
    let agreed = folder::agree(&config, family, Some(&together), Path::new(""));
    sync::initialized(family, together, &clock::sample(), agreed.sync);
    Some(())
}

/// A call that starts or ends MPI has returned.
#[cold]
#[inline(never)]
pub fn after(call: Call, session: u64, code: i32) {
    if code != 0 {
        if starts(call) {
            together::withdraw();
        }
        return;
    }
    shared::guard_wait(|| {
        match call {
            Call::Session_init => {
                SESSIONS.fetch_add(1, AcqRel);
                shared::guard(|| world::session_begins(session));
            }
            Call::Session_finalize => drop(SESSIONS.fetch_sub(1, AcqRel)),
            _ => WORLD.store(starts(call), Release),
        }
        if starts(call) {
            opened(call);
        } else {
            closed(call);
        }
    });
}

/// MPI is initialised, perhaps once more: sessions may come and go, before a world and after it.
fn opened(call: Call) {
    static IN_WORLD: AtomicBool = AtomicBool::new(false);
    let world = call != Call::Session_init;
    let new_world = world && !IN_WORLD.swap(true, AcqRel);
    let (first, Some(run), Some(output)) = (!READY.swap(true, AcqRel), RUN.get(), shared::output()) else { return };
    if first || new_world {
        ready(run, output, world, first);
    }
    mark_end(output);
}

/// Says in the file whether MPI is finalised. Returns whether it is.
fn mark_end(output: &Output) -> bool {
    let _alone = shared::lock();
    // SAFETY: the lock is held.
    let header = unsafe { output.header() };
    let finalized = !WORLD.load(Acquire) && SESSIONS.load(Acquire) == 0;
    header.state &= !FINALIZED;
    if finalized {
        header.end = clock::sample();
        header.state |= FINALIZED;
    }
    finalized
}

/// MPI can say who we are. A session has no world; its processes know only what their launcher tells them.
fn ready(run: &Run, output: &Output, world: bool, first: bool) {
    let family = run.family;
    family.settle(world);
    // What MPI has loaded would else be looked at in the program's first call.
    layers::patch();
    progress::ready();
    current::thread().into_iter().for_each(|thread| thread.dictionary.prepare());
    family.common_datatypes.iter().for_each(|datatype| objects::learn_size(family, *datatype));
    if world {
        world::begin(family);
        objects::learn(family, family.comm_world, Kind::Communicator);
        objects::learn(family, family.comm_self, Kind::Communicator);
    }
    let (rank, size) = match objects::get(family.comm_world).filter(|_| world) {
        Some(info) => (info.rank as u32, info.size),
        None => world::of_session().or(config::launcher_rank().map(|rank| (rank, 0))).unwrap_or((NO_RANK, 0)),
    };
    let version = real::text(Call::Get_library_version, &[]).unwrap_or_default();
    let path = real::library().map(|library| library.path.to_string_lossy().into_owned()).unwrap_or_default();
    let library = Library { version, path };
    if first {
        shared::define(&Definition::Library(library.clone()));
    }
    if first && run.config.progress_asked && progress::is_on() {
        progress::intel::ready(family, &library.version);
    }
    // SAFETY: one thread initialises MPI.
    let header = unsafe { output.header() };
    let path = output.file.path();
    let meeting = folder::parent_of(&path);
    let together = spent::waiting(|| together::find(family, world.then_some((rank, size)), meeting));
    let agreed = spent::waiting(|| progress::unheard(|| folder::agree(&run.config, family, together.as_ref(), &path)));
    header.run = agreed.run;
    header.rank = rank;
    header.size = size;
    header.world = agreed.world;
    header.thread_level = family.thread_level(provided());
    let (speaks, ranks) = (
        together.as_ref().map_or(rank == 0 || rank == NO_RANK, Together::is_first),
        together::recorded_in_words(together.as_ref(), size),
    );
    FIRST.store(speaks, Release);
    if let Some(together) = together {
        progress::unheard(|| sync::initialized(family, together, &header.begin, agreed.sync));
    }
    if first {
        (header.wrapper_cost, header.entry_cost) = rehearse(family).unwrap_or((0, 0));
        header.ready = clock::sample();
        header.state |= INITIALIZED;
    }
    if let Err(reason) = output.file.rename(|path| folder::move_in(path, &agreed, rank)) {
        messages::say(&format!("{reason}. The trace stays in {}.", path.display()));
    } else if first && speaks {
        let path = output.file.path();
        let folder = folder::parent_of(&path).display();
        messages::say(&format!("recording {ranks} under {} into {folder}", library.name()));
    }
}

fn provided() -> i32 {
    let mut level = 0i32;
    // SAFETY: MPI is initialised, and writes one int.
    unsafe { real::invoke(Call::Query_thread, [&raw mut level as usize]) };
    level
}

/// What recording a call costs and what listening to an entry does, in thousandths of a tick: the best of a few hundred each.
fn rehearse(family: &Family) -> Option<(u64, u64)> {
    const CALLS: u32 = 200;
    const ROUNDS: u32 = 10;
    let rehearsal = Thread::rehearsal((CALLS * (2 * ROUNDS + 1)) as usize)?;
    let own = current::thread()? as *mut Thread;
    current::set(rehearsal.as_ptr());
    observe::rehearse(family, CALLS);
    let ticks = (0..ROUNDS).map(|_| observe::rehearse(family, CALLS)).min();
    current::set(own);
    let entries = (0..ROUNDS).map(|_| progress::rehearse(rehearsal.as_ptr(), CALLS)).min();
    Some((ticks? * 1000 / CALLS as u64, entries? * 1000 / CALLS as u64))
}

fn closed(call: Call) {
    let Some(output) = shared::output() else { return };
    let finalized = mark_end(output);
    output.save_all();
    // After the last session there may be others.
    if finalized && call == Call::Finalize {
        last_words::say(output);
    }
}

/// The process ends.
pub fn process_ends() {
    match HERE.phase.load(Acquire) {
        RECORDING => {
            if let Some(output) = shared::output() {
                output.save_all();
                // SAFETY: read when the process ends.
                if unsafe { output.header() }.state & FINALIZED != 0 {
                    last_words::say(output);
                }
            }
        }
        DORMANT if config::recorded_process() == Some(std::process::id()) => {
            messages::say(&format!(
                "{} ended without a call of MPI_Init that the recorder could see, so there is nothing to report",
                Path::new(&modules::executable()).file_name().unwrap_or_default().to_string_lossy()
            ));
        }
        _ => {}
    }
}
