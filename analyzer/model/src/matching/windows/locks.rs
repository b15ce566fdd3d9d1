//! Finds waits for window locks that another rank holds.
//!
//! A rank holds a lock from the end of its MPI_Win_lock to the start of its MPI_Win_unlock. So an MPI_Win_lock that lasted until
//! after another rank's MPI_Win_unlock of the same target had begun has waited for that, if one of the two locks
//! was exclusive. Each rank that had the lock meanwhile is charged with its turn. If a library acquires locks after
//! MPI_Win_lock, the call never lasts that long.

use std::sync::atomic::{AtomicI64, Ordering::*};
use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;
use traces::signature::lock::EXCLUSIVE;

use super::super::collectives::Collectives;
use super::super::wait_sums::{RankSite, WaitState, Waits};
use super::super::{Cause, WaitingCall};
use super::Called;
use crate::parallel::{into_inner, lock};

/// Locks kept for a target before a first cleanup.
const KEPT: usize = 256;

pub struct Locks<'a> {
    collectives: &'a Collectives<'a>,
    /// By object and target.
    windows: Vec<Mutex<FxHashMap<u32, Target>>>,
    /// For each rank, the time up to which its calls were read.
    reached: Vec<AtomicI64>,
}

struct ReleasedLock {
    exclusive: bool,
    since: i64,
    until: i64,
    by: RankSite,
}

#[derive(Default)]
struct Target {
    /// Calls of MPI_Win_lock, with true for an exclusive lock.
    calls: Vec<(Called, bool)>,
    held: Vec<ReleasedLock>,
    /// Locks held now, by rank: true for an exclusive one, and its begin.
    open: FxHashMap<u32, (bool, i64)>,
    /// Calls and locks left after the last cleanup.
    kept: usize,
}

impl Target {
    /// True if a cleanup pays: the table has grown by more than what the last one left.
    fn is_full(&self) -> bool {
        self.calls.len() + self.held.len() > KEPT + 2 * self.kept
    }
}

impl<'a> Locks<'a> {
    pub fn new(collectives: &'a Collectives<'a>, ranks: usize) -> Locks<'a> {
        let windows = collectives.objects.groups.iter().map(|_| Mutex::default()).collect();
        let reached = (0..ranks).map(|_| AtomicI64::new(i64::MIN)).collect();
        Locks { collectives, windows, reached }
    }

    pub fn lock(&self, window: u32, target: u32, kind: i32, call: Called) {
        let mut targets = self.targets(window);
        let target = targets.entry(target).or_default();
        target.calls.push((call, kind == EXCLUSIVE));
        target.open.insert(call.at.rank, (kind == EXCLUSIVE, call.end));
    }

    pub fn unlock(&self, window: u32, target: u32, call: Called, waits: &mut Waits) {
        // Loaded before the lock is taken: the table holds all that the ranks did until then.
        let reached = self.reached.iter().map(|reached| reached.load(Acquire)).min();
        let mut targets = self.targets(window);
        let target = targets.entry(target).or_default();
        let Some((exclusive, since)) = target.open.remove(&call.at.rank) else { return };
        target.held.push(ReleasedLock { exclusive, since, until: call.begin, by: call.at });
        if target.is_full() {
            self.resolve(target, reached.unwrap_or(i64::MAX), waits);
        }
    }

    /// Records that all calls of a rank before `at` were read.
    pub fn reached(&self, rank: u32, at: i64) {
        self.reached[rank as usize].store(at, Release);
    }

    /// Charges the remaining calls, once all calls of all ranks were seen.
    pub fn finish(mut self, waits: &mut Waits) {
        for window in std::mem::take(&mut self.windows) {
            let targets = into_inner(window);
            for mut target in targets.into_values() {
                self.resolve(&mut target, i64::MAX, waits);
            }
        }
    }

    /// Charges the calls that ended before `reached`, the time up to which all ranks' calls were read.
    fn resolve(&self, target: &mut Target, reached: i64, waits: &mut Waits) {
        let Target { calls, held, .. } = target;
        held.sort_unstable_by_key(|held| held.until);
        calls.retain(|(call, exclusive)| {
            let known = call.end <= reached;
            let conflicts = |held: &&ReleasedLock| held.by.rank != call.at.rank && (held.exclusive || *exclusive);
            let began = held.partition_point(|held| held.until <= call.begin);
            let during = held[began..].iter().take_while(|held| held.until < call.end);
            let mut during = during.filter(conflicts).filter(|_| known).peekable();
            let mut begin = call.begin;
            // The call waits for each holder in turn, until that one gives the lock back.
            while let Some(one) = during.next() {
                let end = if during.peek().is_some() { one.until } else { call.end };
                let cause = Cause { at: one.until, who: one.by, thread: 0, state: WaitState::LockContention };
                let waiting = WaitingCall { at: call.at, thread: 0, begin: begin.max(one.since), end };
                cause.charge(waiting, self.collectives.common_clock, waits);
                begin = one.until;
            }
            !known
        });
        // No call that begins earlier will be added.
        let earliest = calls.iter().map(|(call, _)| call.begin).min().map_or(reached, |begin| begin.min(reached));
        held.retain(|held| held.until > earliest);
        target.kept = target.calls.len() + target.held.len();
    }

    fn targets(&self, window: u32) -> MutexGuard<'_, FxHashMap<u32, Target>> {
        lock(&self.windows[window as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::SpottedSite;
    use super::*;

    #[test]
    fn a_table_of_locks_is_cleaned_beyond_256_and_twice_what_the_last_cleanup_left() {
        let at = RankSite { rank: 0, place: SpottedSite::default() };
        let call = Called { at, begin: 0, end: 1, open: false };
        let is_full = |calls: usize, held: usize, kept: usize| {
            let held = (0..held).map(|_| ReleasedLock { exclusive: true, since: 1, until: 2, by: at }).collect();
            Target { calls: vec![(call, true); calls], held, kept, ..Target::default() }.is_full()
        };
        assert_eq!([is_full(129, 127, 0), is_full(129, 128, 0), is_full(300, 299, 0)], [false, true, true]);
        assert_eq!([is_full(456, 400, 300), is_full(457, 400, 300)], [false, true]);
    }
}
