//! The recording's work before and after calls that start or end MPI.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use traces::calls::Call;
use traces::definitions::StepKind;
use traces::machine::UsageMoment;

use super::folder::OwnFile;
use super::run::{FAILED, READY, RUN, SESSIONS, WORLD};
use super::{clocks, end, folder, ready, steps, together};
use crate::abi;
use crate::clock;
use crate::config;
use crate::progress;
use crate::real;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::guard::spent;
use crate::recorder::objects::world;
use crate::recorder::objects::{self, HandleKind};
use crate::recorder::process::forked;
use crate::recorder::thread::{Thread, current, usage_readings};

#[inline(always)]
pub const fn is_lifecycle(call: Call) -> bool {
    starts(call) || ends(call)
}

#[inline(always)]
pub const fn starts(call: Call) -> bool {
    matches!(call, Call::Init | Call::Init_thread | Call::Session_init)
}

#[inline(always)]
const fn ends(call: Call) -> bool {
    matches!(call, Call::Finalize | Call::Session_finalize)
}

/// True if the world ends by this call, or the last session where there is no world.
fn is_last(call: Call) -> bool {
    match call {
        Call::Finalize => true,
        Call::Session_finalize => !WORLD.load(Acquire) && SESSIONS.load(Acquire) == 1,
        _ => false,
    }
}

/// Ticks off the straight line of the thread that starts and ends MPI, without those of starting and ending, as of the
/// last such call.
static OFF_LINE: AtomicU64 = AtomicU64::new(0);

/// Runs before a call that starts or ends MPI. Ranks whose recording has stopped or failed to begin do this too, since
/// all have to take part in comparing clocks.
#[cold]
#[inline(never)]
pub fn before(call: Call, session: u64) {
    OFF_LINE.store(current::thread().map_or(0, Thread::off_line_between), Relaxed);
    if call == Call::Session_finalize {
        guard::run(|| world::session_ends(session));
    }
    if call == Call::Finalize {
        world::end();
    }
    let is_recorded = forked::is_recording();
    if is_recorded && starts(call) {
        guard::run(end::unmark);
    }
    // Read before the ranks wait for each other, but written after the comparison of clocks, which needs its room.
    let mut readings = usage_readings::NONE;
    if is_recorded && is_last(call) {
        guard::run_waiting(|| {
            readings = usage_readings::read(current::thread().map(Thread::number), UsageMoment::Finalizing);
        });
    }
    if call != Call::Finalize || !(is_recorded || FAILED.load(Acquire)) {
        guard::run_waiting(|| usage_readings::write(readings));
        return;
    }
    guard::run_waiting(|| {
        if let Some(output) = shared::output() {
            let begin = output.header().begun();
            let now = clock::sample();
            let seconds = now.monotonic.saturating_sub(begin.monotonic) as f64 / 1e9;
            progress::intel::read(now.ticks.wrapping_sub(begin.ticks) as f64 / seconds.max(1e-9));
        }
        steps::timed(StepKind::ClocksAtFinalize, || spent::waiting(|| progress::unheard(clocks::finalizing)));
        usage_readings::write(readings);
        steps::define();
        together::leave();
    });
}

/// Runs after a call that starts or ends MPI in a process that does not record, since other ranks may wait for this
/// one.
#[cold]
#[inline(never)]
pub fn after_unrecorded(call: Call, code: i32) {
    if starts(call) && code != 0 {
        guard::run_waiting(together::withdraw);
    }
    let world = matches!(call, Call::Init | Call::Init_thread);
    if world && code == 0 && FAILED.load(Acquire) && !READY.swap(true, AcqRel) {
        guard::run_waiting(take_part);
    }
}

/// Takes part, without a recording, in the meeting of all ranks that record together when MPI is initialized.
fn take_part() -> Option<()> {
    let family = abi::detect(real::library()?);
    let config = config::read().ok()?;
    objects::learn(family, family.comm_world, HandleKind::Communicator);
    let world = objects::get(family.comm_world)?;
    let beside = folder::wanted(config.directory.as_deref()).ok()?;
    let meeting = folder::parent_of(&beside);
    let together = together::come(family, world.rank as u32, world.size, together::spawned(family), meeting);
    let agreed = folder::agree(&config, family, Some(&together), &OwnFile::None);
    clocks::initialized(family, together, &clock::sample(), agreed.sync);
    Some(())
}

/// Runs after a call that starts or ends MPI.
#[cold]
#[inline(never)]
pub fn after(call: Call, session: u64, code: i32) {
    if code != 0 {
        if starts(call) {
            guard::run_waiting(|| {
                together::withdraw();
                if let Some(output) = shared::output() {
                    end::mark_end(output);
                }
            });
        }
        return;
    }
    guard::run_waiting(|| {
        match call {
            Call::Session_init => {
                SESSIONS.fetch_add(1, AcqRel);
                guard::run(|| world::session_begins(session));
            }
            Call::Session_finalize => drop(SESSIONS.fetch_sub(1, AcqRel)),
            _ => WORLD.store(starts(call), Release),
        }
        if starts(call) {
            opened(call);
        } else {
            end::closed(call);
        }
    });
    if let Some(thread) = current::thread() {
        thread.charge_start_and_end(OFF_LINE.load(Relaxed));
    }
}

/// Runs after MPI was initialized, which may happen repeatedly: sessions come and go before, in and after a world.
fn opened(call: Call) {
    static IN_WORLD: AtomicBool = AtomicBool::new(false);
    let world = call != Call::Session_init;
    let new_world = world && !IN_WORLD.swap(true, AcqRel);
    let (first, Some(run), Some(output)) = (!READY.swap(true, AcqRel), RUN.get(), shared::output()) else { return };
    if first || new_world {
        ready::ready(run, output, world, first);
    }
    end::mark_end(output);
}
