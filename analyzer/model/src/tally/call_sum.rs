//! Number and durations of calls.

use crate::sums::Grow;

/// Sums kept for every call, small enough that two cache lines hold three.
#[derive(Clone, Copy)]
pub struct CallSum {
    pub count: u64,
    pub total: u64,
    pub min: u64,
    pub max: u64,
}

pub const NOTHING: CallSum = CallSum { count: 0, total: 0, min: u64::MAX, max: 0 };

impl CallSum {
    #[inline(always)]
    pub fn add(&mut self, duration: u64) {
        self.count.grow(1);
        self.total.grow(duration);
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
    }

    /// Adds a call that has not returned. It does not lower the minimum, since its duration may grow.
    pub fn open(&mut self, duration: u64) {
        self.count.grow(1);
        self.total.grow(duration);
        self.max = self.max.max(duration);
        if self.count == 1 {
            self.min = duration;
        }
    }

    pub fn merge(&mut self, other: &CallSum) {
        self.count.grow(other.count);
        self.total.grow(other.total);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}
