//! Times and efficiencies over the number of ranks.

use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::scaling::Grown;

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
            y: Axis::new("of 100", AxisScale::Linear, AxisUnit::Percent),
            series: efficiencies.collect(),
        },
    ]
}
