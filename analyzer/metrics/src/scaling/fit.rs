//! Fits a time as a function of the number of ranks, in the normal form of Calotoiu, Hoefler, Poke and Wolf, "Using
//! automated performance modeling to find scalability bugs in complex codes", SC 2013: a constant plus one growing
//! term.
//!
//! Residuals are relative, since the times of many ranks would outweigh those of few. Terms are compared by
//! cross-validation: how well they predict each number of ranks when it is left out. A term that predicts hardly better
//! than a constant is rejected.

use crate::least_squares::Sums;
use crate::mean::student_t;

/// The term in p, the number of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// No term.
    Constant,
    /// 1/p, for work that is divided.
    Inverse,
    /// log2 p.
    Log,
    /// p.
    Linear,
    /// p log2 p.
    LinearLog,
    /// p^2.
    Square,
}

/// A fitted model and its errors.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub term: Term,
    /// Seconds that do not depend on the number of ranks.
    pub constant: f64,
    /// Seconds for each unit of the term.
    pub factor: f64,
    /// The cross-validation error in percent: by how much the model misses numbers of ranks that it was not fitted to.
    pub error: f64,
    scatter: Scatter,
}

/// A predicted time, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expected {
    /// The prediction of the best model.
    pub time: f64,
    /// The lower end over all models that are not ruled out, each with its 95 % interval.
    pub low: f64,
    /// The upper end over these models.
    pub high: f64,
}

/// The uncertainty of a fitted line.
#[derive(Clone, Copy, Default, Debug)]
struct Scatter {
    /// The variance of the relative residuals.
    variance: f64,
    freedom: f64,
    /// The inverse of the normal equations' matrix: the entry for the constant, the mixed entry, and that for the
    /// factor.
    inverse: [f64; 3],
}

const ALL: [Term; 6] = [Term::Constant, Term::Inverse, Term::Log, Term::Linear, Term::LinearLog, Term::Square];
/// A term must have at most this share of the constant's error.
const BETTER: f64 = 0.8;
/// A model with a larger error, in percent, predicts nothing at ten times the ranks.
const MOST: f64 = 20.0;
/// Models with up to this many times the best model's error are not ruled out.
const NOT_RULED_OUT: f64 = 1.5;

impl Term {
    /// The term as a formula.
    pub fn name(self) -> &'static str {
        match self {
            Term::Constant => "constant",
            Term::Inverse => "1/p",
            Term::Log => "log p",
            Term::Linear => "p",
            Term::LinearLog => "p log p",
            Term::Square => "p^2",
        }
    }

    /// The term's value.
    pub fn at(self, ranks: f64) -> f64 {
        match self {
            Term::Constant => 0.0,
            Term::Inverse => 1.0 / ranks,
            Term::Log => ranks.log2(),
            Term::Linear => ranks,
            Term::LinearLog => ranks * ranks.log2(),
            Term::Square => ranks * ranks,
        }
    }
}

/// The model that describes the times best, then others that are not ruled out. `points` are pairs of ranks and
/// seconds. Empty with fewer than three numbers of ranks above 1, if a time is 0, or if nothing fits. A single rank
/// does not communicate, so it is in no model.
pub fn models(points: &[(f64, f64)]) -> Vec<Model> {
    let points: Vec<(f64, f64)> = points.iter().filter(|point| point.0 > 1.0).copied().collect();
    let mut counts: Vec<f64> = points.iter().map(|point| point.0).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    if counts.len() < 3 || points.iter().any(|point| point.1 <= 0.0) {
        return Vec::new();
    }
    let mut all: Vec<Model> = ALL.iter().filter_map(|term| Model::of(*term, &points, &counts)).collect();
    all.sort_by(|one, other| one.error.total_cmp(&other.error));
    let constant = all.iter().position(|model| model.term == Term::Constant);
    if let (Some(best), Some(constant)) = (all.first().map(|best| best.error), constant)
        && best > BETTER * all[constant].error
    {
        let constant = all.remove(constant);
        all.insert(0, constant);
    }
    let best = all.first().map_or(0.0, |best| best.error);
    all.retain(|model| model.error <= MOST && model.error <= NOT_RULED_OUT * best.max(0.1));
    all
}

