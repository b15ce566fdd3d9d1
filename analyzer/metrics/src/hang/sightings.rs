//! Derives each rank's data for the wait-for graph from two looks at a run.

use traces::file::FileHeader;
use traces::progress::Polls;

use model::deadlock::Doubt;
use model::process::TICK;
use model::standing::{Change, Look, Position, RankStanding, Standing, Stir, ThreadChange, ThreadStanding};
use model::wait_for::{Halt, Sighting};
use model::{ProcessFate, Rank, Run};

/// The header's value for MPI_THREAD_MULTIPLE.
const THREAD_MULTIPLE: u16 = 3;
/// Seconds of silence before a verdict on ranks that wait for ever by MPI's rules, but that something else may free.
pub const PATIENCE: f64 = 10.0;
/// Seconds between two looks that give a thread the time to leave its call.
pub const LONG_ENOUGH: f64 = 1.0;

/// The sighting of each rank, in the order of the run.
pub fn sightings(run: &Run, standing: &Standing, changes: &[Option<Change>], last: &Look) -> Vec<Sighting> {
    let ranks = run.ranks.iter().zip(&standing.ranks).zip(changes);
    ranks.map(|((rank, stands), change)| sighting(rank, stands, change.as_ref(), last)).collect()
}

fn sighting(rank: &Rank, stands: &RankStanding, change: Option<&Change>, last: &Look) -> Sighting {
    let is_partial = is_partial(rank) || stands.past.is_partial;
    let Some(change) = change else {
        let strangers = may_have_strangers(rank).then_some(Doubt::Library);
        return Sighting {
            sit: turned(rank, stands),
            strangers,
            polls: polled(rank),
            is_partial,
            ..Sighting::default()
        };
    };
    let is_over = rank.is_finalized();
    // A process that ended after the first look may have done more than its file showed then.
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
        polls: polling(rank, stands, change),
        strangers: strangers(rank, stands, change, last),
        computes: computes(rank, stands, change, last),
        is_partial,
    }
}

/// True if calls are missing from a rank's recording.
fn is_partial(rank: &Rank) -> bool {
    rank.is_profile() || rank.header.lost > 0 || !rank.damage.is_empty() || !rank.records_all_calls()
}

/// The numbers of threads that have ended.
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
        change.thread(thread).is_some_and(|thread| thread.stir < Stir::Progress) && task.is_some_and(had_time)
    };
    let inside = stands.threads.iter().filter(|thread| thread.position.entered().is_some());
    inside.filter(|thread| sits(thread.number, thread.tid)).map(|thread| thread.number).collect()
}

/// For a run that is over: threads that spent at least `LONG_ENOUGH` in the progress engine in their last call.
fn turned(rank: &Rank, stands: &RankStanding) -> Vec<u32> {
    let contents = rank.contents();
    let in_open_call = |number: u32| {
        let thread = contents.threads.iter().find(|thread| thread.number == number)?;
        Some(rank.clock.seconds(thread.tail.entries.ticks))
    };
    let inside = stands.threads.iter().filter(|thread| thread.position.entered().is_some());
    let numbers = inside.map(|thread| thread.number);
    numbers.filter(|number| in_open_call(*number).is_some_and(|time| time >= LONG_ENOUGH)).collect()
}

/// The longest pause, in seconds, between polls of a program that does nothing else.
const AT_ONCE: f64 = 20e-6;

/// Threads that poll without success and without pauses.
fn polling(rank: &Rank, stands: &RankStanding, change: &Change) -> Vec<u32> {
    let asks = stands.threads.iter().filter(|thread| matches!(thread.position, Position::Asking(_)));
    let numbers = asks.map(|thread| thread.number);
    numbers.filter(|number| between_polls(rank, change, *number).is_some_and(|pause| pause < AT_ONCE)).collect()
}

/// The mean time between two polls of a thread, in seconds. `None` if it did not poll between the looks.
fn between_polls(rank: &Rank, change: &Change, thread: u32) -> Option<f64> {
    let stir = change.thread(thread).filter(|thread| thread.asked > 0)?;
    let outside = apart(change)? - rank.clock.seconds(stir.asking);
    Some(outside / stir.asked as f64)
}

/// Seconds between the two looks.
fn apart(change: &Change) -> Option<f64> {
    Some(change.tasks.first()?.apart as f64 / 1e9)
}

