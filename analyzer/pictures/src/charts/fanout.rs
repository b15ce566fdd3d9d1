//! Figures 2 to 7 of Hoefler et al.: latency and bandwidth over size with the fewest and the most ranks, latency over the number of ranks.

use super::{LINES, Line};
use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::fanout::RoundRow;
use tables::{Table, Value};

/// Function, place and root of a line.
type LineKey<'a> = (&'a str, &'a str, u32);

/// Latency and bandwidth over size, and latency for each message over the number of ranks.
pub fn figures(rounds: &Table<RoundRow>) -> Vec<Chart> {
    let rows: Vec<&RoundRow> = rounds.rows.iter().filter(|row| row.is_settled()).collect();
    let trips = rows.iter().filter(|row| row.is_round_trip()).count();
    let latency_is = match trips {
        0 => "from the first send to the last receive",
        trips if trips == rows.len() => "half a round trip",
        _ => "half a round trip; of one way, from the first send to the last receive",
    };
    let ranks = [rows.iter().map(|row| row.ranks).min(), rows.iter().map(|row| row.ranks).max()];
    let sizes = [rows.iter().map(|row| bytes(row)).min(), rows.iter().map(|row| bytes(row)).max()];
    let of_ranks = lines(&rows, &distinct(ranks), |row| row.ranks, |ranks| format!("n {ranks}"));
    let of_size = lines(&rows, &distinct(sizes), bytes, |bytes| Value::Bytes(bytes).to_string());
    let bytes = |row: &RoundRow| bytes(row) as f64;
    let latency = |row: &RoundRow| Some(row.latency());
    let bandwidth = |row: &RoundRow| Some(bytes(row) / row.latency()).filter(|rate| rate.is_finite());
    let each = |row: &RoundRow| Some(row.latency() / (row.ranks - 1) as f64);
    // A single line has no legend.
    let of = if let [line] = of_ranks.as_slice() { format!(", {}", line.name) } else { String::new() };
    let size = Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes);
    let seconds = Axis::new("latency", AxisScale::Log10, AxisUnit::Seconds);
    vec![
        Chart {
            title: format!("latency over size{of}: {latency_is}"),
            x: size.clone(),
            y: seconds.clone(),
            series: of_ranks.iter().map(|line| line.series(bytes, latency)).collect(),
        },
        Chart {
            title: format!("bandwidth over size{of}: message size / latency"),
            x: size,
            y: Axis::new("bandwidth", AxisScale::Log10, AxisUnit::BytesPerSecond),
            series: of_ranks.iter().map(|line| line.series(bytes, bandwidth)).collect(),
        },
        Chart {
            title: "latency of each message over the number of ranks, n".into(),
            x: Axis::new("n", AxisScale::Log2, AxisUnit::Count),
            y: seconds,
            series: of_size.iter().map(|line| line.series(|row| row.ranks as f64, each)).collect(),
        },
    ]
}

impl Line<'_, RoundRow> {
    fn series(&self, x: impl Fn(&RoundRow) -> f64, y: impl Fn(&RoundRow) -> Option<f64>) -> Series {
        let mut points: Vec<(f64, f64)> = self.rows.iter().filter_map(|row| Some((x(row), y(row)?))).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Series { name: self.name.clone(), points, ..Series::default() }
    }
}

fn distinct(values: [Option<u64>; 2]) -> Vec<u64> {
    let mut values: Vec<u64> = values.into_iter().flatten().collect();
    values.dedup();
    values
}

/// A line for each function, place and root, and each of these values.
fn lines<'a>(
    rows: &[&'a RoundRow],
    values: &[u64],
    value: impl Fn(&RoundRow) -> u64,
    named: impl Fn(u64) -> String,
) -> Vec<Line<'a, RoundRow>> {
    let mut keys: Vec<LineKey<'_>> = rows.iter().map(|row| line_of(row)).collect();
    keys.sort_unstable();
    keys.dedup();
    let is_alone = |function: &str| keys.iter().filter(|key| key.0 == function).count() == 1;
    let mut lines = Vec::new();
    for wanted in values {
        for key in &keys {
            let rows: Vec<_> =
                rows.iter().copied().filter(|row| line_of(row) == *key && value(row) == *wanted).collect();
            let place = if is_alone(key.0) { String::new() } else { format!(", {}", key.1) };
            if !rows.is_empty() {
                lines.push(Line { name: format!("{}{place}, {}", key.0, named(*wanted)), rows });
            }
        }
    }
    // The lines with the most points come first.
    lines.sort_by_key(|line| std::cmp::Reverse(line.rows.len()));
    lines.truncate(LINES);
    lines.sort_by(|one, other| one.name.cmp(&other.name));
    lines
}

fn bytes(row: &RoundRow) -> u64 {
    row.series.bytes()
}

fn line_of(row: &RoundRow) -> LineKey<'_> {
    (&row.series.function, &row.series.site, row.series.root)
}
