//! Waiting over time.

use rustc_hash::FxHashMap;

use super::seconds;
use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use model::matching::{Settled, WaitState};
use model::{Run, levels};

/// Slices of the run.
const SLICES: usize = 100;
/// Lines per chart.
const STATES: usize = 7;

/// Share of waiting ranks over the run, for the wait states with the most time. The account must have its spans.
pub fn waits_over_time(run: &Run, settled: &Settled) -> Chart {
    let lives = levels::lives(run, &settled.common_clock);
    let begin = lives.iter().map(|life| life.begin).min().unwrap_or(0);
    let end = lives.iter().map(|life| life.end).max().unwrap_or(0).max(begin + 1);
    let slices = Slices { begin, length: (end - begin) as f64 / SLICES as f64 };
    let mut by_state: FxHashMap<WaitState, Vec<f64>> = FxHashMap::default();
    for span in settled.account.spans.iter().flatten() {
        let times = by_state.entry(span.key.state).or_insert_with(|| vec![0.0; SLICES]);
        slices.add((span.from, span.until), times);
    }
    let mut states: Vec<(WaitState, Vec<f64>)> = by_state.into_iter().collect();
    let sum = |times: &[f64]| times.iter().sum::<f64>();
    states.sort_by(|a, b| sum(&b.1).total_cmp(&sum(&a.1)).then(a.0.cmp(&b.0)));
    let of_all = slices.length * run.asked().count().max(1) as f64 / 100.0;
    let line = |(state, times): (WaitState, Vec<f64>)| Series {
        name: state.name().into(),
        points: times.into_iter().enumerate().map(|(at, time)| (slices.middle(at), time / of_all)).collect(),
        intervals: Vec::new(),
    };
    Chart {
        title: "ranks that wait, over the run".into(),
        x: seconds("since the first rank entered MPI_Init"),
        y: Axis::new("of the ranks", AxisScale::Linear, AxisUnit::Percent),
        series: states.into_iter().take(STATES).map(line).collect(),
    }
}

/// Slices of equal length, in nanoseconds.
struct Slices {
    begin: i64,
    length: f64,
}

impl Slices {
    /// Adds to each slice the part of a time that lies in it.
    fn add(&self, (from, until): (i64, i64), times: &mut [f64]) {
        let place = |time: i64| ((time - self.begin) as f64 / self.length).clamp(0.0, times.len() as f64);
        let (from, until) = (place(from), place(until));
        let (first, last) = (from as usize, (until.ceil() as usize).min(times.len()));
        for (at, time) in times.iter_mut().enumerate().take(last).skip(first) {
            let inside = until.min((at + 1) as f64) - from.max(at as f64);
            *time += inside.max(0.0) * self.length;
        }
    }

    /// Middle of a slice, in seconds.
    fn middle(&self, at: usize) -> f64 {
        (self.begin as f64 + (at as f64 + 0.5) * self.length) / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::Slices;

    #[test]
    fn a_wait_counts_in_each_slice_by_what_of_it_lies_there() {
        let slices = Slices { begin: 100, length: 10.0 };
        let mut times = [0.0; 4];
        slices.add((105, 122), &mut times);
        assert_eq!(times.map(f64::round), [5.0, 10.0, 2.0, 0.0]);
        // Times outside the run do not count.
        slices.add((90, 101), &mut times);
        slices.add((139, 160), &mut times);
        assert_eq!(times.map(f64::round), [6.0, 10.0, 2.0, 1.0]);
    }
}
