//! The sizes between which one line fits, and those from which another one does.
//!
//! In: points by size. Out: pieces with a line each. The pieces are those of the least sum of squares and penalties, found by dynamic
//! programming (Bellman and Roth 1969); the penalty is that of the Bayesian information criterion, for a line's two parts and
//! where it begins (Schwarz 1978).

use super::line::{Line, Sums};
use super::points::Point;

/// Points of a piece: two would fit any line.
const LEAST: usize = 3;
/// A line has to miss the nearest point of the next piece by so much: bends of caches are no change of protocol.
const JUMP: f64 = 0.2;
/// Points that are looked at: sizes closer to each other than their number allows are one.
const MOST: usize = 256;

/// Sizes that one line fits.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its points.
    pub points: Vec<Point>,
    /// The line through them.
    pub line: Line,
}

/// Pieces in the order of size; none where fewer than three sizes are known.
pub fn segments(points: &[Point]) -> Vec<Segment> {
    let points = thinned(points);
    let mut bounds = best(&points);
    // From the weakest change on: what is left of two pieces may be clear against the third.
    while let Some(weakest) = weakest(&points, &bounds) {
        bounds.remove(weakest);
    }
    let pieces = bounds.windows(2).map(|bound| &points[bound[0]..bound[1]]);
    pieces.filter_map(|piece| Some(Segment { points: piece.to_vec(), line: Line::through(piece)? })).collect()
}

/// The first points of the pieces, and the end.
fn best(points: &[Point]) -> Vec<usize> {
    let count = points.len();
    let sums = points.iter().scan(Sums::default(), |sum, point| {
        *sum = sum.plus(Sums::of(point));
        Some(*sum)
    });
    let sums: Vec<Sums> = std::iter::once(Sums::default()).chain(sums).collect();
    let penalty = 3.0 * (count as f64).ln();
    // What the points before each cost at least, and where their last piece begins.
    let mut costs = vec![(f64::INFINITY, 0); count + 1];
    costs[0].0 = 0.0;
    for end in LEAST..=count {
        for begin in 0..=end - LEAST {
            let cost = costs[begin].0 + sums[end].minus(sums[begin]).least_missed() + penalty;
            if cost < costs[end].0 {
                costs[end] = (cost, begin);
            }
        }
    }
    let mut bounds = vec![count];
    while let Some(end) = bounds.last().copied().filter(|end| *end > 0) {
        bounds.push(costs[end].1);
    }
    bounds.reverse();
    bounds
}

/// Of the changes that are none the one that shows least.
fn weakest(points: &[Point], bounds: &[usize]) -> Option<usize> {
    let jump = |at: usize| {
        let line = |from: usize, to: usize| Line::through(&points[from..to]);
        let missed = |line: Option<Line>, point: &Point| {
            line.and_then(|line| line.at(point.bytes))
                .map_or(0.0, |time| (time / point.time.median).max(1e-9).ln().abs())
        };
        let (before, behind) = (line(bounds[at - 1], bounds[at]), line(bounds[at], bounds[at + 1]));
        missed(before, &points[bounds[at]]).max(missed(behind, &points[bounds[at] - 1]))
    };
    let inner = 1..bounds.len().saturating_sub(1);
    let jumps = inner.map(|at| (at, jump(at))).filter(|(_, jump)| *jump < JUMP.ln_1p());
    jumps.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(at, _)| at)
}

/// As many points as are looked at, those with the most messages of sizes that are close.
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
    use super::super::spread::spread;
    use super::segments;

    /// Points of 8 B to 2 MiB whose times are off by up to so much, as the median of 15.
    fn planted(time: impl Fn(f64) -> f64, noise: f64, seed: u64) -> Vec<Point> {
        let mut random = StdRng::seed_from_u64(seed);
        let point = |power: u32| {
            let truth = time(f64::from(1u32 << power));
            let values = (0..15).map(|_| (truth * (1.0 + noise * random.random_range(-1.0..1.0)), 1.0)).collect();
            Point { bytes: 1 << power, count: 15, time: spread(values).unwrap(), clock_error: 0.0 }
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
    fn two_sizes_make_no_line() {
        assert!(segments(&planted(|bytes| bytes, 0.0, 0)[..2]).is_empty());
        assert!(segments(&[]).is_empty());
    }
}
