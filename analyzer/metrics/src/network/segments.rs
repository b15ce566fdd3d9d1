//! Finds the ranges of sizes that one line fits each, and so the sizes at which the library changes its protocol.
//!
//! In: points by size. Out: pieces with a line each. For a number of pieces, dynamic programming finds those with the
//! least sum of squares (Bellman and Roth 1969). The number is the largest that the Bayesian information criterion
//! accepts (Schwarz 1978) and at which each change shows: lines miss the points beyond it by more than the bends that
//! caches cause.

use super::fitted_line::{Line, sums_of};
use super::points::Point;
use crate::least_squares::Sums;

/// The fewest points of a piece: a line fits any two.
const LEAST: usize = 3;
/// A line must miss the nearest point of the next piece by this share; caches bend lines by less.
const JUMP: f64 = 0.2;
/// A line must also miss that point by this share of the smallest message's time. Another protocol costs another
/// message or saves a copy, whereas short messages just take a bit longer once they exceed a cache line or a packet.
const SMALLEST: f64 = 0.75;
/// A line must also miss that point by this many seconds, since a message in a window takes less than one alone.
const LEAST_JUMP: f64 = 0.3e-6;
/// Maximum number of points that are considered; sizes close to each other are merged.
const MOST: usize = 256;

/// A range of sizes that one line fits.
#[derive(Clone, Debug)]
pub struct Segment {
    pub points: Vec<Point>,
    pub line: Line,
}

/// The pieces in order of size; none with fewer than three sizes.
pub fn segments(points: &[Point]) -> Vec<Segment> {
    let points = thinned(points);
    let table = Costs::of(&points);
    let mut bounds = table.bounds(table.best());
    while bounds.len() > 2 && !all_show(&points, &bounds) {
        bounds = table.bounds(bounds.len() - 2);
    }
    let pieces = bounds.windows(2).map(|bound| &points[bound[0]..bound[1]]);
    pieces.filter_map(|piece| Some(Segment { points: piece.to_vec(), line: Line::through(piece)? })).collect()
}

/// The least cost of the first points in a number of pieces, and the begin of the last of these pieces. Indexed by the
/// number of pieces, then by the number of points.
struct Costs {
    count: usize,
    by_pieces: Vec<Vec<(f64, usize)>>,
}

/// Maximum number of changes to look for.
const CHANGES: usize = 8;

impl Costs {
    fn of(points: &[Point]) -> Costs {
        let count = points.len();
        let sums = points.iter().scan(Sums::default(), |sum, point| {
            *sum = sum.plus(sums_of(point));
            Some(*sum)
        });
        let sums: Vec<Sums> = std::iter::once(Sums::default()).chain(sums).collect();
        let mut none = vec![(f64::INFINITY, 0); count + 1];
        none[0].0 = 0.0;
        let mut by_pieces = vec![none];
        for _ in 0..=CHANGES.min((count / LEAST).saturating_sub(1)) {
            let before = &by_pieces[by_pieces.len() - 1];
            let mut costs = vec![(f64::INFINITY, 0); count + 1];
            for end in LEAST..=count {
                for begin in 0..=end - LEAST {
                    let cost = before[begin].0 + sums[end].minus(sums[begin]).least_missed();
                    if cost < costs[end].0 {
                        costs[end] = (cost, begin);
                    }
                }
            }
            by_pieces.push(costs);
        }
        Costs { count, by_pieces }
    }

    /// The number of pieces with the least cost, where each piece costs a penalty for the two parts of its line and for
    /// its begin.
    fn best(&self) -> usize {
        let penalty = 3.0 * (self.count.max(1) as f64).ln();
        let cost = |pieces: &usize| self.by_pieces[*pieces][self.count].0 + penalty * *pieces as f64;
        (1..self.by_pieces.len()).min_by(|one, other| cost(one).total_cmp(&cost(other))).unwrap_or(0)
    }

    /// The index of the first point of each piece, and then the number of points.
    fn bounds(&self, pieces: usize) -> Vec<usize> {
        let mut bounds = vec![self.count];
        for pieces in (1..=pieces).rev() {
            bounds.push(self.by_pieces[pieces][bounds[bounds.len() - 1]].1);
        }
        bounds.reverse();
        bounds
    }
}

/// True if each change is real: the line on one side must miss the nearest point of the other.
fn all_show(points: &[Point], bounds: &[usize]) -> bool {
    let smallest = points.first().map_or(0.0, |point| point.time.median);
    let misses = |from: usize, to: usize, point: &Point| {
        let time = Line::through(&points[from..to]).and_then(|line| line.at(point.bytes));
        // A line within the interval of the median does not miss it.
        let (least, most) = point.time.interval.unwrap_or((point.time.median, point.time.median));
        let measured = time.map_or(point.time.median, |time| time.clamp(least, most));
        time.is_some_and(|time| {
            (time / measured).max(1e-9).ln().abs() >= JUMP.ln_1p()
                && (time - measured).abs() >= LEAST_JUMP.max(SMALLEST * smallest)
        })
    };
    let shows = |at: usize| {
        misses(bounds[at - 1], bounds[at], &points[bounds[at]])
            || misses(bounds[at], bounds[at + 1], &points[bounds[at] - 1])
    };
    (1..bounds.len() - 1).all(shows)
}

