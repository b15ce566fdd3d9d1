//! Statistics of repeated times.

use benchmarks::statistics::{DISTURBED, interval, mean, median, quantile};

/// Times, the shortest first.
pub struct Sample(Vec<f64>);

impl Sample {
    pub fn new(mut times: Vec<f64>) -> Sample {
        assert!(!times.is_empty());
        times.sort_by(f64::total_cmp);
        Sample(times)
    }

    pub fn least(&self) -> f64 {
        self.0[0]
    }

    pub fn most(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    pub fn mean(&self) -> f64 {
        mean(&self.0)
    }

    pub fn quantile(&self, share: f64) -> f64 {
        quantile(&self.0, share)
    }

    pub fn median(&self) -> f64 {
        median(&self.0)
    }

    pub fn interval(&self) -> Option<(f64, f64)> {
        interval(&self.0)
    }

    /// True if a time was disturbed and also lies beyond the upper quartile by three times the interquartile range.
    pub fn is_maverick(&self, time: f64) -> bool {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        time > high + 3.0 * (high - low) && time > DISTURBED * self.median()
    }
}
