//! The second half of a recording's begin, once MPI is initialized and this process's rank is known: the file moves to
//! its place, and the ranks compare clocks.

use std::sync::atomic::Ordering::*;

use traces::calls::Call;
use traces::definitions::{Definition, Library, StepKind, variables_text};
use traces::file::{Mode, NO_RANK};
use traces::machine::UsageMoment;
use traces::run_notes;

use super::folder::OwnFile;
use super::run::{FIRST, RunContext, speaks};
use super::together::{self, Together};
use super::{clocks, folder, steps};
use crate::abi::{Family, completion, variables};
use crate::between;
use crate::clock;
use crate::config;
use crate::layers;
use crate::machine;
use crate::messages;
use crate::program_signals;
use crate::progress;
use crate::real;
use crate::recorder::content;
use crate::recorder::file::header::{ProcessIdentity, RecordingCosts};
use crate::recorder::file::layouts;
use crate::recorder::file::pages::Output;
use crate::recorder::file::shared;
use crate::recorder::guard::spent;
use crate::recorder::objects::world;
use crate::recorder::objects::{self, HandleKind};
use crate::recorder::thread::Thread;
use crate::recorder::thread::current;
use crate::recorder::thread::{queried_requests, usage_readings};
use crate::sampling;

/// Completes the begin of the recording. A session has no world; its processes know only what their launcher tells
/// them. `first`: true if MPI is initialized for the first time in this process.
pub fn ready(run: &RunContext, output: &Output, world: bool, first: bool) {
    let family = run.family;
    let began = clock::now();
    family.learn_from_library(world);
    // Otherwise the program's first call would have to patch the objects that MPI has loaded.
    layers::patch(&run.handed.wrappers, 0);
    progress::ready();
    between::initialized();
    program_signals::ready();
    sampling::ready();
    if let Some(thread) = current::thread() {
        thread.prepare();
    }
    if first {
        layouts::begin();
    }
    for datatype in &family.common_datatypes {
        objects::learn_datatype(family, *datatype);
    }
    if world {
        world::begin(family);
        objects::learn(family, family.comm_world, HandleKind::Communicator);
        objects::learn(family, family.comm_self, HandleKind::Communicator);
    }
    if world && content::is_on() {
        content::datatypes::begin(family);
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
    steps::ended(StepKind::Learn, began);
    let (path, own) = (output.file.path(), OwnFile::of(&output.file));
    let meeting = folder::parent_of(&path);
    let find = || together::find(family, world.then_some((rank, size)), meeting);
    let together = steps::timed(StepKind::FindRanks, || spent::waiting(find));
    let agree = || progress::unheard(|| folder::agree(&run.config, family, together.as_ref(), &own));
    let agreed = steps::timed(StepKind::Agree, || spent::waiting(agree));
    let header = output.header();
    let thread_level = family.thread_level(provided());
    if world && first && run.config.asks {
        ask(family, thread_level);
    }
    header.identify(ProcessIdentity { run: agreed.run, rank, size, world: agreed.world, thread_level });
    let (is_first, ranks) = (
        together.as_ref().map_or(rank == 0 || rank == NO_RANK, Together::is_first),
        together::recorded_in_words(together.as_ref(), size),
    );
    FIRST.store(is_first, Release);
    if let Some(together) = together {
        let compare = || clocks::initialized(family, together, &header.begun(), agreed.sync);
        steps::timed(StepKind::ClocksAtInit, || progress::unheard(compare));
    }
    if first {
        let costs = steps::timed(StepKind::Rehearse, || rehearse(run).unwrap_or_default());
        steps::timed(StepKind::ReadMachine, || {
            shared::define(&Definition::Machine(machine::machine()));
            if let Some(thread) = current::thread().filter(|_| !run.config.counters.is_empty()) {
                let asked = machine::begin_counters(thread.number(), &run.config.counters);
                shared::define(&Definition::AskedEvents(asked));
            }
            if is_first {
                define_variables(family, &library.version);
            }
            usage_readings::write(usage_readings::read(
                current::thread().map(Thread::number),
                UsageMoment::Initialized,
            ));
        });
        header.initialized(costs, clock::sample());
    }
    let moved = steps::timed(StepKind::MoveIn, || folder::move_in(&output.file, &agreed, rank));
    steps::define();
    if let Err(reason) = moved {
        let message = format!("{reason}. The trace stays in {}.", path.display());
        shared::define(&Definition::Warning(message.clone()));
        if config::must_be_silent() {
            let _ = run_notes::leave_message(&agreed.folder, &message);
        } else {
            messages::say(&message);
        }
    } else if first && is_first {
        let path = output.file.path();
        let folder = folder::parent_of(&path);
        folder::tell_other_run(&run.config, &agreed, folder);
        if speaks() {
            messages::say(&format!("recording {ranks} under {} into {}", library.name(), folder.display()));
        }
    }
}

/// Writes what the library is set to, which is the same for all ranks of a launch.
fn define_variables(family: &Family, version: &str) {
    let variables = real::library().map(|library| variables::read(library, family, version)).unwrap_or_default();
    if !variables.is_empty() {
        shared::define(&Definition::Variables(variables_text(&variables)));
    }
}

/// Begins to ask MPI which requests are complete, if it can tell.
fn ask(family: &Family, thread_level: u16) {
    let reason = match completion::learn(family) {
        // Another thread may free a request during the query.
        Some(_) if thread_level == THREAD_MULTIPLE => "several threads may complete its requests at once",
        Some(test) => {
            shared::define(&Definition::Asked(test));
            return queried_requests::begin();
        }
        None => "this MPI cannot tell without making progress",
    };
    let warning = format!("requests were not asked about (--overlap ask): {reason}");
    shared::define(&Definition::Warning(warning));
}

/// MPI_THREAD_MULTIPLE in the trace's numbering.
const THREAD_MULTIPLE: u16 = 3;

fn provided() -> i32 {
    let mut level = 0i32;
    // SAFETY: MPI is initialized, and writes one int.
    unsafe { real::invoke(Call::Query_thread, [&raw mut level as usize]) };
    level
}

/// Measures the costs of recording: the best of ten rounds of 200 calls or entries each. A productive entry's cost includes that of
/// its call's longer record.
fn rehearse(RunContext { config, family, handed }: &RunContext) -> Option<RecordingCosts> {
    const CALLS: u32 = 200;
    const ROUNDS: u32 = 10;
    /// Words of the record of a call with an entry.
    const WORDS: u32 = 4;
    let rehearsal = Thread::rehearsal((WORDS * CALLS * (2 * ROUNDS + 1)) as usize, config.mode.unwrap_or(Mode::Trace))?;
    let own = current::thread()?;
    let parts = own.engine.parts_of_an_entry();
    let best = |round: &dyn Fn() -> u64| (0..ROUNDS).map(|_| round()).min();
    // Calls time themselves off their straight line.
    let calls = |inside: &dyn Fn()| {
        let (ticks, timed) = spent::apart(|| (handed.rehearse)(family, CALLS, inside));
        ticks.saturating_sub(timed)
    };
    current::set(rehearsal);
    calls(&|| ());
    let call = best(&|| calls(&|| ()));
    let productive = best(&|| calls(&|| progress::rehearse_entry(rehearsal, parts, 1)));
    let entry = best(&|| progress::rehearse(rehearsal, CALLS, parts));
    current::set(own);
    own.rehearsed(rehearsal);
    let (call, entry) = (call?, entry?);
    let of_one = |ticks: u64| ticks * 1000 / CALLS as u64;
    let productive = productive?.saturating_sub(call).max(entry);
    Some(RecordingCosts { call: of_one(call), entry: of_one(entry), productive: of_one(productive) })
}
