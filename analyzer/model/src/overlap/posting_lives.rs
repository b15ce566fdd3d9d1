//! Requests that were posted at one place, by one rank: those that were waited for right after, and the others.
//!
//! What lies between post and wait tells. Where that is short it may be the recorder's time or a short computation: then all of a
//! place that are alike in this count as those that they are nearest to.

use super::life::{LIFE_PARTS, Lives, RequestLife};
use super::rule::BoundRule;
use crate::batches::Batches;

/// See the module.
#[derive(Clone, Default, Debug)]
pub struct PostingLives {
    /// Their lives.
    pub lives: Lives,
    /// Those that were waited for right after in the order of their ends, and the others.
    pub batches: [Batches<LIFE_PARTS>; 2],
    /// Those of which that is not clear yet.
    unclear: (Lives, Batches<LIFE_PARTS>),
    count: u64,
    /// Which batches have the last one: of the two above, or the third.
    last: usize,
}

/// A share that is not of a few disturbed ones.
const MANY: f64 = 0.04;
/// What lies between post and wait differs by so much where some compute there and some do not.
const APART: f64 = 3.0;
/// Nanoseconds that nothing is shorter than.
const SHORTEST: f64 = 20.0;

impl PostingLives {
    /// One more.
    pub fn add(&mut self, life: RequestLife, rule: BoundRule) {
        self.last = if life.is_unclear() { 2 } else { usize::from(!life.is_direct()) };
        let number = self.count;
        self.of_last().add(number, life.parts());
        self.count += 1;
        match self.last {
            2 => self.unclear.0.add(life, rule, false),
            last => self.lives.add(life, rule, last == 0),
        }
    }

    /// So long behind the last one the next call began.
    pub fn next_call(&mut self, behind: u64) {
        self.lives.behind.add(behind);
        let number = self.count.saturating_sub(1);
        self.of_last().add_to(number, [0, 0, 0, 0, 0, 0, 0, behind]);
    }

    /// All are known: the unclear ones count as what they are nearest to.
    pub fn settle(&mut self) {
        let (unclear, batches) = std::mem::take(&mut self.unclear);
        let is_direct = self.is_nearer_to_direct(&unclear);
        self.batches[usize::from(!is_direct)].merge(&batches);
        self.lives.merge(&if is_direct { unclear.as_direct() } else { unclear });
    }

    fn is_nearer_to_direct(&self, unclear: &Lives) -> bool {
        let own = typical(unclear.of_postponed.values());
        let known = |count: u64| count as f64 >= MANY * self.count as f64 && count > 0;
        let direct = known(self.lives.of_direct.count()).then(|| typical(self.lives.of_direct.values()));
        let later = known(self.lives.of_postponed.count()).then(|| typical(self.lives.of_postponed.values()));
        // Each is short for its own life: a gap behind which caches are cold, beside one that is not.
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

/// The median of what lies between post and wait.
fn typical<'a>(lives: impl Iterator<Item = &'a RequestLife>) -> f64 {
    let mut computing: Vec<u64> = lives.map(RequestLife::computing).collect();
    computing.sort_unstable();
    computing.get(computing.len() / 2).map_or(SHORTEST, |middle| (*middle as f64).max(SHORTEST))
}
