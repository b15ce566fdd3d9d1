//! Charts over time and over the number of ranks: waiting, entries into the progress engine, and POP metrics.

use rustc_hash::FxHashMap;

use crate::plot::{Axis, AxisScale, AxisUnit, BarLayout, BarRow, Bars, Chart, Drawing, Series};
use metrics::pop::{Efficiency, factors, phases};
use metrics::scaling::Grown;
use model::Run;
use model::engine::{EngineAccount, SLICES, SlicedTime};
use model::matching::{Settled, WaitState};
use tables::{Sheet, Unit};

/// Slices of the run in which waits are added up.
const WAIT_SLICES: usize = 100;
/// Lines per chart.
const STATES: usize = 7;
/// Entries per second drawn for a slice without any: a logarithmic axis has no 0.
const LEAST_RATE: f64 = 0.5;

/// Share of waiting ranks over the selected time, for the wait states with the most time. The account must have its spans.
pub fn waits_over_time(run: &Run, settled: &Settled) -> Chart {
    let (mut begin, mut end) = (i64::MAX, i64::MIN);
    for (rank, line) in run.ranks.iter().zip(&settled.common_clock.lines).filter(|(rank, _)| rank.is_asked) {
        let (first, last) = rank.selected_ends();
        if first < last {
            begin = begin.min(line.nanoseconds_at(first));
            end = end.max(line.nanoseconds_at(last));
        }
    }
    let begin = begin.min(end);
    let end = end.max(begin.saturating_add(1));
    let slices = Slices { begin, length: (end - begin) as f64 / WAIT_SLICES as f64 };
    let mut by_state: FxHashMap<WaitState, Vec<f64>> = FxHashMap::default();
    for span in settled.account.spans.iter().flatten() {
        let times = by_state.entry(span.key.state).or_insert_with(|| vec![0.0; WAIT_SLICES]);
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
        x: Axis::new("since the first rank entered MPI_Init", AxisScale::Span, AxisUnit::Seconds),
        y: Axis::new("share of the ranks", AxisScale::Linear, AxisUnit::Percent),
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

/// Entries per second of all ranks, as steps; no line if there was no entry.
pub fn entry_rates(run: &Run, engines: &[Vec<EngineAccount>]) -> Chart {
    let time = SlicedTime::of(run);
    let slice = time.slice();
    let (mut all, mut productive) = (vec![0.0; SLICES], vec![0.0; SLICES]);
    for engine in engines.iter().flatten() {
        for (at, one) in engine.slices.iter().enumerate() {
            all[at] += one.entries / slice;
            productive[at] += one.productive / slice;
        }
    }
    let has_entries = all.iter().any(|rate| *rate > 0.0);
    let line = |(name, rates): (&str, Vec<f64>)| {
        let step = |(at, rate): (usize, f64)| {
            let rate = rate.max(LEAST_RATE);
            [at, at + 1].map(|edge| (time.from + edge as f64 * slice, rate))
        };
        Series {
            name: name.into(),
            points: rates.into_iter().enumerate().flat_map(step).collect(),
            intervals: Vec::new(),
        }
    };
    let lines = [("all", all), ("productive", productive)].into_iter().filter(|_| has_entries);
    Chart {
        title: "entries into the progress engine, all ranks".into(),
        x: Axis::new("since MPI_Init", AxisScale::Span, AxisUnit::Seconds),
        y: Axis::new("entries a second", AxisScale::Log10, AxisUnit::Count),
        series: lines.map(line).collect(),
    }
}

/// Factors as bars, and as lines over the phases, if there are any.
pub fn efficiency(efficiency: &Efficiency, of_phases: Vec<Efficiency>) -> Vec<Drawing> {
    let percent = |label: &str| Axis::new(label, AxisScale::Linear, AxisUnit::Percent);
    let sheet = Sheet::from(factors(efficiency));
    let row = |row: usize| {
        let value = sheet.number(row, "percent")?;
        Some(BarRow { name: sheet.value(row, "metric").to_string(), values: vec![value], intervals: Vec::new() })
    };
    let bars = Bars {
        title: "parallel efficiency and its factors".into(),
        x: percent("of the ideal"),
        parts: Vec::new(),
        layout: BarLayout::Stacked,
        rows: (0..sheet.rows.len()).filter_map(row).collect(),
    };
    let sheet = Sheet::from(phases(of_phases));
    let line = |key: &str, name: &str| {
        let point = |row: usize| Some((sheet.number(row, "phase")?, sheet.number(row, key)?));
        Series { name: name.into(), points: (0..sheet.rows.len()).filter_map(point).collect(), intervals: Vec::new() }
    };
    let columns = sheet.columns.iter().filter(|column| column.unit == Unit::Percent);
    let over_phases = Chart {
        title: "the same by phase".into(),
        x: Axis::new("phase", AxisScale::Linear, AxisUnit::Count),
        y: percent("of the ideal"),
        series: columns.map(|column| line(&column.key, column.heading.trim_end_matches(" %"))).collect(),
    };
    vec![bars.into(), over_phases.into()]
}

/// Lines per chart.
const LINES: usize = 10;

/// Times, each with a forecast for ten times the ranks, and POP metrics.
pub fn growth(grown: &Grown) -> Vec<Chart> {
    let ranks = Axis::new("ranks", AxisScale::Log2, AxisUnit::Count);
    let ahead = grown.ahead();
    let times = grown.times.iter().take(LINES).map(|grows| {
        let measured = grows.points.iter().map(|(ranks, time)| (f64::from(*ranks), *time));
        let expected = grows.expected(ahead);
        Series {
            name: grows.name.clone(),
            points: measured.chain(expected.map(|expected| (ahead, expected.time))).collect(),
            intervals: expected.map(|expected| (ahead, expected.low, expected.high)).into_iter().collect(),
        }
    });
    let has_expected = grown.times.iter().take(LINES).any(|grows| grows.expected(ahead).is_some());
    let title = match has_expected {
        false => "time of a rank".into(),
        true => format!("time of a rank; points with an interval are expected at {ahead} ranks"),
    };
    let metrics = grown.pop.values().flat_map(|metrics| metrics.keys());
    let mut names: Vec<&String> = metrics.collect();
    names.sort();
    names.dedup();
    let efficiencies = names.into_iter().map(|name| {
        let points = grown.pop.iter().filter_map(|(ranks, metrics)| Some((f64::from(*ranks), *metrics.get(name)?)));
        Series { name: name.clone(), points: points.collect(), intervals: Vec::new() }
    });
    vec![
        Chart {
            title,
            x: ranks.clone(),
            y: Axis::new("mean of ranks", AxisScale::Log10, AxisUnit::Seconds),
            series: times.collect(),
        },
        Chart {
            title: "efficiencies".into(),
            x: ranks,
            y: Axis::new("of the ideal", AxisScale::Linear, AxisUnit::Percent),
            series: efficiencies.collect(),
        },
    ]
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
