//! Follows each wait from rank to rank until one that does not wait itself.
//!
//! In: all waits, sorted. Out: the ranks that they blame, one part of the run's time after the other, so that memory holds one part.

use crate::matching::{FollowedWait, WaitKey};
use crate::spill::{Forward, Sorted};
use crate::sums::Grow;

/// Approximate number of waits in a part of the run.
const WAITS: usize = 1 << 18;

/// A time in which another rank waited for this one, while this one did not wait.
#[derive(Clone, Copy, Debug)]
pub struct BlamedTime {
    pub from: i64,
    pub until: i64,
    /// Last wait of the chain that leads to this rank.
    pub wait: WaitKey,
    /// It reached this rank through others that waited, too.
    pub is_indirect: bool,
}

/// A part of the run's time, by the rank's place in [`Run::ranks`](crate::Run::ranks).
pub struct ChasedPart {
    /// Everything before this time is known.
    pub until: i64,
    /// Waits that lead to the rank, sorted by begin.
    pub blamed: Vec<Vec<BlamedTime>>,
    /// The rank's own waits that begin in the part: from, until, sorted.
    pub waiting: Vec<Vec<(i64, i64)>>,
}

/// Follows all waits of all ranks.
pub struct Chase<'a> {
    rest: Forward<'a, FollowedWait>,
    /// Waits that are not over when the next part begins, sorted by begin.
    waits: Vec<Vec<FollowedWait>>,
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
        Chase { rest, waits: of_ranks, from: i64::MIN, ends: ends.into_iter(), unknown: 0 }
    }

    /// Follows a part of a wait to the awaited rank or, while that rank waits itself, to the ranks that it waits for.
    fn follow(&mut self, blamed: &mut [Vec<BlamedTime>], wait: &FollowedWait, (from, until): (i64, i64), depth: usize) {
        let key = wait.key();
        let cause = key.cause.rank as usize;
        if key.cause.rank == key.waiter.rank || cause >= blamed.len() {
            self.unknown.grow(until - from);
            return;
        }
        let mut at = from;
        // Only wrong clocks make ranks wait for each other in a circle: limit the depth.
        if depth < blamed.len() {
            let mut next = self.waits[cause].partition_point(|own| own.until <= from);
            while let Some(own) = self.waits[cause].get(next).copied().filter(|own| own.from < until) {
                next += 1;
                let (begin, end) = (own.from.max(at), own.until.min(until));
                if begin >= end {
                    continue;
                }
                blame(blamed, key, (at, begin), depth);
                self.follow(blamed, &own, (begin, end), depth + 1);
                at = end;
            }
        }
        blame(blamed, key, (at, until), depth);
    }
}

impl Iterator for Chase<'_> {
    type Item = ChasedPart;

    fn next(&mut self) -> Option<ChasedPart> {
        let (from, until) = (self.from, self.ends.next()?);
        self.from = until;
        let mut waiting = Vec::new();
        for (rank, waits) in self.waits.iter_mut().enumerate() {
            waits.retain(|wait| wait.until > from);
            let more = self.rest.take(rank, |wait| wait.from >= until);
            waiting.push(more.iter().map(|wait| (wait.from, wait.until)).collect());
            waits.extend(more);
        }
        let mut blamed = vec![Vec::new(); self.waits.len()];
        for rank in 0..self.waits.len() {
            for at in 0..self.waits[rank].len() {
                let wait = self.waits[rank][at];
                self.follow(&mut blamed, &wait, (wait.from.max(from), wait.until.min(until)), 0);
            }
        }
        for blamed in &mut blamed {
            blamed.sort_unstable_by_key(|time| (time.from, time.until));
        }
        Some(ChasedPart { until, blamed, waiting })
    }
}

fn blame(blamed: &mut [Vec<BlamedTime>], wait: WaitKey, (from, until): (i64, i64), depth: usize) {
    if from < until {
        blamed[wait.cause.rank as usize].push(BlamedTime { from, until, wait, is_indirect: depth > 0 });
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
                for time in blamed {
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
