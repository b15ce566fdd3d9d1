//! Begins the recording when MPI is about to be initialized, or leaves the process alone.

use std::fs;
use std::io::Error;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering::*;

use traces::calls::{ArgumentKind, Call};
use traces::definitions::{Definition, Process, StepKind};
use traces::file::{FileHeader, MAGIC, Mode, NO_RANK};
use traces::node::{FileForm, boot_bytes};
use traces::settings::Keep;
use traces::write::blank_header;

use super::calls::{is_lifecycle, starts};
use super::errors;
use super::folder::Provisional;
use super::run::{FAILED, HandedDown, RUN, RunContext};
use super::{folder, steps, together, unrecorded};
use crate::abi;
use crate::between;
use crate::clock;
use crate::config::{self, Config};
use crate::forks;
use crate::layers;
use crate::messages;
use crate::notes;
use crate::program_signals;
use crate::progress;
use crate::real;
use crate::recorder::content;
use crate::recorder::file::modules;
use crate::recorder::file::pages::{Output, UNIT};
use crate::recorder::file::ring;
use crate::recorder::file::shared;
use crate::recorder::file::totals;
use crate::recorder::file::trace_file::{self, TraceFile};
use crate::recorder::guard;
use crate::recorder::process::forked::{self, DORMANT, HERE, OFF, RECORDING};
use crate::recorder::process::path_limit;
use crate::recorder::process::recorded;
use crate::recorder::thread::Thread;
use crate::recorder::thread::current;
use crate::recorder::thread::slots;
use crate::sampling;
use crate::signals::handlers;

