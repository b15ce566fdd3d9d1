//! A mean over ranks with its confidence interval, from batches of values.

use statrs::distribution::{ContinuousCDF, StudentsT};

use model::batches::ValueBatch;

/// A mean and its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    /// The mean of the ranks' means.
    pub value: f64,
    /// The 95 % confidence interval; `None` with fewer batches than `FEWEST`.
    pub between: Option<(f64, f64)>,
}

/// With fewer batches, the variance between them is too uncertain for an interval.
const FEWEST: usize = 6;

impl Mean {
    /// The mean of `figure` over each rank's batches, then over ranks. Each rank weighs the same, as in benchmarks. The
    /// interval is Student's, from the variance between a rank's batches.
    pub fn of<'a, const N: usize, R>(ranks: R, figure: impl Fn(&ValueBatch<N>) -> f64) -> Option<Mean>
    where
        R: IntoIterator<Item = &'a [ValueBatch<N>]>,
    {
        let of_ranks: Vec<BatchScatter> =
            ranks.into_iter().filter_map(|batches| BatchScatter::of(batches, &figure)).collect();
        let count = of_ranks.len() as f64;
        if of_ranks.is_empty() {
            return None;
        }
        let value = of_ranks.iter().map(|rank| rank.mean).sum::<f64>() / count;
        let batches: usize = of_ranks.iter().map(|rank| rank.batches).sum();
        let reach = || {
            let variance: Option<f64> = of_ranks.iter().map(|rank| rank.variance).sum();
            let freedom = (batches - of_ranks.len()) as f64;
            let student = student_t(freedom)?;
            Some(student * variance?.sqrt() / count)
        };
        let reach = if batches >= FEWEST { reach() } else { None };
        Some(Mean { value, between: reach.map(|reach| (value - reach, value + reach)) })
    }
}

/// The mean of one rank's batches, and the variance of that mean.
struct BatchScatter {
    mean: f64,
    variance: Option<f64>,
    batches: usize,
}

impl BatchScatter {
    fn of<const N: usize>(batches: &[ValueBatch<N>], figure: impl Fn(&ValueBatch<N>) -> f64) -> Option<BatchScatter> {
        let weight = |batch: &ValueBatch<N>| batch.count as f64;
        let all: f64 = batches.iter().map(weight).sum();
        if all <= 0.0 {
            return None;
        }
        let mean = batches.iter().map(|batch| weight(batch) * figure(batch)).sum::<f64>() / all;
        let squares: f64 = batches.iter().map(|batch| weight(batch) * (figure(batch) - mean).powi(2)).sum();
        let freedom = batches.len() as f64 - 1.0;
        let variance = (freedom > 0.0).then(|| squares / all / freedom);
        Some(BatchScatter { mean, variance, batches: batches.len() })
    }
}

/// The factor of a standard error that makes it a 95 % interval. `None` without a degree of freedom.
pub fn student_t(freedom: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::batches::Batches;

    fn batches(values: impl Iterator<Item = u64>) -> Batches<1> {
        let mut batches = Batches::default();
        for (number, value) in (0..).zip(values) {
            batches.add(number, [value]);
        }
        batches
    }

    fn mean(ranks: &[&Batches<1>]) -> Option<Mean> {
        Mean::of(ranks.iter().map(|rank| rank.settled()), |batch| batch.mean(0))
    }

    #[test]
    fn each_rank_weighs_the_same_and_the_first_values_do_not_count() {
        let (one, other) =
            (batches(std::iter::repeat_n(10, 10)), batches((0..110).map(|n| if n < 10 { 999 } else { 20 })));
        let found = mean(&[&one, &other]).unwrap();
        assert_eq!((found.value, found.between), (15.0, Some((15.0, 15.0))));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn the_interval_is_students_by_the_scatter_of_the_batches() {
        // Eight values, eight batches: mean 4.5, the mean's variance 6 / 8, and Student's factor for seven is 2.365.
        let found = mean(&[&batches(1..=8)]).unwrap();
        let (least, most) = found.between.unwrap();
        assert!((most - 4.5 - 2.3646 * (6.0f64 / 8.0).sqrt()).abs() < 1e-3, "{found:?}");
        assert!((4.5 - least - (most - 4.5)).abs() < 1e-9, "{found:?}");
        assert_eq!(mean(&[&batches(1..=5)]).unwrap().between, None);
    }
}
