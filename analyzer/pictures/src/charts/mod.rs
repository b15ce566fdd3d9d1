//! Charts of tables, drawn from the tables' own rows and columns.

pub mod availability;
pub mod fanout;
pub mod network;
pub mod operations;
mod over_time;
mod time_bars;

pub use over_time::{efficiency, entry_rates, growth, waits_over_time};
pub use time_bars::{differences, imbalance, ranks, sizes, times, wait_states};

use crate::plot::{Axis, AxisScale, AxisUnit, BarLayout, BarPart, BarRow, Bars};
use tables::Sheet;

/// Rows per chart.
const ROWS: usize = 24;

/// Lines per chart.
const LINES: usize = 14;

/// Rows of a table that are a line of a chart.
struct Line<'a, R> {
    name: String,
    rows: Vec<&'a R>,
}

/// A time axis that begins at 0.
fn seconds(label: &str) -> Axis {
    Axis::new(label, AxisScale::Linear, AxisUnit::Seconds)
}

fn part(name: &str) -> BarPart {
    BarPart { name: name.into(), hue: None }
}

/// Rows with the largest values of a figure, one bar each.
fn most(title: &str, x: Axis, sheet: &Sheet, name: &str, figure: &str, bar: impl Fn(usize) -> BarRow) -> Bars {
    let mut rows: Vec<(usize, f64)> =
        (0..sheet.rows.len()).filter_map(|row| Some((row, sheet.number(row, figure)?))).collect();
    rows.retain(|(_, value)| *value > 0.0);
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let left_out = rows.len().saturating_sub(ROWS);
    let title = if left_out > 0 { format!("{title} ({left_out} smaller ones left out)") } else { title.into() };
    let row = |(row, value): &(usize, f64)| BarRow {
        name: sheet.value(*row, name).to_string(),
        values: vec![*value],
        ..bar(*row)
    };
    let rows = rows.iter().take(ROWS).map(row).collect();
    Bars { title, x, parts: Vec::new(), layout: BarLayout::Stacked, rows }
}