/// Called for the first call of every thread, and for all calls of a process that does not record. Returns the thread
/// if its recording begins here.
pub fn first_call(call: Call, handed: &'static HandedDown) -> Option<&'static Thread> {
    match HERE.phase.load(Acquire) {
        OFF => return None,
        DORMANT if is_forked() => return None,
        DORMANT => {
            // Even calls that are only forwarded need the real functions.
            guard::run(|| {
                layers::patch(&handed.wrappers, 0);
                real::resolve();
            });
            if !starts(call) || guard::run(|| begin(handed)) != Some(true) {
                return None;
            }
        }
        _ => {}
    }
    let thread = slots::begin_thread();
    if thread.is_none() && forked::is_recording() && recorded::records(call) {
        totals::lost();
    }
    thread
}

/// True if this is a forked child of a process that recorded: there MADV_WIPEONFORK has zeroed the phase, but `RUN` is
/// set.
fn is_forked() -> bool {
    HERE.phase.load(Acquire) == DORMANT && RUN.get().is_some()
}

/// Begins the recording before MPI is initialized, so that even an MPI_Init that never returns is in the file. Returns
/// true if the process records.
fn begin(handed: &'static HandedDown) -> bool {
    // Sessions may be opened by several threads at once.
    static BEGINNING: Mutex<()> = Mutex::new(());
    let _alone = BEGINNING.lock();
    if HERE.phase.load(Acquire) != DORMANT {
        return forked::is_recording();
    }
    let begun = try_begin(handed);
    HERE.phase.store(if matches!(begun, Ok(true)) { RECORDING } else { OFF }, Release);
    if HERE.phase.load(Acquire) == OFF {
        recorded::forward_all(is_lifecycle);
    }
    if let Err(reason) = begun {
        FAILED.store(true, Release);
        unrecorded::tell(&format!("{reason}. The program runs unrecorded."));
        return false;
    }
    forked::is_recording()
}

fn try_begin(handed: &'static HandedDown) -> Result<bool, String> {
    let config = config::read()?;
    let Some(mode) = config.mode else { return Ok(false) };
    let library = real::library().ok_or("no MPI library was found in the process")?;
    let family = abi::detect(library);
    together::announce();
    let (kind, frequency) = clock::choose(config.false_clock);
    let sample = clock::sample();
    let file = begin_file(&config)?;
    let is_shared = file.member().is_some();
    let path = file.path();
    let keep = match mode {
        Mode::Trace => config.keep,
        Mode::Profile => Keep::default(),
    };
    let limit = if keep.bytes > 0 { config.max_bytes.min(keep.bytes) } else { config.max_bytes };
    let output = Output::begin(file, limit, keep.drops()).map_err(|error| no_file(&path, &error))?;
    let header = FileHeader {
        magic: MAGIC,
        version: FileHeader::version_of(keep.drops()),
        unit: UNIT as u32,
        run: config.run.unwrap_or_default(),
        rank: NO_RANK,
        pid: std::process::id(),
        abi: family.abi as u16,
        clock: kind as u16,
        mode: mode as u16,
        nominal_frequency: frequency,
        begin: sample,
        keep_time: keep.time,
        keep_bytes: keep.bytes,
        ..blank_header()
    };
    if keep.drops() {
        ring::begin(keep);
    }
    // SAFETY: no other thread knows the file yet.
    unsafe { output.header().begin(header) };
    shared::set_output(output);
    notes::write_by(write_note);
    shared::define(&Definition::Process(process()));
    shared::define(&Definition::Filter(config.filter.text.clone()));
    let settings = config::mpi_settings();
    if !settings.is_empty() {
        shared::define(&Definition::Settings(settings));
    }
    if layers::calls_unseen() {
        let warning = "the program also calls MPI by its profiling names (PMPI_); no figure includes those calls";
        shared::define(&Definition::Warning(warning.into()));
    }
    if config.files == FileForm::OfNode && !is_shared {
        shared::define(&Definition::Warning(
            "the process has a file of its own (--files node): the launcher does not say which processes are its own here, \
             the file system has no shared mappings, or the size of files is limited"
                .into(),
        ));
    }
    recorded::choose(&config.filter, |call| is_lifecycle(call) || changes_what_is_known(call));
    path_limit::choose(config.call_path);
    content::choose(config.checksum && mode == Mode::Trace);
    // SAFETY: the handler only stores two words.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    forks::keep_apart();
    forked::begin();
    config::forget_recorded_process();
    messages::let_stderr_go();
    program_signals::begin(config.sample > 0 && mode == Mode::Trace);
    if config.sample > 0 && mode == Mode::Trace {
        sampling::begin(config.sample);
    } else if config.sample > 0 {
        shared::define(&Definition::Warning(
            "threads were not sampled (--sample): a profile has no room for samples".into(),
        ));
    }
    if config.keep.drops() && mode == Mode::Profile {
        shared::define(&Definition::Warning("a profile has no single calls to keep (--keep)".into()));
    }
    slots::begin(mode);
    progress::begin(config.progress);
    between::begin();
    let _ = RUN.set(RunContext { config, family, handed });
    steps::ended(StepKind::Begin, sample.ticks);
    Ok(true)
}

/// Writes a warning of the floors below into the file. Returns true if it was tried.
fn write_note(text: &'static str) -> bool {
    // A forked child has its parent's file in memory.
    let is_own = HERE.phase.load(Acquire) != OFF && !is_forked();
    let write = || is_own && shared::try_define(&Definition::Warning(text.into()));
    guard::run(write).unwrap_or(false)
}

/// Creates the file of this process, or takes part in that of all processes of its host.
fn begin_file(config: &Config) -> Result<TraceFile, String> {
    let place = folder::provisional(config)?;
    if let Some(file) = join_file(config, &place) {
        return Ok(file);
    }
    let path = place.own();
    TraceFile::create(&path).map_err(|error| no_file(&path, &error))
}

/// The file of all processes of this host, if they are to have one and can.
fn join_file(config: &Config, place: &Provisional) -> Option<TraceFile> {
    let launch = config::launch();
    // A limit would hold for the file, not for this process's part of it.
    if !config.files.is_shared_by(launch.here) || trace_file::size_limit() != libc::RLIM_INFINITY {
        return None;
    }
    let boot = boot_bytes(&read("/proc/sys/kernel/random/boot_id"))?;
    TraceFile::join(&place.of_node(together::launch_id(&launch)?), place.host(), boot).ok()
}

fn no_file(path: &Path, error: &Error) -> String {
    format!("{}: {error}. Set OVERHEAR_DIR to a folder that can be written", folder::parent_of(path).display())
}

/// True if the recorder must see a call even if the filter leaves it out: the handle of an object that it frees may be
/// reused, a message that it takes is received by another handle, and an error handler may let the program continue
/// after errors.
fn changes_what_is_known(call: Call) -> bool {
    use ArgumentKind::{FreeComm, FreeDatatype, FreeFile, FreeGroup, FreeWin, TakeMessage};
    let kinds = [FreeComm, FreeWin, FreeFile, FreeDatatype, FreeGroup, TakeMessage];
    kinds.into_iter().any(|kind| call.has(kind)) || errors::takes_handler(call)
}

/// Stops recording in a forked child, which must not write into its parent's file.
unsafe extern "C" fn forked() {
    HERE.phase.store(OFF, Release);
    current::set(std::ptr::null());
    handlers::process_is_own();
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_string()
}

fn process() -> Process {
    let directory = std::env::current_dir().unwrap_or_default();
    Process {
        host: folder::host(),
        boot: read("/proc/sys/kernel/random/boot_id"),
        program: modules::executable(),
        arguments: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        directory: directory.to_string_lossy().into_owned(),
        recorder: env!("CARGO_PKG_VERSION").into(),
    }
}
