//! Charts of tables, drawn from the tables' own rows and columns.

mod differences;
mod efficiency;
mod entry_rates;
pub mod fanout;
mod functions;
mod growth;
pub mod network;
pub mod operations;
pub mod overlap;
mod ranks;
mod sizes;
mod waits;
mod waits_over_time;

pub use differences::differences;
pub use efficiency::efficiency;
pub use entry_rates::entry_rates;
pub use functions::{imbalance, times};
pub use growth::growth;
pub use ranks::ranks;
pub use sizes::sizes;
pub use waits::wait_states;
pub use waits_over_time::waits_over_time;

use crate::plot::{Axis, AxisScale, AxisUnit};
use crate::plot::{BarLayout, BarPart, BarRow, Bars};
use tables::Sheet;

/// Rows per chart.
const ROWS: usize = 24;

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
