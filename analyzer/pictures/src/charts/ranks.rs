//! Each rank's time, in parts that add up.

use super::{part, seconds};
use crate::palette;
use crate::plot::{BarLayout, BarPart, BarRow, Bars};
use metrics::rank_time;
use model::Run;
use model::matching::Account;
use tables::{ColumnHead, Sheet, Unit};

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