/// The time that the models, the best first, predict at this number of ranks.
pub fn expected(models: &[Model], ranks: f64) -> Option<Expected> {
    let time = models.first()?.at(ranks);
    let spans = models.iter().map(|model| model.span(ranks));
    let (low, high) = spans.fold((time, time), |(low, high), span| (low.min(span.0), high.max(span.1)));
    Some(Expected { time, low: low.max(0.0), high })
}

impl Model {
    fn of(term: Term, points: &[(f64, f64)], counts: &[f64]) -> Option<Model> {
        let (constant, factor, inverse) = line(term, points)?;
        let is_line = term != Term::Constant && constant != 0.0;
        let model = Model { term, constant, factor, error: 0.0, scatter: Scatter::default() };
        let missed = |model: &Model, point: &(f64, f64)| (model.at(point.0) / point.1 - 1.0).powi(2);
        let freedom = points.len() as f64 - if is_line { 2.0 } else { 1.0 };
        let squares: f64 = points.iter().map(|point| missed(&model, point)).sum();
        let scatter = Scatter { variance: squares / freedom.max(1.0), freedom: freedom.max(1.0), inverse };
        let mut missed_by = 0.0;
        for left_out in counts {
            let others: Vec<_> = points.iter().filter(|point| point.0 != *left_out).copied().collect();
            let (constant, factor, _) = line(term, &others)?;
            let of_others = Model { constant, factor, ..model };
            let own = points.iter().filter(|point| point.0 == *left_out);
            missed_by += own.map(|point| missed(&of_others, point)).sum::<f64>();
        }
        Some(Model { error: 100.0 * (missed_by / points.len() as f64).sqrt(), scatter, ..model })
    }

    /// Seconds at this number of ranks.
    pub fn at(&self, ranks: f64) -> f64 {
        self.constant + self.factor * self.term.at(ranks)
    }

    /// The 95 % interval of the fitted line at this number of ranks.
    fn span(&self, ranks: f64) -> (f64, f64) {
        let (x, [a, b, d]) = (self.term.at(ranks), self.scatter.inverse);
        let variance = self.scatter.variance * (a + 2.0 * b * x + d * x * x);
        let reach = student_t(self.scatter.freedom).unwrap_or(0.0) * variance.max(0.0).sqrt();
        (self.at(ranks) - reach, self.at(ranks) + reach)
    }
}

