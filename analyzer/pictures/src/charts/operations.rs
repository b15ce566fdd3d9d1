//! Charts of Hoefler, Schneider and Lumsdaine: time of collective operations over message size, as a whole, and
//! minimum, median and maximum over ranks.

use super::{LINES, Line};
use crate::plot::{Axis, AxisScale, AxisUnit, Chart, Series};
use metrics::operations::OperationRow;
use tables::Table;

/// Function, place, communicator and root of a line.
type LineKey<'a> = (&'a str, &'a str, &'a str, Option<u32>);

/// Times over size, a line for each function, place, communicator and root.
pub fn figures(operations: &Table<OperationRow>) -> Vec<Chart> {
    let lines = lines(&operations.rows);
    let chart = |title: &str, y: &str, figure: fn(&OperationRow) -> Option<TimeFigure>| Chart {
        title: title.into(),
        x: Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes),
        y: Axis::new(y, AxisScale::Log10, AxisUnit::Seconds),
        series: lines.iter().map(|line| line.series(figure)).collect(),
    };
    vec![
        chart("from the first rank in to the last one out: median and its 95 % interval", "time", |row| {
            Some(TimeFigure { time: row.spans[0].time?, between: row.between })
        }),
        chart("what a rank takes: minimum, median and maximum of the ranks", "time of a rank", |row| {
            Some(TimeFigure { time: row.median, between: Some((row.least, row.most)) })
        }),
    ]
}

/// A time in seconds, with its interval.
struct TimeFigure {
    time: f64,
    between: Option<(f64, f64)>,
}

impl Line<'_, OperationRow> {
    fn series(&self, figure: impl Fn(&OperationRow) -> Option<TimeFigure>) -> Series {
        let mut series = Series { name: self.name.clone(), ..Series::default() };
        for (bytes, figure) in self.rows.iter().filter_map(|row| Some((row.size.bytes as f64, figure(row)?))) {
            series.points.push((bytes, figure.time));
            series.intervals.extend(figure.between.map(|(least, most)| (bytes, least, most)));
        }
        series
    }
}

/// The lines that take most time, each ordered by size. Operations that move no bytes have no place on the axis.
fn lines(rows: &[OperationRow]) -> Vec<Line<'_, OperationRow>> {
    let mut keys: Vec<LineKey<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.size.bytes > 0) {
        if !keys.contains(&line_of(row)) {
            keys.push(line_of(row));
        }
    }
    keys.truncate(LINES);
    let is_alone = |key: &LineKey<'_>| keys.iter().filter(|other| other.0 == key.0).count() == 1;
    let line = |key: &LineKey<'_>| {
        let (function, site, communicator, root) = *key;
        let root = root.map_or(String::new(), |root| format!(", root {root}"));
        let name =
            if is_alone(key) { function.to_string() } else { format!("{function}, {site}, {communicator}{root}") };
        let mut rows: Vec<&OperationRow> =
            rows.iter().filter(|row| row.size.bytes > 0 && line_of(row) == *key).collect();
        rows.sort_by_key(|row| row.size.bytes);
        Line { name, rows }
    };
    let mut lines: Vec<Line<'_, OperationRow>> = keys.iter().map(line).collect();
    lines.sort_by(|one, other| one.name.cmp(&other.name));
    lines
}

fn line_of(row: &OperationRow) -> LineKey<'_> {
    (&row.place.function, &row.place.site, &row.place.communicator, row.root)
}
