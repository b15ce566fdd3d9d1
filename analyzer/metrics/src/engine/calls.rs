//! The engine by MPI function and by call site.

use crate::totals::{self, CallGroup, Totals};
use model::Run;
use model::rank::function;
use tables::part::Addend::{Calls, Entries, Nanoseconds, Productive};
use tables::part::{PartName, PartRows, PartTable, added};
use tables::{Column, Row, Table};

/// An MPI function in which the engine was entered.
pub struct FunctionRow {
    function: String,
    sum: Totals,
}

impl Row for FunctionRow {
    const TABLE: &'static str = "engine_functions";
    fn columns() -> Vec<Column<Self>> {
        let mut columns =
            vec![Column::text("function", "function", |row: &Self| row.function.clone()).in_part(PartName::Function)];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

/// A call site at which the engine was entered.
pub struct EngineSiteRow {
    site: String,
    function: String,
    sum: Totals,
}

impl Row for EngineSiteRow {
    const TABLE: &'static str = "engine_sites";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("site", "call site", |row: &Self| row.site.clone()),
            Column::text("function", "", |row: &Self| row.function.clone()),
        ];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

fn figures() -> impl Iterator<Item = Column<Totals>> {
    let per_call = |sum: &Totals| sum.entries as f64 / sum.calls.max(1) as f64;
    let columns = [
        Column::count("calls", "calls", |sum: &Totals| sum.calls).in_part(Calls),
        totals::open_calls(),
        Column::count("entries", "entries", |sum: &Totals| sum.entries).in_part(Entries),
        Column::ratio("entries_per_call", "a call", per_call).spare(1).in_part(added(Entries).over(Calls)),
        Column::count("productive_entries", "productive", |sum: &Totals| sum.productive).in_part(Productive),
        Column::seconds("engine_s", "engine", |sum: &Totals| sum.engine),
        Column::seconds("time_s", "of", |sum: &Totals| sum.time).in_part(Nanoseconds),
        Column::seconds("entry_s", "", |sum: &Totals| sum.engine / sum.entries.max(1) as f64),
    ];
    columns.into_iter()
}

/// By MPI function, the one with the most entries first.
pub fn functions(run: &Run) -> Table<FunctionRow> {
    let groups = totals::group_calls(run, |_, _, entry| Some(function(&entry.signature)));
    let rows = entered(groups.into_iter()).map(|(function, sum)| FunctionRow { function, sum });
    let part = PartTable::new(PartRows::Calls, &["entries"]).only("entries");
    Table::new("by MPI function", rows.collect())
        .in_part(part.left_out("how long the engine took is known of the whole run alone"))
}

/// By call site, the one with the most entries first.
pub fn sites(run: &Run) -> Table<EngineSiteRow> {
    let groups = totals::group_calls(run, |rank, _, entry| {
        Some((run.sites.name(rank, entry.signature.site), function(&entry.signature)))
    });
    let rows = entered(groups.into_iter()).map(|((site, function), sum)| EngineSiteRow { site, function, sum });
    Table::new("by call site", rows.collect())
}

/// The groups in which the engine was entered, the one with the most entries first.
fn entered<Key>(groups: impl Iterator<Item = (Key, CallGroup)>) -> impl Iterator<Item = (Key, Totals)> {
    let mut sums: Vec<(Key, Totals)> = groups.map(|(key, group)| (key, group.sum())).collect();
    sums.retain(|(_, sum)| sum.entries > 0);
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.entries));
    sums.into_iter()
}
