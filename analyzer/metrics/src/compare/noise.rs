//! Tests whether two sides of several runs each differ by more than their own runs do.
//!
//! Welch's unequal variances t-test (Biometrika 34, 1947). If all values are positive it compares their logarithms,
//! that is, the ratio of B to A. Many figures are judged together by Holm's procedure (Scandinavian Journal of
//! Statistics 6, 1979).

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence of intervals and verdicts.
const CONFIDENCE: f64 = 0.95;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Test {
    /// The probability of a difference at least as large between sides that do not differ.
    pub p: f64,
    /// The interval of the ratio of B to A at [`CONFIDENCE`]; `None` if a value is not positive.
    pub ratio: Option<(f64, f64)>,
}

/// Tests two sides. `None` if a side has less than two runs, which say nothing about noise.
pub fn test(a: &[f64], b: &[f64]) -> Option<Test> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let is_positive = a.iter().chain(b).all(|value| *value > 0.0);
    let moments = |values: &[f64]| Moments::of(values, if is_positive { f64::ln } else { |value| value });
    let (a, b) = (moments(a), moments(b));
    let difference = b.mean - a.mean;
    let (part_a, part_b) = (a.variance / a.count, b.variance / b.count);
    let error = (part_a + part_b).sqrt();
    if error == 0.0 {
        let p = if difference == 0.0 { 1.0 } else { 0.0 };
        let ratio = is_positive.then(|| (difference.exp(), difference.exp()));
        return Some(Test { p, ratio });
    }
    // The degrees of freedom after Welch and Satterthwaite.
    let freedom = (part_a + part_b).powi(2) / (part_a.powi(2) / (a.count - 1.0) + part_b.powi(2) / (b.count - 1.0));
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let p = 2.0 * distribution.sf((difference / error).abs());
    let reach = distribution.inverse_cdf(0.5 + CONFIDENCE / 2.0) * error;
    let ratio = is_positive.then(|| ((difference - reach).exp(), (difference + reach).exp()));
    Some(Test { p, ratio })
}

/// Applies Holm's procedure to a family of tests: true for each test that shows a difference. If nothing differs, at
/// most one in twenty such families shows any.
pub fn differ(p: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    let left = |place: usize| (p.len() - place) as f64;
    let rejected = order.iter().enumerate().take_while(|(place, at)| p[**at] * left(*place) < 1.0 - CONFIDENCE).count();
    let mut differ = vec![false; p.len()];
    for at in &order[..rejected] {
        differ[*at] = true;
    }
    differ
}

/// True if one test, judged alone, shows a difference.
pub fn differs(test: &Test) -> bool {
    differ(&[test.p])[0]
}

struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(values: &[f64], scale: fn(f64) -> f64) -> Moments {
        let count = values.len() as f64;
        let mean = values.iter().copied().map(scale).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (scale(*value) - mean).powi(2)).sum();
        Moments { count, mean, variance: squares / (count - 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::{differ, test};

    #[test]
    fn sides_that_differ_by_less_than_their_runs_do_are_not_told_apart() {
        let same = test(&[1.00, 1.10, 0.95], &[1.02, 1.08, 0.97]).unwrap();
        assert!(same.p > 0.5, "{same:?}");
        let (low, high) = same.ratio.unwrap();
        assert!(low < 1.0 && high > 1.0);
    }

    /// The values of scipy.stats.ttest_ind(equal_var=False): t = -12.247, 4 degrees of freedom.
    #[test]
    fn sides_that_differ_by_more_are() {
        let differ = test(&[-1.0, 0.0, 1.0], &[9.0, 10.0, 11.0]).unwrap();
        assert!((differ.p - 2.552e-4).abs() < 1e-6, "{differ:?}");
        assert_eq!(differ.ratio, None);
    }

    #[test]
    fn one_run_a_side_says_nothing_of_noise() {
        assert_eq!(test(&[1.0], &[2.0, 2.0]), None);
        assert_eq!(test(&[1.0, 1.0], &[2.0]), None);
    }

    #[test]
    fn what_never_varies_differs_by_anything() {
        assert_eq!(test(&[3.0, 3.0], &[3.0, 3.0]).unwrap().p, 1.0);
        assert_eq!(test(&[3.0, 3.0], &[6.0, 6.0]).unwrap().p, 0.0);
    }

    #[test]
    fn among_many_tests_one_that_chance_makes_small_is_not_believed() {
        let mut many = vec![0.5; 40];
        many[7] = 0.01;
        assert!(!differ(&many).contains(&true));
        many[7] = 0.001;
        assert_eq!(differ(&many).iter().position(|differs| *differs), Some(7));
    }
}