/// At most `MOST` points. Of sizes that are close, the one with the most messages stays.
fn thinned(points: &[Point]) -> Vec<Point> {
    if points.len() <= MOST {
        return points.to_vec();
    }
    let octaves = |bytes: u64| (bytes.max(1) as f64).log2();
    let last = points.last().map_or(1.0, |last| octaves(last.bytes)).max(1.0);
    let place = |point: &Point| (octaves(point.bytes) / last * (MOST - 1) as f64) as usize;
    let groups = points.chunk_by(|one, other| place(one) == place(other));
    groups.filter_map(|group| group.iter().max_by_key(|point| point.count).copied()).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::super::points::Point;
    use super::super::weighted_median::{Spread, spread};
    use super::{Costs, segments};

    /// Points from 8 B to 2 MiB, each the median of 15 times with a relative error of up to `noise`.
    fn planted(time: impl Fn(f64) -> f64, noise: f64, seed: u64) -> Vec<Point> {
        let mut random = StdRng::seed_from_u64(seed);
        let point = |power: u32| {
            let truth = time(f64::from(1u32 << power));
            let values = (0..15).map(|_| (truth * (1.0 + noise * random.random_range(-1.0..1.0)), 1.0)).collect();
            Point { bytes: 1 << power, count: 15, all: 15, time: spread(values).unwrap(), mean: None, clock_error: 0.0 }
        };
        (3..=21).map(point).collect()
    }

    #[test]
    fn a_line_is_recovered_within_2_percent_and_no_change_is_found_where_there_is_none() {
        for (a, b) in [(0.4e-6, 0.1e-9), (2e-6, 0.4e-9), (40e-6, 8e-9)] {
            for (noise, seed) in std::iter::once((0.0, 0)).chain((0..20).map(|seed| (0.02, seed))) {
                let found = segments(&planted(|bytes| a + b * bytes, noise, seed));
                let [segment] = &found[..] else { panic!("noise {noise}, seed {seed}: {found:#?}") };
                let (found_a, found_b) = (segment.line.a.unwrap(), segment.line.b.unwrap());
                assert!((found_a.median / a - 1.0).abs() < 0.02, "{found_a:?} and not {a}, seed {seed}");
                assert!((found_b.median / b - 1.0).abs() < 0.02, "{found_b:?} and not {b}, seed {seed}");
            }
        }
    }

    #[test]
    fn what_further_pieces_gain_on_a_line_with_noise_is_less_than_they_cost() {
        for seed in 0..20 {
            let points = planted(|bytes| 2e-6 + 0.4e-9 * bytes, 0.1, seed);
            assert_eq!(Costs::of(&points).best(), 1, "seed {seed}");
        }
    }

    #[test]
    fn a_planted_change_of_protocol_is_found_at_its_size() {
        for change in [1 << 10, 4 << 10, 64 << 10] {
            for (noise, seed) in std::iter::once((0.0, 0)).chain((0..20).map(|seed| (0.02, seed))) {
                let eager = |bytes: f64| 1e-6 + 0.5e-9 * bytes;
                let time =
                    |bytes: f64| if bytes < f64::from(change) { eager(bytes) } else { 1.5 * eager(bytes) + 2e-6 };
                let found = segments(&planted(time, noise, seed));
                let [_, behind] = &found[..] else { panic!("noise {noise}, seed {seed}: {found:#?}") };
                assert_eq!(behind.points[0].bytes, u64::try_from(change).unwrap(), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_change_that_the_intervals_of_the_times_leave_open_is_none() {
        let pieces = |interval: fn(f64) -> Option<(f64, f64)>| {
            let point = |power: u32| {
                let line = 1e-6 + 0.5e-9 * f64::from(1u32 << power);
                let median = if power < 14 { line } else { 1.5 * line + 2e-6 };
                let time = Spread { median, interval: interval(line) };
                Point { bytes: 1 << power, count: 15, all: 15, time, mean: None, clock_error: 0.0 }
            };
            segments(&(3..=21).map(point).collect::<Vec<_>>()).len()
        };
        assert_eq!([pieces(|_| None), pieces(|line| Some((0.9 * line, 5.0 * line)))], [2, 1]);
    }

    #[test]
    fn two_sizes_make_no_line() {
        assert!(segments(&planted(|bytes| bytes, 0.0, 0)[..2]).is_empty());
        assert!(segments(&[]).is_empty());
    }
}
