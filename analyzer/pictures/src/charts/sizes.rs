//! Calls and their time by bytes per call.

use std::collections::{BTreeMap, BTreeSet};

use super::{part, seconds};
use crate::plot::{Axis, AxisScale, AxisUnit, BarLayout, BarPart, BarRow, Bars};
use metrics::groupings;
use model::Run;
use tables::{Sheet, Value};

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
