//! How times of the same thing are spread.

/// A time is a maverick above this, in the median, where it is also beyond the upper quartile by three times the distance of the
/// quartiles, Tukey's mark of what is far out.
const MAVERICK: f64 = 1.5;
/// Of fewer times nobody can say what is usual.
const LEAST_TIMES: usize = 8;

/// Times in seconds, the shortest first; at least one.
pub struct Spread(Vec<f64>);

impl Spread {
    /// Of times in nanoseconds; `None` where there are none.
    pub fn of(times: impl Iterator<Item = i64>) -> Option<Spread> {
        let mut times: Vec<f64> = times.map(|time| time as f64 / 1e9).collect();
        times.sort_by(f64::total_cmp);
        (!times.is_empty()).then_some(Spread(times))
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
        let middle = self.0.len() / 2;
        if self.0.len() % 2 == 1 { self.0[middle] } else { (self.0[middle - 1] + self.0[middle]) / 2.0 }
    }

    /// Between which the median lies with at least 95 % confidence, whatever the times' distribution: by their order. `None` of fewer
    /// than six times, whose shortest and longest do not hold it so surely.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let count = self.0.len();
        let aside = (count as f64 / 2.0 - 0.98 * (count as f64).sqrt()).floor().max(0.0) as usize;
        (count >= 6).then(|| (self.0[aside], self.0[count - 1 - aside]))
    }

    /// Whether one of them is far longer than the others.
    pub fn is_maverick(&self, time: f64) -> bool {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        self.0.len() >= LEAST_TIMES && time > high + 3.0 * (high - low) && time > MAVERICK * self.median()
    }
}
