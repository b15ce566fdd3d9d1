//! Where the time in MPI went: by function, as in Table I of Gabriel, UH-CS-10-02, and by whatever else a call is
//! known by.
//!
//! Every table has the same figures: the maximum over ranks and the rank that has it, the mean over ranks, the total,
//! its share of all time in MPI, the calls and the bytes.

use super::totals::{self, Group, percent};
use crate::model::Run;
use crate::model::rank::function;
use crate::report::{Column, Table, Value};

/// By function.
pub fn functions(run: &Run) -> Table {
    let groups = totals::by(run, |_, _, entry| Some(function(&entry.signature)));
    let names = vec![Column::new("function", "function")];
    let rows = groups.into_iter().map(|(name, group)| (vec![Value::Text(name)], group)).collect();
    table(run, "functions", String::new(), names, rows)
}

/// A table of groups, the one with the most time first. Where a group is of one rank there is nothing to compare.
pub fn of_single_ranks(
    run: &Run,
    name: &'static str,
    title: String,
    names: Vec<Column>,
    groups: Vec<(Vec<Value>, Group)>,
) -> Table {
    let mut table = table(run, name, title, names, groups);
    let is_comparing = |column: &Column| ["time_max_s", "time_max_rank", "time_mean_s"].contains(&column.key.as_str());
    let kept: Vec<bool> = table.columns.iter().map(|column| !is_comparing(column)).collect();
    let mut keep = kept.iter().cycle();
    table.columns.retain(|_| keep.next() == Some(&true));
    table
        .columns
        .iter_mut()
        .filter(|column| column.key == "time_total_s")
        .for_each(|column| column.heading = "time".into());
    for row in &mut table.rows {
        let mut keep = kept.iter();
        row.retain(|_| keep.next() == Some(&true));
    }
    table
}

/// A table of groups, the one with the most time first.
pub fn table(
    run: &Run,
    name: &'static str,
    title: String,
    names: Vec<Column>,
    mut groups: Vec<(Vec<Value>, Group)>,
) -> Table {
    groups.retain(|(_, group)| group.sum().calls > 0);
    groups.sort_by(|a, b| b.1.sum().time.total_cmp(&a.1.sum().time));
    let all: f64 = run.asked().map(|rank| rank.time_in_mpi()).sum();
    let ranks = run.asked().count() as f64;
    let mut columns = names;
    columns.extend([
        Column::new("time_max_s", "max"),
        Column::new("time_max_rank", "rank"),
        Column::new("time_mean_s", "mean").spare(2),
        Column::new("time_total_s", "total").spare(1),
        Column::new("time_share_percent", "share %").spare(3),
        Column::new("calls", "calls"),
        Column::new("bytes", "bytes"),
        Column::hidden("sent_bytes"),
        Column::hidden("received_bytes"),
        Column::hidden("call_min_s"),
        Column::hidden("call_max_s"),
        Column::hidden("failed_calls"),
    ]);
    let row = |(mut row, group): (Vec<Value>, Group)| {
        let sum = group.sum();
        let (maximum, rank) = group.maximum(run);
        row.extend([
            Value::Seconds(maximum),
            rank,
            Value::Seconds(sum.time / ranks),
            Value::Seconds(sum.time),
            percent(sum.time, all),
            Value::Count(sum.calls),
            Value::Bytes(sum.sent.saturating_add(sum.received)),
            Value::Bytes(sum.sent),
            Value::Bytes(sum.received),
            Value::Seconds(sum.shortest),
            Value::Seconds(sum.longest),
            Value::Count(sum.failed),
        ]);
        row
    };
    Table::new(name, title, columns, groups.into_iter().map(row).collect())
}
