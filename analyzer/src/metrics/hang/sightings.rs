//! What two looks at a run tell of its ranks that the wait-for graph has to know.

use traces::file::FileHeader;

use crate::model::deadlock::Doubt;
use crate::model::process::TICK;
use crate::model::standing::{Change, Look, Position, RankStanding, Standing, Stir, ThreadChange};
use crate::model::wait_for::{Halt, Sighting};
use crate::model::{End, ProcessFate, Rank, Run};

/// MPI_THREAD_MULTIPLE, as a header says it.
const THREAD_MULTIPLE: u16 = 3;
/// How far apart two looks have to be for a thread that stays in its call to have had time to leave it, seconds.
pub const LONG_ENOUGH: f64 = 1.0;

/// Of each rank, in the order of the run.
pub fn sightings(run: &Run, standing: &Standing, changes: &[Option<Change>], last: &Look) -> Vec<Sighting> {
    let ranks = run.ranks.iter().zip(&standing.ranks).zip(changes);
    ranks.map(|((rank, stands), change)| sighting(rank, stands, change.as_ref(), last)).collect()
}

fn sighting(rank: &Rank, stands: &RankStanding, change: Option<&Change>, last: &Look) -> Sighting {
    let is_partial = is_partial(rank);
    let Some(change) = change else {
        let strangers = may_have_strangers(rank).then_some(Doubt::Library);
        return Sighting { strangers, is_partial, ..Sighting::default() };
    };
    let is_over = matches!(rank.end, End::Finalized);
    // A process that has ended since the first look may have done more than was read.
    let is_dead = rank.fate == ProcessFate::Ended && change.was_gone;
    let is_gone = rank.fate == ProcessFate::Ended
        || change.process.and_then(|process| Halt::of(process.state)) == Some(Halt::Dead);
    let halt = match change.process.and_then(|process| Halt::of(process.state)) {
        _ if is_over => None,
        _ if is_dead => Some(Halt::Dead),
        halt => halt.filter(|halt| *halt == Halt::Stopped),
    };
    Sighting {
        halt,
        moved: change.stir() == Stir::Calls || (is_gone && !is_dead && !is_over),
        ended: ended(stands, change),
        sit: sitting(stands, change),
        strangers: strangers(rank, stands, change, last),
        computes: computes(rank, stands, change, last),
        is_partial,
    }
}

/// Whether calls are missing from a rank's recording.
fn is_partial(rank: &Rank) -> bool {
    let is_all = matches!(rank.filter.as_str(), "" | "-query" | "all" | "+all");
    rank.is_profile() || rank.header.lost > 0 || !rank.damage.is_empty() || !is_all
}

/// Threads that have ended.
fn ended(stands: &RankStanding, change: &Change) -> Vec<u32> {
    let is_gone = |tid: u32| !change.tasks.is_empty() && change.task(tid).is_none();
    let ended = stands.threads.iter().filter(|thread| is_gone(thread.tid));
    ended.map(|thread| thread.number).collect()
}

/// Threads that had the time to leave their call and did not.
fn sitting(stands: &RankStanding, change: &Change) -> Vec<u32> {
    let sits = |thread: u32, tid: u32| {
        let task = change.task(tid);
        let had_time = |task: &ThreadChange| task.apart as f64 >= 0.9e9 * LONG_ENOUGH && task.had_its_chance();
        change.stir_of(thread) < Stir::Progress && task.is_some_and(had_time)
    };
    let inside = stands.threads.iter().filter(|thread| thread.position.entered().is_some());
    inside.filter(|thread| sits(thread.number, thread.tid)).map(|thread| thread.number).collect()
}

fn may_have_strangers(rank: &Rank) -> bool {
    rank.header.thread_level == THREAD_MULTIPLE || rank.roomless > 0
}

/// The doubt that threads leave which have not called MPI and may.
fn strangers(rank: &Rank, stands: &RankStanding, change: &Change, last: &Look) -> Option<Doubt> {
    if !may_have_strangers(rank) {
        return None;
    }
    if change.tasks.is_empty() {
        return Some(Doubt::Library);
    }
    let are_there = rank.roomless > 0 || unknown_tasks(rank, stands, change, last).next().is_some();
    are_there.then_some(Doubt::Program)
}

/// Threads of a process that have not called MPI, and are not the MPI library's own.
fn unknown_tasks<'a>(
    rank: &'a Rank,
    stands: &'a RankStanding,
    change: &'a Change,
    last: &'a Look,
) -> impl Iterator<Item = &'a ThreadChange> {
    let is_known = |tid: u32| stands.threads.iter().any(|thread| thread.tid == tid);
    let unknown = change.tasks.iter().filter(move |change| !is_known(change.task.tid));
    unknown.filter(|change| !is_of_library(&rank.header, change.task.started, last))
}

/// Whether a thread that started at a time was started while MPI was initialized. What the system says is in steps.
fn is_of_library(header: &FileHeader, started: u64, last: &Look) -> bool {
    let earliest = started.saturating_sub(u64::try_from(last.suspended).unwrap_or(0));
    header.ready.is_set() && earliest >= header.begin.monotonic && earliest + TICK <= header.ready.monotonic
}

/// Whether a rank computes outside MPI, or may: its process cannot be looked at.
fn computes(rank: &Rank, stands: &RankStanding, change: &Change, last: &Look) -> bool {
    let is_outside = |position: &Position| matches!(position, Position::Outside { .. });
    if change.tasks.is_empty() {
        return stands.threads.iter().any(|thread| is_outside(&thread.position));
    }
    let outside = stands.threads.iter().filter(|thread| is_outside(&thread.position));
    let known = outside.filter_map(|thread| change.task(thread.tid));
    known.chain(unknown_tasks(rank, stands, change, last)).any(ThreadChange::computed)
}
