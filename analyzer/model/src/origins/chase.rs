//! Follows each wait from rank to rank until one that does not wait itself.

use crate::matching::{WaitKey, WaitSpan};
use crate::sums::Grow;

/// A time in which another rank waited for this one, which did not wait itself.
#[derive(Clone, Copy, Debug)]
pub struct BlamedTime {
    pub from: i64,
    pub until: i64,
    /// The last wait on the way here.
    pub wait: WaitKey,
    /// It reached this rank through others that waited, too.
    pub is_indirect: bool,
}

/// All waits, by the rank that they led to.
#[derive(Default)]
pub struct ChasedWaits {
    /// By the rank's place in [`Run::ranks`](crate::Run::ranks), sorted by begin.
    pub blamed: Vec<Vec<BlamedTime>>,
    /// By the rank's place in the run, when it waited itself: from, until, sorted.
    pub waiting: Vec<Vec<(i64, i64)>>,
    /// Time of waits for which no single rank is to blame.
    pub unknown: i64,
}

/// Follows all waits of all ranks; `spans` are those of each rank.
pub fn chased(mut spans: Vec<Vec<WaitSpan>>) -> ChasedWaits {
    for spans in &mut spans {
        spans.sort_unstable_by_key(|span| (span.from, span.until));
    }
    let ranks = spans.len();
    let mut chased = ChasedWaits { blamed: vec![Vec::new(); ranks], waiting: Vec::new(), unknown: 0 };
    for span in spans.iter().flatten() {
        chased.follow(&spans, span, (span.from, span.until), 0);
    }
    for blamed in &mut chased.blamed {
        blamed.sort_unstable_by_key(|time| (time.from, time.until));
    }
    chased.waiting = spans.iter().map(|spans| spans.iter().map(|span| (span.from, span.until)).collect()).collect();
    chased
}

impl ChasedWaits {
    /// Blames a part of a wait on the rank that it is for, or on those that this one waits for meanwhile.
    fn follow(&mut self, spans: &[Vec<WaitSpan>], wait: &WaitSpan, (from, until): (i64, i64), depth: usize) {
        let cause = wait.key.cause.rank as usize;
        if wait.key.cause.rank == wait.key.waiter.rank || cause >= spans.len() {
            self.unknown.grow(until - from);
            return;
        }
        let own = &spans[cause];
        let mut at = from;
        // Ranks that wait for each other in a circle have clocks that are off: the circle ends somewhere.
        if depth < spans.len() {
            let first = own.partition_point(|span| span.until <= from);
            for span in own[first..].iter().take_while(|span| span.from < until) {
                let (begin, end) = (span.from.max(at), span.until.min(until));
                if begin >= end {
                    continue;
                }
                self.blame(wait, (at, begin), depth);
                self.follow(spans, span, (begin, end), depth + 1);
                at = end;
            }
        }
        self.blame(wait, (at, until), depth);
    }

    fn blame(&mut self, wait: &WaitSpan, (from, until): (i64, i64), depth: usize) {
        if from < until {
            let time = BlamedTime { from, until, wait: wait.key, is_indirect: depth > 0 };
            self.blamed[wait.key.cause.rank as usize].push(time);
        }
    }
}
