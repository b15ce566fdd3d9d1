//! Follows each wait from rank to rank until one that does not wait itself.
//!
//! In: all waits, sorted. Out: the ranks that they blame, one part of the run's time after the other, so that memory holds one part.

use crate::matching::{FollowedWait, WaitKey, WaitState};
use crate::spill::{Forward, Sorted};
use crate::sums::Grow;

/// Approximate number of waits in a part of the run. Two parts are in memory at a time.
const WAITS: usize = 1 << 17;

/// A time in which another rank waited for this one, while this one did not wait.
#[derive(Clone, Copy, Debug)]
pub struct BlamedTime {
    pub from: i64,
    pub until: i64,
    /// First wait of the chain that leads to this rank.
    pub first: WaitKey,
    /// Last wait of that chain.
    pub wait: WaitKey,
    /// It reached this rank through others that waited, too.
    pub is_indirect: bool,
    /// The rank was in a wait of its own then, for which no single rank is to blame: it left a collective call late.
    pub is_unknown: bool,
}

/// A time in which a rank waited itself.
#[derive(Clone, Copy, Debug)]
pub struct OwnWait {
    pub from: i64,
    pub until: i64,
    pub state: WaitState,
}

impl OwnWait {
    pub fn span(&self) -> (i64, i64) {
        (self.from, self.until)
    }
}

/// A part of the run's time, by the rank's place in [`Run::ranks`](crate::Run::ranks).
pub struct ChasedPart {
    /// Everything before this time is known.
    pub until: i64,
    /// Waits that lead to the rank, sorted by begin.
    pub blamed: Vec<Vec<BlamedTime>>,
    /// The rank's own waits that begin in the part, sorted; none begins before the one before it ends.
    pub waiting: Vec<Vec<OwnWait>>,
}

/// Follows all waits of all ranks.
pub struct Chase<'a> {
    rest: Forward<'a, FollowedWait>,
    /// Waits that are not over when the next part begins, sorted by begin.
    waits: Vec<Vec<FollowedWait>>,
    /// End of each rank's last wait.
    last: Vec<i64>,
    /// The begin of the next part.
    from: i64,
    /// Ends of the parts.
    ends: std::vec::IntoIter<i64>,
    /// Time of waits for which no single rank is to blame.
    pub unknown: i64,
}

