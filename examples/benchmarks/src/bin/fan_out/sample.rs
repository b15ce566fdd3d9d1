//! What is said of many times of the same thing.

/// Times, the shortest first.
pub struct Sample(Vec<f64>);

/// A round is a maverick above this, in the median, where it is also beyond the upper quartile by three times the middle half's width.
const MAVERICK: f64 = 1.5;

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
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The least of the times that so large a share of them does not exceed.
    pub fn quantile(&self, share: f64) -> f64 {
        let place = (share * self.0.len() as f64).ceil() as usize;
        self.0[place.clamp(1, self.0.len()) - 1]
    }

    pub fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        if self.0.len() % 2 == 1 { self.0[middle] } else { (self.0[middle - 1] + self.0[middle]) / 2.0 }
    }

    /// Between which the median lies with 95 % confidence, whatever the times' distribution: by their order.
    pub fn interval(&self) -> (f64, f64) {
        let count = self.0.len() as f64;
        let aside = (count / 2.0 - 0.98 * count.sqrt()).floor().max(0.0) as usize;
        (self.0[aside], self.0[self.0.len() - 1 - aside])
    }

    pub fn is_maverick(&self, time: f64) -> bool {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        time > high + 3.0 * (high - low) && time > MAVERICK * self.median()
    }
}
