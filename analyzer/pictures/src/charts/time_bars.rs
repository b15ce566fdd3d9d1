//! Bars of time: by function, also of two sides, by rank, by bytes per call, and of waits by their state.

use std::collections::{BTreeMap, BTreeSet};

use super::{ROWS, most, part, seconds};
use crate::palette;
use crate::plot::{Axis, AxisScale, AxisUnit, BarLayout, BarPart, BarRow, Bars};
use metrics::compare::{Comparison, FUNCTION_TIMES};
use metrics::waits::states;
use metrics::{groupings, imbalance as spread, rank_time};
use model::Run;
use model::matching::Account;
use tables::{ColumnHead, Sheet, Unit, Value};

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

/// Bars per chart: beyond it, neighboring ranks share a bar.
const RANKS: usize = 40;

/// Computation, waiting (if the account is known), and the rest of the calls by purpose.
pub fn ranks(run: &Run, account: Option<&Account>) -> Bars {
    let sheet = Sheet::from(rank_time::table(run, account));
    let times: Vec<&ColumnHead> = sheet.columns.iter().filter(|column| column.unit == Unit::Seconds).collect();
    let time = |row: usize, key: &str| sheet.number(row, key).unwrap_or(0.0);
    let rows: Vec<usize> = (0..sheet.rows.len()).collect();
    let has = |column: &&&ColumnHead| rows.iter().any(|row| time(*row, &column.key) > 0.0);
    let times: Vec<&ColumnHead> = times.iter().filter(has).copied().collect();
    let each = rows.len().div_ceil(RANKS).max(1);
    let bar = |group: &[usize]| {
        let mean = |key: &str| group.iter().map(|row| time(*row, key)).sum::<f64>() / group.len() as f64;
        let name = |row: usize| sheet.value(row, "rank").to_string();
        BarRow {
            name: match group {
                [first, .., last] => format!("ranks {} to {}", name(*first), name(*last)),
                _ => format!("rank {}", group.iter().map(|row| name(*row)).collect::<String>()),
            },
            values: times.iter().map(|column| mean(&column.key)).collect(),
            intervals: Vec::new(),
        }
    };
    let parts = times.iter().map(|column| BarPart { hue: palette::of_part(&column.key), ..part(&column.heading) });
    Bars {
        title: sheet.look.title.clone(),
        x: seconds(if each > 1 { "mean of these ranks" } else { "time" }),
        parts: parts.collect(),
        layout: BarLayout::Stacked,
        rows: rows.chunks(each).map(bar).collect(),
    }
}

/// Functions with a part of their own; all others share one.
const FUNCTIONS: usize = 6;
const OTHERS: &str = "others";
/// Column with the time of all ranks.
const TIME: &str = "time_total_s";

/// Calls, and their time over all ranks, in each power of two of bytes, by function.
pub fn sizes(run: &Run) -> Vec<Bars> {
    let sheet = Sheet::from(groupings::sizes(run));
    let calls = Axis::new("calls of all ranks", AxisScale::Linear, AxisUnit::Count);
    vec![
        by_size("calls by their bytes", calls, &sheet, "calls"),
        by_size("time by the bytes of a call", seconds("time of all ranks"), &sheet, TIME),
    ]
}

/// Names of the functions with the most time; true if there are others.
fn named(sheet: &Sheet) -> (Vec<String>, bool) {
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    for row in 0..sheet.rows.len() {
        *totals.entry(sheet.value(row, "function").to_string()).or_default() += sheet.number(row, TIME).unwrap_or(0.0);
    }
    let mut named: Vec<(String, f64)> = totals.into_iter().collect();
    named.sort_by(|a, b| b.1.total_cmp(&a.1));
    let has_others = named.len() > FUNCTIONS + 1;
    named.truncate(if has_others { FUNCTIONS } else { FUNCTIONS + 1 });
    (named.into_iter().map(|(name, _)| name).collect(), has_others)
}

fn by_size(title: &str, x: Axis, sheet: &Sheet, figure: &str) -> Bars {
    // Both pictures take the same names, so a function has one color.
    let (names, has_others) = named(sheet);
    let rows = || 0..sheet.rows.len();
    let from = |row| sheet.number(row, "size_at_least_bytes").unwrap_or(0.0) as u64;
    let sizes: BTreeSet<u64> = rows().map(from).collect();
    // Sizes without calls keep their place between the others.
    let powers = sizes
        .first()
        .copied()
        .zip(sizes.last().copied())
        .into_iter()
        .flat_map(|(least, most)| (least.max(1).ilog2()..=most.max(1).ilog2()).map(|power| 1u64 << power));
    let bars = powers.map(|size| {
        let mut values = vec![0.0; names.len() + usize::from(has_others)];
        for row in rows().filter(|row| from(*row) == size) {
            let name = sheet.value(row, "function").to_string();
            let at = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if let Some(value) = values.get_mut(at) {
                *value += sheet.number(row, figure).unwrap_or(0.0);
            }
        }
        BarRow { name: format!("from {}", Value::Bytes(size)), values, intervals: Vec::new() }
    });
    let rows = bars.collect();
    let mut parts: Vec<BarPart> = names.iter().map(|name| part(name)).collect();
    parts.extend(has_others.then(|| part(OTHERS)));
    Bars { title: title.into(), x, parts, layout: BarLayout::Stacked, rows }
}

/// Waiting of all ranks, with the error of the clocks.
pub fn wait_states(run: &Run, account: &Account) -> Bars {
    let sheet = Sheet::from(states(run, account));
    let ends = |row| {
        let (time, error) = (sheet.number(row, "wait_s")?, sheet.number(row, "error_s")?);
        Some(((time - error).max(0.0), time + error))
    };
    let bar = |row| BarRow { intervals: vec![ends(row)], ..BarRow::default() };
    most("wait states", seconds("time of all ranks, with the clocks' error"), &sheet, "wait_state", "wait_s", bar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tables::{Column, Row, Table};

    struct Timed(String);

    impl Row for Timed {
        const TABLE: &'static str = "timed";
        fn columns() -> Vec<Column<Self>> {
            vec![
                Column::text("function", "function", |row: &Self| row.0.clone()),
                Column::seconds(TIME, "total s", |_| 1.0),
            ]
        }
    }

    #[test]
    fn the_others_are_one_part_only_where_they_are_two_functions_at_least() {
        let of = |functions: usize| {
            let rows = (0..functions).map(|at| Timed(format!("MPI_{at}"))).collect();
            let (names, has_others) = named(&Sheet::from(Table::new("", rows)));
            (names.len(), has_others)
        };
        assert_eq!(of(FUNCTIONS), (FUNCTIONS, false));
        assert_eq!(of(FUNCTIONS + 1), (FUNCTIONS + 1, false));
        assert_eq!(of(FUNCTIONS + 2), (FUNCTIONS, true));
    }
}
