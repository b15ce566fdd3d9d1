//! Adds up the times of a rank's activities, and the time that others waited for each.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::chase::{BlamedTime, OwnWait};
use super::{Activity, ActivityTimes};
use crate::Rank;
use crate::common_clock::ClockLine;
use crate::roles::Role;
use crate::stream::TimedCall;
use crate::sums::{Grow, SpansAhead};

/// Minimum share of the other ranks that wait while a rank counts as alone at work.
const MOST_OTHERS: f64 = 0.8;

/// A rank's activities so far.
#[derive(Default)]
pub struct ActivityReader {
    /// Blamed times that have not begun.
    blamed: VecDeque<BlamedTime>,
    /// Blamed times that have begun and may not be over.
    current: Vec<BlamedTime>,
    /// The rank's own waits that are not over.
    waiting: SpansAhead,
    others: usize,
    /// When MPI_Init had returned to the program: the recorder's own work there is no computation.
    ready: i64,
    /// Site and end of the last call; true if the call is selected.
    last: Option<(u32, i64, bool)>,
    pub times: FxHashMap<Activity, ActivityTimes>,
}

impl ActivityReader {
    /// Makes the reader of one rank of a run with `ranks` ranks.
    pub fn new(ranks: usize, rank: &Rank, line: &ClockLine) -> ActivityReader {
        let ready = rank.header.ready;
        let ready = if ready.is_set() { line.nanoseconds_at(ready.ticks) } else { i64::MIN };
        ActivityReader { others: ranks.saturating_sub(1), ready, ..ActivityReader::default() }
    }

    /// Adds the next part of the run: the times for which others blame the rank, and the rank's own waits.
    pub fn know(&mut self, blamed: &[BlamedTime], waiting: &[OwnWait]) {
        self.blamed.extend(blamed.iter().filter(|time| !time.is_unknown));
        self.waiting.add(waiting.iter().map(OwnWait::span));
    }

    pub fn call(&mut self, call: &TimedCall, role: &Role) {
        let (site, counts) = (role.place.number() as u32, role.place.counts());
        // Computation right after MPI_Init counts, and so does computation right before MPI_Finalize.
        if let Some((from, end, last_counts)) = self.last
            && end.max(self.ready) < call.start
            && (counts || last_counts)
        {
            self.add(Activity::Between(from, site), (end.max(self.ready), call.start));
        }
        if counts {
            self.add(Activity::In(site), (call.start, call.end));
        }
        self.last = Some((site, call.end, counts));
    }

    fn add(&mut self, activity: Activity, (from, until): (i64, i64)) {
        let waited = if matches!(activity, Activity::In(_)) { self.waiting.shared_time((from, until)) } else { 0 };
        while let Some(blamed) = self.blamed.pop_front_if(|blamed| blamed.from < until) {
            self.current.push(blamed);
        }
        let times = self.times.entry(activity).or_default();
        times.add((until - from - waited).max(0));
        let was_late = std::mem::take(&mut times.is_late);
        if !self.current.is_empty() {
            self.current.retain(|blamed| blamed.until > from);
            times.blame(&self.current, (from, until), self.others);
        }
        times.stretches.grow(u64::from(times.is_late && !was_late));
    }
}

impl ActivityTimes {
    /// Adds the waits of others between two times. `others` is the number of other ranks.
    fn blame(&mut self, blamed: &[BlamedTime], (from, until): (i64, i64), others: usize) {
        // Changes of the number of waiting ranks, in order.
        let mut changes: Vec<(i64, i32)> = Vec::new();
        for blamed in blamed {
            let (begin, end) = (blamed.from.max(from), blamed.until.min(until));
            if begin >= end {
                continue;
            }
            self.blamed.grow(end - begin);
            self.waits.entry(blamed.wait).or_default().grow(end - begin);
            if blamed.is_indirect {
                self.indirect.grow(end - begin);
            }
            changes.extend([(begin, 1), (end, -1)]);
        }
        if changes.is_empty() {
            return;
        }
        self.late.grow(1);
        self.is_late = true;
        changes.sort_unstable();
        let (mut waiting, mut since) = (0, changes[0].0);
        for (at, change) in changes {
            if waiting > 0 {
                self.waited_for.grow(at - since);
            }
            if f64::from(waiting) >= MOST_OTHERS * others as f64 {
                self.alone.grow(at - since);
            }
            waiting += change;
            since = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{RankSite, WaitKey, WaitState};
    use crate::roles::SpottedSite;

    #[test]
    fn a_time_has_the_waits_of_others_within_it_by_waiter_and_how_many_waited_at_once() {
        let wait = |rank| {
            let [waiter, cause] = [rank, 0].map(|rank| RankSite { rank, place: SpottedSite::default() });
            WaitKey { state: WaitState::WaitAtNxn, waiter, cause }
        };
        let blamed = |rank, from, until, is_indirect| BlamedTime {
            from,
            until,
            first: wait(rank),
            wait: wait(rank),
            is_indirect,
            is_unknown: false,
        };
        let mut times = ActivityTimes::default();
        let all = [
            blamed(1, 0, 1_700, false),
            blamed(2, 1_200, 1_800, true),
            blamed(3, 1_300, 1_600, false),
            blamed(4, 1_400, 1_500, true),
            // Waits that were over before, or begin behind.
            blamed(5, 0, 1_000, true),
            blamed(5, 2_000, 9_000, true),
        ];
        times.blame(&all, (1_000, 2_000), 5);
        assert_eq!((times.blamed, times.indirect, times.late), (700 + 600 + 300 + 100, 600 + 100, 1));
        // Four fifths of the five others wait from 1,400 to 1,500.
        assert_eq!((times.waited_for, times.alone), (800, 100));
        let mut waits: Vec<(u32, i64)> = times.waits.iter().map(|(wait, time)| (wait.waiter.rank, *time)).collect();
        waits.sort_unstable();
        assert_eq!(waits, [(1, 700), (2, 600), (3, 300), (4, 100)]);
        times.blame(&all[4..], (1_000, 2_000), 5);
        assert_eq!((times.blamed, times.late), (1_700, 1), "nobody waited");
    }
}
