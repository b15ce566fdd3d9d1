//! The progress engine by MPI function and by call site.

use crate::meaning;
use crate::totals::{self, CallGroup, Totals};
use model::Run;
use model::rank::function;
use tables::part::Addend::{Calls, Entries, Nanoseconds, Productive};
use tables::part::{PartName, PartRows, PartTable, added};
use tables::{Column, Row, Table};

pub struct FunctionRow {
    function: String,
    sum: Totals,
}

impl Row for FunctionRow {
    const TABLE: &'static str = "engine_functions";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("function", "function", |row: &Self| row.function.clone())
                .means(meaning::FUNCTION)
                .in_part(PartName::Function),
        ];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

pub struct EngineSiteRow {
    site: String,
    function: String,
    sum: Totals,
}

impl Row for EngineSiteRow {
    const TABLE: &'static str = "engine_sites";
    fn columns() -> Vec<Column<Self>> {
        let mut columns = vec![
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::text("function", "", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
        ];
        columns.extend(figures().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

fn figures() -> impl Iterator<Item = Column<Totals>> {
    let per_call = |sum: &Totals| sum.entries as f64 / sum.calls.max(1) as f64;
    let columns = [
        Column::count("calls", "calls", |sum: &Totals| sum.calls).means(meaning::CALLS).in_part(Calls),
        totals::open_calls(),
        Column::count("entries", "entries", |sum: &Totals| sum.entries).means(meaning::ENTRIES).in_part(Entries),
        Column::ratio("entries_per_call", "a call", per_call)
            .means("Entries into the progress engine for each call.")
            .spare(1)
            .in_part(added(Entries).over(Calls)),
        Column::count("productive_entries", "productive", |sum: &Totals| sum.productive)
            .means(meaning::PRODUCTIVE_ENTRIES)
            .in_part(Productive),
        Column::seconds("engine_s", "engine", |sum: &Totals| sum.engine).means(meaning::ENGINE_S),
        Column::seconds("time_s", "of", |sum: &Totals| sum.time).means(meaning::TIME_S).in_part(Nanoseconds),
        Column::seconds("entry_s", "", |sum: &Totals| sum.engine / sum.entries.max(1) as f64)
            .means("An entry in the mean."),
    ];
    columns.into_iter()
}

/// Entries by MPI function, the one with the most entries first.
pub fn functions(run: &Run) -> Table<FunctionRow> {
    let groups = totals::group_calls(run, |_, _, entry| Some(function(&entry.signature)));
    let rows = entered(groups.into_iter()).map(|(function, sum)| FunctionRow { function, sum });
    let part = PartTable::new(PartRows::Calls, &["entries"]).only("entries");
    Table::new("by MPI function", rows.collect())
        .in_part(part.left_out("how long the engine took is known of the whole run alone"))
}

/// Entries by call site, the one with the most entries first.
pub fn sites(run: &Run) -> Table<EngineSiteRow> {
    let groups = totals::group_calls(run, |rank, _, entry| {
        Some((run.sites.name(rank, entry.signature.site), function(&entry.signature)))
    });
    let rows = entered(groups.into_iter()).map(|((site, function), sum)| EngineSiteRow { site, function, sum });
    Table::new("by call site", rows.collect())
}

/// The groups in which the engine was entered, with their sums, the one with the most entries first.
fn entered<Key>(groups: impl Iterator<Item = (Key, CallGroup)>) -> impl Iterator<Item = (Key, Totals)> {
    let mut sums: Vec<(Key, Totals)> = groups.map(|(key, group)| (key, group.sum())).collect();
    sums.retain(|(_, sum)| sum.entries > 0);
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.entries));
    sums.into_iter()
}
