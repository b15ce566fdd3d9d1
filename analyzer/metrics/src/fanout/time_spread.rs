//! The distribution of repeated times.

use crate::mean::Mean;
use crate::median::{self, median};
use model::batches::Batches;

/// A maverick takes longer than this many medians, and lies beyond the upper quartile by three times the distance of
/// the quartiles, Tukey's mark for values that are far out.
const MAVERICK: f64 = 1.5;
/// With fewer times, none is called a maverick.
const LEAST_TIMES: usize = 8;

/// Times in seconds, the shortest first. There is at least one.
#[derive(Clone)]
pub struct TimeSpread(Vec<f64>);

impl TimeSpread {
    /// From times in nanoseconds; `None` if there are none.
    pub fn of(times: impl Iterator<Item = i64>) -> Option<TimeSpread> {
        let mut times: Vec<f64> = times.map(|time| time as f64 / 1e9).collect();
        times.sort_by(f64::total_cmp);
        (!times.is_empty()).then_some(TimeSpread(times))
    }

    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    pub fn least(&self) -> f64 {
        self.0[0]
    }

    pub fn most(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The shortest time that is not exceeded by `share` (0 to 1) of them.
    pub fn quantile(&self, share: f64) -> f64 {
        let place = (share * self.0.len() as f64).ceil() as usize;
        self.0[place.clamp(1, self.0.len()) - 1]
    }

    pub fn median(&self) -> f64 {
        median(self.0.iter().copied()).unwrap_or(self.0[0])
    }

    /// The 95 % confidence interval of the median; `None` with too few times.
    pub fn interval(&self) -> Option<(f64, f64)> {
        median::interval(&self.0)
    }

    /// True if a time is far longer than the others.
    pub fn is_maverick(&self, time: f64) -> bool {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        self.0.len() >= LEAST_TIMES && time > high + 3.0 * (high - low) && time > MAVERICK * self.median()
    }
}

/// The mean in seconds of times in nanoseconds, in order, without the first.
pub fn settled_mean(times: &[i64]) -> Option<Mean> {
    let mut batches = Batches::<1>::default();
    for (number, time) in (0..).zip(times) {
        batches.add(number, [(*time).max(0) as u64]);
    }
    Mean::of([batches.settled()], |batch| batch.mean(0) / 1e9)
}
