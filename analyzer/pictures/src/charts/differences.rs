//! Two sides of a comparison, by function.

use super::{ROWS, part, seconds};
use crate::plot::{BarLayout, BarRow, Bars};
use metrics::compare::{Comparison, FUNCTION_TIMES};

/// Functions whose time differs most: each side's mean over ranks, with the minimum and maximum of its runs.
pub fn differences(all: &[Comparison]) -> Bars {
    let is_time = |figure: &&Comparison| (figure.name.table, figure.name.figure.as_str()) == FUNCTION_TIMES;
    let mut times: Vec<&Comparison> = all.iter().filter(is_time).collect();
    let apart = |figure: &Comparison| (figure.mean_b().unwrap_or(0.0) - figure.mean_a().unwrap_or(0.0)).abs();
    times.sort_by(|a, b| apart(b).total_cmp(&apart(a)));
    let ends = |values: &[f64]| {
        let ends =
            values.iter().fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
        (values.len() > 1).then_some(ends)
    };
    let row = |figure: &&Comparison| BarRow {
        name: figure.name.row.join(" "),
        values: vec![figure.mean_a().unwrap_or(0.0), figure.mean_b().unwrap_or(0.0)],
        intervals: vec![ends(&figure.a), ends(&figure.b)],
    };
    Bars {
        title: "time by function, those that differ most first".into(),
        x: seconds("mean of ranks; of several runs, from the least to the most"),
        parts: vec![part("A"), part("B")],
        layout: BarLayout::Grouped,
        rows: times.iter().take(ROWS).map(row).collect(),
    }
}