/// The constant and the factor of least relative squares, neither negative, and the inverse matrix. `None` if the term
/// cannot be distinguished from a constant.
fn line(term: Term, points: &[(f64, f64)]) -> Option<(f64, f64, [f64; 3])> {
    let sums = points.iter().map(|(ranks, time)| Sums::of(term.at(*ranks), *time, 1.0 / (time * time)));
    let sums = sums.fold(Sums::default(), Sums::plus);
    if term == Term::Constant {
        return Some((sums.y / sums.one, 0.0, [1.0 / sums.one, 0.0, 0.0]));
    }
    let ([constant, factor], inverse) = sums.line()?;
    if factor <= 0.0 {
        return None;
    }
    if constant < 0.0 {
        return Some((0.0, sums.xy / sums.xx, [0.0, 0.0, 1.0 / sums.xx]));
    }
    Some((constant, factor, inverse))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::{Model, Scatter, Term, expected, models};

    /// Times from 4 to `most` ranks with errors of up to 1 %, three runs each.
    fn planted(term: Term, constant: f64, factor: f64, most: u32, seed: u64) -> Vec<(f64, f64)> {
        let mut random = StdRng::seed_from_u64(seed);
        let counts = (2..).map(|power| 1u32 << power).take_while(|count| *count <= most);
        let counts = counts.flat_map(|count| [f64::from(count); 3]);
        counts.map(|ranks| (ranks, (constant + factor * term.at(ranks)) * random.random_range(0.99..1.01))).collect()
    }

    #[test]
    fn planted_models_are_recovered_from_4_to_4096_ranks() {
        let terms = [
            (Term::Constant, 2.0, 0.0),
            (Term::Inverse, 0.1, 40.0),
            (Term::Log, 0.5, 0.3),
            (Term::Linear, 0.5, 0.02),
            (Term::LinearLog, 0.5, 0.004),
            (Term::Square, 0.5, 1e-4),
        ];
        for (term, constant, factor) in terms {
            for seed in 0..20 {
                let models = models(&planted(term, constant, factor, 4096, seed));
                let best = models.first().unwrap();
                assert_eq!(best.term, term, "seed {seed}: {models:?}");
                assert!((best.constant / constant - 1.0).abs() < 0.05, "{term:?}: {best:?}");
                assert!(term == Term::Constant || (best.factor / factor - 1.0).abs() < 0.05, "{term:?}: {best:?}");
            }
        }
    }

    #[test]
    fn what_is_expected_of_ten_times_the_ranks_has_the_truth_within_its_bounds() {
        let mut within = 0;
        for seed in 0..40 {
            let models = models(&planted(Term::LinearLog, 0.5, 0.004, 64, seed));
            let truth = 0.5 + 0.004 * Term::LinearLog.at(640.0);
            let expected = expected(&models, 640.0).unwrap();
            within += u32::from(expected.low <= truth && truth <= expected.high);
        }
        assert!(within >= 36, "{within} of 40");
    }

    #[test]
    fn where_all_times_lie_on_the_line_its_interval_is_the_line() {
        let points = [2.0, 4.0, 8.0, 16.0].map(|ranks| (ranks, 1.0 + 0.5 * ranks));
        let line = Model::of(Term::Linear, &points, &[2.0, 4.0, 8.0, 16.0]).unwrap();
        let (low, high) = line.span(100.0);
        assert!((low - 51.0).abs() < 1e-6 && (high - 51.0).abs() < 1e-6, "{low} to {high}");
    }

    #[test]
    fn the_interval_of_a_line_has_the_variances_of_both_its_parts_and_twice_their_covariance() {
        let scatter = Scatter { variance: 4.0, freedom: 10.0, inverse: [2.0, -0.25, 0.125] };
        let line = Model { term: Term::Linear, constant: 100.0, factor: 5.0, error: 0.0, scatter };
        // 4 (2 - 2 * 0.25 * 3 + 0.125 * 9) is 6.5; the 97.5th percentile of Student's t with 10 degrees of freedom is 2.2281.
        let reach = 2.2281 * 6.5f64.sqrt();
        let (low, high) = line.span(3.0);
        assert!((low - (115.0 - reach)).abs() < 1e-3 && (high - (115.0 + reach)).abs() < 1e-3, "{low} to {high}");
    }

    #[test]
    fn each_part_of_a_model_takes_a_degree_of_freedom() {
        let freedom = |term: Term, points: &[(f64, f64)]| {
            let counts: Vec<f64> = points.iter().map(|point| point.0).collect();
            Model::of(term, points, &counts).unwrap().scatter.freedom
        };
        let points = [(2.0, 3.1), (4.0, 4.9), (8.0, 9.1), (16.0, 16.9), (32.0, 33.1)];
        assert_eq!((freedom(Term::Constant, &points), freedom(Term::Linear, &points)), (4.0, 3.0));
        // The fitted constant would be negative, so the line has none.
        let steep = [(2.0, 0.5), (4.0, 2.6), (8.0, 7.4), (16.0, 17.5), (32.0, 37.0)];
        assert_eq!(freedom(Term::Linear, &steep), 4.0);
    }

    #[test]
    fn two_numbers_of_ranks_make_no_model() {
        assert!(models(&[(2.0, 1.0), (4.0, 2.0), (4.0, 2.1)]).is_empty());
        assert!(models(&[(2.0, 1.0), (4.0, 0.0), (8.0, 2.1)]).is_empty());
    }
}
