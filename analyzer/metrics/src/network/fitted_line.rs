//! A line through times by size: as COMMTEST defines it, and by least relative squares.

use super::points::Point;
use super::weighted_median::Spread;
use crate::least_squares::Sums;
use crate::mean::student_t;

/// The line `time = a + b * bytes`, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// The latency `a`, in seconds.
    pub a: Option<Spread>,
    /// The cost `b` of a byte, in seconds; `None` if no message has bytes.
    pub b: Option<Spread>,
    /// The mean relative error of the line, in percent.
    pub error: Option<f64>,
}

/// The least relative error of a measured time, however often it was measured: caches, alignment and the machine cause
/// that much.
const NOISE: f64 = 0.03;

/// The mean relative error, in percent, beyond which a line says nothing about the times: the sizes went different ways.
const MOST_ERROR: f64 = 100.0;

impl Line {
    /// The line as COMMTEST defines it. `b` is the least time per byte; `a` is the intercept of the line through the
    /// two smallest sizes, that is, the time that each further message adds to a fixed volume. A negative intercept is
    /// dropped, since it shows that the library sent the two sizes differently, as is one whose line misses the times by more than they are.
    pub fn by_spots(points: &[Point]) -> Line {
        let b = points.iter().filter(|point| point.bytes > 0).map(|point| point.time.times(1.0 / point.bytes as f64));
        let b = b.min_by(|one, other| one.median.total_cmp(&other.median));
        let a = points.first().zip(points.get(1)).map(|(one, two)| {
            let (x, y) = (one.bytes as f64, two.bytes as f64);
            let median = (one.time.median * y - two.time.median * x) / (y - x);
            let reach = one.time.reach().zip(two.time.reach());
            Spread::about(median, reach.map(|(one, two)| (one * y).hypot(two * x) / (y - x)))
        });
        let a = a.filter(|a| a.median >= 0.0);
        let error = a.zip(b).map(|(a, b)| error(points, a.median, b.median)).filter(|error| *error <= MOST_ERROR);
        Line { a: error.and(a), b, error }
    }

    /// The line of least relative squares, neither part negative, with 95 % intervals from its residuals. `None` with
    /// fewer than three points or a single size.
    pub fn through(points: &[Point]) -> Option<Line> {
        if points.len() < 3 {
            return None;
        }
        let sums: Sums = points.iter().map(sums_of).fold(Sums::default(), Sums::plus);
        let ([a, b], [of_a, _, of_b]) = sums.line()?;
        let (a, b, variance, parts) = match (a < 0.0, b < 0.0) {
            (true, _) => (0.0, sums.xy / sums.xx, [0.0, 1.0 / sums.xx], 1.0),
            (_, true) => (sums.y / sums.one, 0.0, [1.0 / sums.one, 0.0], 1.0),
            _ => (a, b, [of_a, of_b], 2.0),
        };
        let freedom = points.len() as f64 - parts;
        let scatter = sums.missed(a, b) / freedom;
        let student = student_t(freedom)?;
        let reach = |variance: f64| Some(student * (variance * scatter).max(0.0).sqrt());
        let (a_, b_) = (Spread::about(a, reach(variance[0])), Spread::about(b, reach(variance[1])));
        Some(Line { a: Some(a_), b: Some(b_), error: Some(error(points, a, b)) })
    }

    /// The time of a message of this size, in seconds.
    pub fn at(&self, bytes: u64) -> Option<f64> {
        Some(self.a?.median + self.b?.median * bytes as f64)
    }
}

fn error(points: &[Point], a: f64, b: f64) -> f64 {
    let missed = points.iter().map(|point| ((a + b * point.bytes as f64) / point.time.median - 1.0).abs());
    100.0 * missed.sum::<f64>() / points.len() as f64
}

/// The sums of one point.
pub fn sums_of(point: &Point) -> Sums {
    let y = point.time.median;
    let noise = point.time.reach().map_or(0.0, |reach| reach / 1.96 / y).max(NOISE);
    Sums::of(point.bytes as f64, y, 1.0 / (noise * y).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_known_latency_and_bandwidth_are_on_their_line() {
        let point = |bytes: u64| Point {
            bytes,
            count: 9,
            all: 9,
            time: Spread { median: 2e-6 + 1e-9 * bytes as f64, interval: None },
            mean: None,
            clock_error: 0.0,
        };
        let line = Line::through(&[8, 1_024, 65_536, 1_048_576].map(point)).unwrap();
        let is =
            |is: Option<Spread>, stated: f64| assert!((is.unwrap().median / stated - 1.0).abs() < 1e-6, "{line:?}");
        is(line.a, 2e-6);
        is(line.b, 1e-9);
        assert!((0.0..1e-4).contains(&line.error.unwrap()), "{line:?}");
        assert!((line.at(4_096).unwrap() / (2e-6 + 4.096e-6) - 1.0).abs() < 1e-6, "{line:?}");
    }

    #[test]
    fn the_intercept_of_two_spots_is_as_sure_as_both_of_them() {
        let spot = |bytes: u64, median: f64| Point {
            bytes,
            count: 9,
            all: 9,
            time: Spread::about(median, Some(100e-9)),
            mean: None,
            clock_error: 0.0,
        };
        let line = Line::by_spots(&[spot(8, 2e-6), spot(16, 3e-6)]);
        let a = line.a.unwrap();
        assert!((a.median / 1e-6 - 1.0).abs() < 1e-9, "{a:?}");
        // The intercept is (16 t1 - 8 t2) / 8. With 100 ns of error in each time, its error is 100 ns times the root of
        // 2^2 + 1^2.
        assert!((a.reach().unwrap() / (100e-9 * 5f64.sqrt()) - 1.0).abs() < 1e-9, "{a:?}");
        // The byte of the larger one is cheaper, so the line is at 2.5 and 4 µs there.
        let error = 100.0 * (0.5 / 2.0 + 1.0 / 3.0) / 2.0;
        assert!((line.error.unwrap() / error - 1.0).abs() < 1e-9, "{line:?}");
    }
}
