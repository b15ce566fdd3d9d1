//! The time of a line's calls in each tenth of the run, to tell calls that take longer and longer.

use crate::run_parts::PARTS;
use crate::sums::{Grow, Total};

pub const TENTHS: usize = 10;

/// Calls at one line in a tenth of the run. Times in nanoseconds, without waits that were found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TenthOfCalls {
    pub count: u64,
    pub time: i64,
    pub bytes: u64,
    /// Sum of their logarithms: its mean does not follow a few long calls.
    pub logs: u64,
}

/// Calls at one line of a rank, by the tenth of the run in which they began.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallsOverRun {
    pub tenths: [TenthOfCalls; TENTHS],
}

/// Calls that took longer and longer. Nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Growth {
    /// Mean time of a call in the first tenth of the run and in the last one.
    pub first: f64,
    pub last: f64,
    /// Time beyond what all calls would have taken as the first ones did.
    pub beyond: f64,
}

/// A mean of fewer calls may be that of one long call.
const LEAST_CALLS: u64 = 10;
/// In 102 recorded runs, calls that searched ever more messages or receives took 6.4 to 13 times as long in the last tenth as in the first, and
/// no others of the same size that took 2 % of the run and grew steadily more than 1.2 times.
const LEAST_GROWTH: f64 = 2.0;
/// Steps of a logarithm from one power of two to the next.
const STEPS: u64 = 16;
/// Sizes that differ by less are the same.
const SAME_SIZE: f64 = 0.01;

impl CallsOverRun {
    /// Adds calls that began in a [part](PARTS) of the run.
    #[inline]
    pub fn add(&mut self, part: usize, count: u64, time: i64, bytes: u64) {
        let Some(tenth) = self.tenths.get_mut(part * TENTHS / PARTS) else { return };
        tenth.logs.grow(logarithm(time.max(1) as u64));
        tenth.count.grow(count);
        tenth.time.grow(time);
        tenth.bytes.grow(bytes);
    }

    /// Growth of the time of calls of one size over the whole run; `None` if they did not, or not steadily.
    pub fn growth(&self) -> Option<Growth> {
        let [first, .., last] = &self.tenths;
        if self.tenths.iter().any(|tenth| tenth.count < LEAST_CALLS) {
            return None;
        }
        let size = |tenth: &TenthOfCalls| tenth.bytes as f64 / tenth.count as f64;
        let is_of_same_size = |tenth: &TenthOfCalls| (size(tenth) - size(first)).abs() <= SAME_SIZE * size(first);
        // Most calls take longer: what the scheduler adds falls on some of them.
        let is_longer = first.mean() * LEAST_GROWTH <= last.mean() && first.middle() * LEAST_GROWTH <= last.middle();
        let is_steady = self.tenths.windows(5).all(|few| few[4].mean() > few[0].mean());
        if !(is_longer && is_steady && self.tenths.iter().all(is_of_same_size)) {
            return None;
        }
        // By a line through the means of both tenths: the first tenth has grown, too.
        let all: u64 = self.tenths.iter().map(|tenth| tenth.count).total();
        let between = all as f64 - (first.count + last.count) as f64 / 2.0;
        let more = (last.mean() - first.mean()) / between;
        let at_begin = (first.mean() - more * first.count as f64 / 2.0).max(0.0);
        let beyond = self.tenths.iter().map(|tenth| tenth.time).total() as f64 - at_begin * all as f64;
        Some(Growth { first: first.mean(), last: last.mean(), beyond })
    }
}

/// The logarithm to base 2 in steps of a sixteenth, straight between two powers.
#[inline]
fn logarithm(time: u64) -> u64 {
    let power = u64::from(time.max(1).ilog2());
    let rest = time - (1 << power);
    STEPS * power + ((rest * STEPS) >> power)
}

impl TenthOfCalls {
    fn mean(&self) -> f64 {
        self.time as f64 / self.count.max(1) as f64
    }

    /// The time in the middle of those of its calls, by their logarithms.
    fn middle(&self) -> f64 {
        (self.logs as f64 / (self.count.max(1) * STEPS) as f64).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hundred calls, each of the time and the size that the function gives for its number.
    fn calls(each: impl Fn(i64) -> (i64, u64)) -> CallsOverRun {
        let mut over_run = CallsOverRun::default();
        for at in 0..200 {
            let (time, bytes) = each(at);
            over_run.add(at as usize * PARTS / 200, 1, time, bytes);
        }
        over_run
    }

    #[test]
    fn calls_that_take_longer_and_longer_grow_by_what_lies_beyond_their_first_tenth() {
        let growth = calls(|at| (1_000 + 10 * at, 8)).growth().unwrap();
        assert_eq!((growth.first, growth.last), (1_095.0, 2_895.0));
        assert_eq!(growth.beyond, 200_000.0, "the first call is said to take 995");
    }

    #[test]
    fn calls_that_grow_for_another_reason_do_not_count() {
        assert_eq!(calls(|_| (1_000, 8)).growth(), None);
        assert_eq!(calls(|at| (1_000 + 10 * at, 8 + at as u64)).growth(), None, "there is more to send");
        assert_eq!(calls(|at| (if at < 180 { 1_000 } else { 9_000 }, 8)).growth(), None, "one phase of the run");
        let delayed = |at: i64| (if at % 10 == 0 { 1_000 + 200 * at } else { 1_000 }, 8);
        assert_eq!(calls(delayed).growth(), None, "most calls are as short as ever");
    }
}