impl<'a> Chase<'a> {
    pub fn new(waits: &'a Sorted<FollowedWait>, ranks: usize) -> Chase<'a> {
        Chase::in_parts(waits, ranks, WAITS)
    }

    /// Follows about `count` waits at a time.
    fn in_parts(waits: &'a Sorted<FollowedWait>, ranks: usize, count: usize) -> Chase<'a> {
        let mut ends = waits.divided(count, |wait| wait.from);
        ends.push(i64::MAX);
        let (rest, of_ranks) = (waits.forward(ranks), vec![Vec::new(); ranks]);
        Chase { rest, waits: of_ranks, last: vec![i64::MIN; ranks], from: i64::MIN, ends: ends.into_iter(), unknown: 0 }
    }

    /// Follows a part of a wait to the awaited rank or, while that rank waits itself, to the ranks that it waits for.
    fn follow(&mut self, blamed: &mut [Vec<BlamedTime>], wait: &FollowedWait, part: (i64, i64)) {
        let first = wait.key();
        // A chain may be as long as there are ranks: the steps lie on the heap.
        let mut steps: Vec<Step> = self.step(first, part, 0).into_iter().collect();
        while let Some(step) = steps.last_mut() {
            let (key, at, until, depth) = (step.key, step.at, step.until, steps.len() - 1);
            let step = &mut steps[depth];
            // Only wrong clocks make ranks wait for each other in a circle.
            let waits = if depth < blamed.len() { self.waits[key.cause.rank as usize].as_slice() } else { &[] };
            let own = waits.get(step.next).copied().filter(|own| own.from < until);
            let Some(own) = own else {
                blame(blamed, (first, key), (at, until), (depth, false));
                steps.pop();
                continue;
            };
            step.next += 1;
            let (begin, end) = (own.from.max(at), own.until.min(until));
            if begin >= end {
                continue;
            }
            step.at = end;
            blame(blamed, (first, key), (at, begin), (depth, false));
            match self.step(own.key(), (begin, end), depth + 1) {
                Some(next) => steps.push(next),
                None => blame(blamed, (first, key), (begin, end), (depth, true)),
            }
        }
    }

    /// The step to the rank that a part of a wait is for. Without such a rank, the time is unknown.
    fn step(&mut self, key: WaitKey, (from, until): (i64, i64), depth: usize) -> Option<Step> {
        let cause = key.cause.rank as usize;
        if key.cause.rank == key.waiter.rank || cause >= self.waits.len() {
            self.unknown.grow(until - from);
            return None;
        }
        let is_followed = depth < self.waits.len();
        let next = if is_followed { self.waits[cause].partition_point(|own| own.until <= from) } else { 0 };
        Some(Step { key, at: from, until, next })
    }
}

/// A wait on the way to its origin: the awaited rank's time from `at` on is not blamed yet.
struct Step {
    key: WaitKey,
    at: i64,
    until: i64,
    /// Index of the awaited rank's next own wait.
    next: usize,
}

impl Iterator for Chase<'_> {
    type Item = ChasedPart;

    fn next(&mut self) -> Option<ChasedPart> {
        let (from, until) = (self.from, self.ends.next()?);
        self.from = until;
        let mut waiting = Vec::new();
        for (rank, waits) in self.waits.iter_mut().enumerate() {
            waits.retain(|wait| wait.until > from);
            let first = waits.len();
            let more = self.rest.take(rank, |wait| wait.from >= until);
            // A call may wait for several ranks at once: each moment is one wait.
            for mut wait in more {
                wait.from = wait.from.max(self.last[rank]);
                if wait.from < wait.until {
                    self.last[rank] = wait.until;
                    waits.push(wait);
                }
            }
            let own = |wait: &FollowedWait| OwnWait { from: wait.from, until: wait.until, state: wait.key().state };
            waiting.push(waits[first..].iter().map(own).collect());
        }
        let mut blamed = vec![Vec::new(); self.waits.len()];
        for rank in 0..self.waits.len() {
            for at in 0..self.waits[rank].len() {
                let wait = self.waits[rank][at];
                self.follow(&mut blamed, &wait, (wait.from.max(from), wait.until.min(until)));
            }
        }
        for blamed in &mut blamed {
            blamed.sort_unstable_by_key(|time| (time.from, time.until));
        }
        Some(ChasedPart { until, blamed, waiting })
    }
}

fn blame(
    blamed: &mut [Vec<BlamedTime>],
    (first, wait): (WaitKey, WaitKey),
    (from, until): (i64, i64),
    (depth, is_unknown): (usize, bool),
) {
    if from < until {
        let is_indirect = depth > 0;
        blamed[wait.cause.rank as usize].push(BlamedTime { from, until, first, wait, is_indirect, is_unknown });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{RankSite, WaitSpan, WaitState};
    use crate::roles::SpottedSite;
    use crate::spill::Spill;

    /// Blamed nanoseconds by blamed rank, waiting rank of the last wait, and true if others were between; and nanoseconds without a rank
    /// to blame.
    type Blames = (std::collections::BTreeMap<(usize, u32, bool), i64>, i64);

    /// Each of five ranks waits for the next again and again, every tenth time with no rank to blame; a sixth rank waits once, for a long
    /// time.
    fn waits() -> Vec<WaitSpan> {
        let site = |rank| RankSite { rank, place: SpottedSite::numbered(rank) };
        let wait = |number: i64| {
            let (rank, from) = if number == 3 { (5, 30) } else { ((number * 7 % 5) as u32, number * 10) };
            let cause = if number % 10 == 0 { rank } else { (rank + 1) % 5 };
            let until = from + if number == 3 { 20_000 } else { 5 + number % 13 * 3 };
            let key = WaitKey { state: WaitState::LateSender, waiter: site(rank), cause: site(cause) };
            WaitSpan { call: from, from, until, key }
        };
        (0..3000).map(wait).collect()
    }

    fn blames(count: usize) -> (usize, Blames) {
        let mut spill = Spill::new(6);
        spill.add(waits().into_iter().map(FollowedWait::from));
        let waits = spill.finish();
        let mut chase = Chase::in_parts(&waits, 6, count);
        let (mut parts, mut blames, mut last) = (0, Blames::default(), i64::MIN);
        for part in chase.by_ref() {
            parts += 1;
            for (rank, blamed) in part.blamed.iter().enumerate() {
                for time in blamed.iter().filter(|time| !time.is_unknown) {
                    assert!(time.from >= last && time.until <= part.until);
                    *blames.0.entry((rank, time.wait.waiter.rank, time.is_indirect)).or_default() +=
                        time.until - time.from;
                }
            }
            last = part.until;
        }
        blames.1 = chase.unknown;
        (parts, blames)
    }

    #[test]
    fn waits_lead_to_the_same_ranks_whether_they_are_followed_at_once_or_in_parts() {
        let (one, whole) = blames(10_000);
        let (many, in_parts) = blames(128);
        assert!(one == 1 && many > 10, "{one} and {many} parts");
        assert!(whole.0.len() > 5 && whole.1 > 0, "{whole:?}");
        assert_eq!(whole, in_parts);
    }
}