/// For a run that is over: threads that, by their files, polled without a pause for at least `PATIENCE`.
fn polled(rank: &Rank) -> Vec<u32> {
    let contents = rank.trace.contents();
    let is_tight = |polls: &Polls| {
        let (span, inside) = (polls.end.saturating_sub(polls.start), polls.total);
        let pause = rank.clock.seconds(span.saturating_sub(inside)) / polls.count.max(1) as f64;
        rank.clock.seconds(span) >= PATIENCE && pause < AT_ONCE
    };
    let threads =
        contents.threads.iter().filter(|thread| thread.block.is_some_and(|block| is_tight(&block.polls.copy())));
    threads.map(|thread| thread.number).collect()
}

/// True if a polling thread computes between its polls: it pauses between them, and used far more processor time than
/// the calls took.
fn computes_between_polls(rank: &Rank, change: &Change, thread: &ThreadStanding) -> bool {
    let (Some(task), Some(apart)) = (change.task(thread.tid), apart(change)) else { return true };
    let asking = change.thread(thread.number).map_or(0.0, |thread| rank.clock.seconds(thread.asking));
    let is_tight = between_polls(rank, change, thread.number).is_some_and(|pause| pause < AT_ONCE);
    !is_tight && task.used as f64 / 1e9 - asking > apart / 10.0
}

fn may_have_strangers(rank: &Rank) -> bool {
    rank.header.thread_level == THREAD_MULTIPLE || rank.roomless > 0
}

/// The doubt raised by threads that have not called MPI but may.
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

/// Threads of a process that have not called MPI and do not belong to the MPI library.
fn unknown_tasks<'a>(
    rank: &'a Rank,
    stands: &'a RankStanding,
    change: &'a Change,
    last: &'a Look,
) -> impl Iterator<Item = &'a ThreadChange> {
    let is_known = |tid: u32| stands.threads.iter().any(|thread| thread.tid == tid);
    let unknown = change.tasks.iter().filter(move |change| !is_known(change.task.tid));
    unknown.filter(|change| !is_of_library(&rank.header, change.task.started, last.suspended))
}

/// True if a thread was started during MPI_Init, so that it belongs to the library. The system gives start times in
/// ticks of `TICK`, and counts the time for which it was `suspended`.
fn is_of_library(header: &FileHeader, started: u64, suspended: i64) -> bool {
    let earliest = started.saturating_sub(u64::try_from(suspended).unwrap_or(0));
    header.ready.is_set() && earliest >= header.begin.monotonic && earliest + TICK <= header.ready.monotonic
}

/// True if a rank computes outside MPI. Also true if it is outside MPI and its process cannot be inspected.
fn computes(rank: &Rank, stands: &RankStanding, change: &Change, last: &Look) -> bool {
    let is_outside = |position: &Position| matches!(position, Position::Outside { .. });
    if change.tasks.is_empty() {
        return stands.threads.iter().any(|thread| is_outside(&thread.position));
    }
    let asks = |thread: &&ThreadStanding| matches!(thread.position, Position::Asking(_));
    if stands.threads.iter().filter(asks).any(|thread| computes_between_polls(rank, change, thread)) {
        return true;
    }
    let outside = stands.threads.iter().filter(|thread| is_outside(&thread.position));
    let known = outside.filter_map(|thread| change.task(thread.tid));
    known.chain(unknown_tasks(rank, stands, change, last)).any(ThreadChange::computed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use traces::clock::ClockSample;
    use traces::write::blank_header;

    #[test]
    fn threads_that_were_started_during_mpi_init_are_the_librarys_and_others_may_be_the_programs() {
        let at = |ticks: u64| ClockSample { ticks, monotonic: ticks * TICK, ..ClockSample::default() };
        let header = FileHeader { begin: at(500), ready: at(600), ..blank_header() };
        let is = |tick: u64, suspended: i64| is_of_library(&header, tick * TICK, suspended * TICK as i64);
        assert_eq!([499, 500, 599, 600].map(|tick| is(tick, 0)), [false, true, true, false]);
        assert_eq!([550, 1_550].map(|tick| is(tick, 1_000)), [false, true], "the host slept before the run");
        let starting = FileHeader { ready: ClockSample::default(), ..header };
        assert!(!is_of_library(&starting, 550 * TICK, 0), "nobody knows when MPI_Init ended");
    }
}
