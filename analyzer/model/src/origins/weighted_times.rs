//! When something happened: the mean time and the spread about it. Each time has a weight.

/// Times in nanoseconds, which may be large: the mean is carried on, so that no digits are lost (after Welford, 1962).
#[derive(Clone, Copy, Default, Debug)]
pub struct WeightedTimes {
    weight: f64,
    mean: f64,
    /// Weighted sum of the squares of the distances from the mean.
    squares: f64,
}

impl WeightedTimes {
    pub fn add(&mut self, time: i64, weight: i64) {
        let (time, weight) = (time as f64, weight as f64);
        if weight > 0.0 {
            self.weight += weight;
            let distance = time - self.mean;
            self.mean += distance * weight / self.weight;
            self.squares += weight * distance * (time - self.mean);
        }
    }

    /// The share of the variance that lies between these: near 1 if each has a time of its own, near 0 if all have the same times.
    pub fn apart(all: &[WeightedTimes]) -> f64 {
        let weight: f64 = all.iter().map(|times| times.weight).sum();
        let mean = all.iter().map(|times| times.weight * times.mean).sum::<f64>() / weight.max(f64::MIN_POSITIVE);
        let between: f64 = all.iter().map(|times| times.weight * (times.mean - mean).powi(2)).sum();
        let within: f64 = all.iter().map(|times| times.squares).sum();
        between / (between + within).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_after_another_are_apart_and_times_in_turn_are_not() {
        let times = |of: fn(i64) -> i64| {
            let mut all = [WeightedTimes::default(); 3];
            for at in 0..300 {
                all[of(at) as usize].add(1_700_000_000_000_000_000 + at * 1_000_000, 5_000);
            }
            WeightedTimes::apart(&all)
        };
        assert!(times(|at| at / 100) > 0.85);
        assert!(times(|at| at % 3) < 0.01);
        assert_eq!(WeightedTimes::apart(&[WeightedTimes::default()]), 0.0);
    }
}
