//! Sorts the requests of one posting into those that were waited for at once and the others.
//!
//! The time between post and wait decides. If it is short, it may be the recorder's or a short computation; then all such
//! requests of the posting count with the kind that they are nearest to.

use super::life::{LIFE_PARTS, Lives, RequestLife};
use super::passes::{Pass, Passes};
use super::rule::BoundRule;
use crate::batches::Batches;

#[derive(Clone, Default, Debug)]
pub struct PostingLives {
    pub lives: Lives,
    /// Batches in the order of the ends: requests waited for at once, and the others.
    pub batches: [Batches<LIFE_PARTS>; 2],
    /// The passes that a benchmark would print, of both kinds.
    pub passes: [Option<Pass>; 2],
    open_passes: Passes,
    /// Requests that are unclear so far.
    unclear: (Lives, Batches<LIFE_PARTS>),
    count: u64,
    /// Index of the batches with the last request; 2 stands for the unclear ones.
    last: usize,
}

/// A larger share than this is not due to a few disturbed requests.
const MANY: f64 = 0.04;
/// Ratio of the times between post and wait that tells requests with computation from those without.
const APART: f64 = 3.0;
/// Lower limit for times between post and wait, nanoseconds.
const SHORTEST: f64 = 20.0;

impl PostingLives {
    /// Adds a request that was posted in the row of iterations with this number.
    pub fn add(&mut self, life: RequestLife, row: u64, rule: BoundRule) {
        self.last = if life.is_unclear() { 2 } else { usize::from(!life.is_direct()) };
        let number = self.count;
        self.of_last().add(number, life.parts());
        self.open_passes.add(row, self.last, life.parts());
        self.count += 1;
        match self.last {
            2 => self.unclear.0.add(life, rule, false),
            last => self.lives.add(life, rule, last == 0),
        }
    }

    /// Adds the time from the end of the last request to the next call.
    pub fn next_call(&mut self, behind: u64) {
        self.lives.behind.add(behind);
        let number = self.count.saturating_sub(1);
        let behind = [0, 0, 0, 0, 0, 0, 0, behind];
        self.of_last().add_to(number, behind);
        self.open_passes.add_to_last(behind);
    }

    /// Assigns the unclear requests to the kind that they are nearest to; all requests are known.
    pub fn settle(&mut self) {
        let (unclear, batches) = std::mem::take(&mut self.unclear);
        let is_direct = self.is_nearer_to_direct(&unclear);
        self.batches[usize::from(!is_direct)].merge(&batches);
        self.passes = std::mem::take(&mut self.open_passes).settled(is_direct);
        self.lives.merge(&if is_direct { unclear.as_direct() } else { unclear });
    }

    fn is_nearer_to_direct(&self, unclear: &Lives) -> bool {
        let own = typical(unclear.of_postponed.values());
        let known = |count: u64| count as f64 >= MANY * self.count as f64 && count > 0;
        let direct = known(self.lives.of_direct.count()).then(|| typical(self.lives.of_direct.values()));
        let later = known(self.lives.of_postponed.count()).then(|| typical(self.lives.of_postponed.values()));
        // Each is short relative to its own life: caches are cold in some gaps and warm in others.
        let is_short = || {
            let lives = || unclear.of_postponed.values();
            2 * lives().filter(|life| life.is_direct()).count() > lives().count()
        };
        match (direct, later) {
            (Some(direct), Some(later)) => own * own <= direct * later,
            (Some(direct), None) => own <= APART * direct || is_short(),
            (None, Some(_)) if unclear.requests > self.lives.of_postponed.count() => is_short(),
            (None, Some(later)) => own * APART < later,
            (None, None) => is_short(),
        }
    }

    fn of_last(&mut self) -> &mut Batches<LIFE_PARTS> {
        match self.last {
            2 => &mut self.unclear.1,
            last => &mut self.batches[last],
        }
    }
}

/// Median time between post and wait, nanoseconds.
fn typical<'a>(lives: impl Iterator<Item = &'a RequestLife>) -> f64 {
    let mut computing: Vec<u64> = lives.map(RequestLife::computing).collect();
    computing.sort_unstable();
    computing.get(computing.len() / 2).map_or(SHORTEST, |middle| (*middle as f64).max(SHORTEST))
}
