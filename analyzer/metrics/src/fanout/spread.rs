//! How times of the same thing are spread.

use crate::median::{self, median};

/// A time is a maverick above this, in the median, where it is also beyond the upper quartile by three times the distance of the
/// quartiles, Tukey's mark of what is far out.
const MAVERICK: f64 = 1.5;
/// Of fewer times nobody can say what is usual.
const LEAST_TIMES: usize = 8;

/// Times in seconds, the shortest first; at least one.
pub struct TimeSpread(Vec<f64>);

impl TimeSpread {
    /// Of times in nanoseconds; `None` where there are none.
    pub fn of(times: impl Iterator<Item = i64>) -> Option<TimeSpread> {
        let mut times: Vec<f64> = times.map(|time| time as f64 / 1e9).collect();
        times.sort_by(f64::total_cmp);
        (!times.is_empty()).then_some(TimeSpread(times))
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The shortest.
    pub fn least(&self) -> f64 {
        self.0[0]
    }

    /// The longest.
    pub fn most(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// All by their number.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The least of them that so large a share does not exceed.
    pub fn quantile(&self, share: f64) -> f64 {
        let place = (share * self.0.len() as f64).ceil() as usize;
        self.0[place.clamp(1, self.0.len()) - 1]
    }

    /// The one in the middle.
    pub fn median(&self) -> f64 {
        median(self.0.iter().copied()).unwrap_or(self.0[0])
    }

    /// Between which the median lies with 95 % confidence. `None` of too few times.
    pub fn interval(&self) -> Option<(f64, f64)> {
        median::interval(&self.0)
    }

    /// Whether one of them is far longer than the others.
    pub fn is_maverick(&self, time: f64) -> bool {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        self.0.len() >= LEAST_TIMES && time > high + 3.0 * (high - low) && time > MAVERICK * self.median()
    }
}
