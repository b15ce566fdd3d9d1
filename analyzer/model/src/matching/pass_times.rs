//! How much the length of a run varies from one run to another, as far as the parts of one run show it.
//!
//! In: when a rank leaves a call, pass after pass. Out: a variance. Some passes that follow each other are a part, as many in each, so that
//! parts are alike if the program repeats itself; half the squares by which one differs from the next are its variance, however they drift (von
//! Neumann 1941). The run varies as all its parts do.

/// Parts that are told apart at least, once there were as many passes: the estimated standard deviation is then good to a fifth.
const PARTS: usize = 16;
/// Fewer parts show no variance.
const LEAST_PARTS: usize = 4;

/// Times at which a rank leaves a call: each, or of many every second, fourth and so on.
#[derive(Clone, Default, Debug)]
pub struct PassTimes {
    count: u64,
    /// Each part is of 2 to this power passes.
    width: u32,
    ends: Vec<i64>,
}

impl PassTimes {
    pub fn add(&mut self, time: i64) {
        if self.count.is_multiple_of(1 << self.width) {
            self.ends.push(time);
        }
        self.count += 1;
        if self.ends.len() > 2 * PARTS {
            self.width += 1;
            self.ends = self.ends.iter().step_by(2).copied().collect();
        }
    }

    /// The variance of a run of this length, nanoseconds; `None` if the call is made too seldom, or in less than half of the run.
    pub fn variance(&self, length: i64) -> Option<f64> {
        let parts: Vec<f64> = self.ends.windows(2).map(|ends| (ends[1] - ends[0]) as f64).collect();
        let span = self.ends.last()? - self.ends.first()?;
        if parts.len() < LEAST_PARTS || span.saturating_mul(2) < length || span == 0 {
            return None;
        }
        let squares: f64 = parts.windows(2).map(|pair| (pair[1] - pair[0]).powi(2) / 2.0).sum();
        let of_part = squares / (parts.len() - 1) as f64;
        Some(of_part * parts.len() as f64 * length as f64 / span as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes that take these times, by turns.
    fn passes(times: &[i64], count: usize) -> (PassTimes, i64) {
        let (mut passes, mut now) = (PassTimes::default(), 0);
        for time in times.iter().cycle().take(count) {
            passes.add(now);
            now += time;
        }
        (passes, now)
    }

    #[test]
    fn the_variance_of_a_run_is_that_of_all_its_passes() {
        let times = [1_000, 1_100, 900, 1_100, 1_000, 900, 1_000, 900, 1_100];
        let (passes, length) = passes(&times[..], 9);
        let squares = [100, 200, 200, 100, 100, 100, 100].map(|less: i64| (less * less) as f64 / 2.0);
        let expected = squares.iter().sum::<f64>() / 7.0 * 8.0 * length as f64 / 7_900.0;
        assert!((passes.variance(length).unwrap() / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn passes_that_alternate_are_alike_in_parts_of_many_and_growing_ones_nearly() {
        let (alternating, length) = passes(&[1_000, 3_000], 1_000);
        assert_eq!(alternating.variance(length), Some(0.0));
        let growing: Vec<i64> = (0..1_000).map(|pass| 1_000 + pass).collect();
        let (growing, length) = passes(&growing, 1_000);
        assert!(growing.variance(length).unwrap().sqrt() < length as f64 / 20.0);
    }

    #[test]
    fn few_passes_and_those_of_less_than_half_of_the_run_show_nothing() {
        let (few, length) = passes(&[1_000], LEAST_PARTS);
        assert_eq!(few.variance(length), None);
        let (many, length) = passes(&[1_000], 100);
        assert_eq!((many.variance(length), many.variance(3 * length)), (Some(0.0), None));
    }
}
