//! Time by function: mean, minimum and maximum over ranks, and the gain of an even spread.

use super::{most, seconds};
use crate::plot::{BarRow, Bars};
use metrics::imbalance as spread;
use model::Run;
use tables::Sheet;

/// Mean over ranks, with minimum and maximum.
pub fn times(run: &Run) -> Bars {
    let sheet = Sheet::from(spread::functions(run));
    let ends = |row| Some((sheet.number(row, "min_s")?, sheet.number(row, "max_s")?));
    let bar = |row| BarRow { intervals: vec![ends(row)], ..BarRow::default() };
    let x = seconds("mean of ranks, and from the least to the most of any");
    most("time by function", x, &sheet, "function", "mean_s", bar)
}

/// Maximum over ranks minus the mean.
pub fn imbalance(run: &Run) -> Bars {
    let sheet = Sheet::from(spread::functions(run));
    let x = seconds("maximum of ranks less their mean");
    most("imbalance time: what an even spread could gain", x, &sheet, "function", "imbalance_s", |_| BarRow::default())
}
