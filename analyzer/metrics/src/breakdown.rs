//! The breakdown of the time in MPI: by function, as in Table I of Gabriel, UH-CS-10-02, and by other properties of a
//! call (`groupings.rs`).
//!
//! Every table has the same figures: the maximum over ranks and the rank that has it, the mean over ranks, the total,
//! its share of all time in MPI, the calls and the bytes. Groups that lie on one rank have no maximum and no mean.

use super::totals::{self, CallGroup, Totals, percent};
use crate::meaning;
use model::Run;
use tables::part::Addend::{Bytes, Calls, Nanoseconds, Ranks};
use tables::part::{PartName, PartRows, PartRule, PartTable, added};
use tables::{Column, Row, Table, WorldRank};

/// The figures of calls that have `name` in common. Times in seconds.
pub struct GroupRow<Name> {
    pub name: Name,
    max: f64,
    max_rank: Option<WorldRank>,
    mean: f64,
    share: Option<f64>,
    sum: Totals,
}

/// The figures of calls that all lie on one rank.
pub struct SingleRankRow<Name> {
    name: Name,
    share: Option<f64>,
    sum: Totals,
}

pub fn functions(run: &Run) -> Table<GroupRow<FunctionName>> {
    let groups = totals::by_function(run).into_iter().map(|(function, group)| (FunctionName { function }, group));
    Table::new("", rows(run, groups)).in_part(by_calls(&["time_total_s"]))
}

/// A table that a part of the run fills with rows of the calls in it.
pub fn by_calls(order: &'static [&'static str]) -> PartTable {
    PartTable::new(PartRows::Calls, order)
}

/// A function's calls on all ranks, added up elsewhere.
pub struct FunctionSum {
    pub function: String,
    /// Longest time of a rank, in seconds, and that rank.
    pub max: f64,
    pub max_rank: Option<WorldRank>,
    pub sum: Totals,
}

/// The table of [`functions`] from their sums over `ranks` ranks, which spent `all` seconds in MPI.
pub fn functions_of(mut sums: Vec<FunctionSum>, ranks: u64, all: f64) -> Table<GroupRow<FunctionName>> {
    sums.sort_by(|a, b| b.sum.time.total_cmp(&a.sum.time).then_with(|| a.function.cmp(&b.function)));
    let row = |FunctionSum { function, max, max_rank, sum }: FunctionSum| {
        let (mean, share) = (sum.time / ranks as f64, percent(sum.time, all));
        GroupRow { name: FunctionName { function }, max, max_rank, mean, share, sum }
    };
    Table::new("", sums.into_iter().map(row).collect()).in_part(by_calls(&["time_total_s"]))
}

pub struct FunctionName {
    pub function: String,
}

impl Row for FunctionName {
    const TABLE: &'static str = "functions";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |name: &Self| name.function.clone())
                .means(meaning::FUNCTION)
                .name()
                .in_part(PartName::Function),
        ]
    }
}

/// Rows of groups, the one with the most time first.
pub fn rows<Name>(run: &Run, groups: impl Iterator<Item = (Name, CallGroup)>) -> Vec<GroupRow<Name>> {
    let ranks = run.asked().count() as f64;
    let row = |(name, group, share, sum): (Name, CallGroup, Option<f64>, Totals)| {
        let (max, max_rank) = group.maximum(run);
        GroupRow { name, max, max_rank, mean: sum.time / ranks, share, sum }
    };
    sorted(run, groups).map(row).collect()
}

/// Rows of groups that lie on one rank each, the one with the most time first.
pub fn single_rank_rows<Name>(run: &Run, groups: impl Iterator<Item = (Name, CallGroup)>) -> Vec<SingleRankRow<Name>> {
    sorted(run, groups).map(|(name, _, share, sum)| SingleRankRow { name, share, sum }).collect()
}

/// Drops groups without calls, sorts by time, the most first, and adds each group's share of all time in MPI and its
/// sum.
fn sorted<Name>(
    run: &Run,
    groups: impl Iterator<Item = (Name, CallGroup)>,
) -> impl Iterator<Item = (Name, CallGroup, Option<f64>, Totals)> {
    let all: f64 = run.asked().map(|rank| rank.time_in_mpi()).sum();
    let mut groups: Vec<_> = groups.map(|(name, group)| (name, group.sum(), group)).collect();
    groups.retain(|(_, sum, _)| sum.calls > 0);
    groups.sort_by(|a, b| b.1.time.total_cmp(&a.1.time));
    groups.into_iter().map(move |(name, sum, group)| (name, group, percent(sum.time, all), sum))
}

impl<Name: Row> Row for GroupRow<Name> {
    const TABLE: &'static str = Name::TABLE;
    fn columns() -> Vec<Column<Self>> {
        let mut columns: Vec<_> =
            Name::columns().into_iter().map(|column| column.from_part(|row: &Self| &row.name)).collect();
        columns.extend([
            Column::seconds("time_max_s", "max", |row: &Self| row.max)
                .means(meaning::TIME_MAX_S)
                .in_part(added(Nanoseconds).most()),
            Column::rank("time_max_rank", "rank", |row: &Self| row.max_rank)
                .means(meaning::TIME_MAX_RANK)
                .in_part(PartRule::RankWithMost(added(Nanoseconds))),
            Column::seconds("time_mean_s", "mean", |row: &Self| row.mean)
                .means(meaning::TIME_MEAN_S)
                .spare(2)
                .in_part(added(Nanoseconds).over(Ranks)),
            Column::seconds("time_total_s", "total", |row: &Self| row.sum.time)
                .means(meaning::TIME_TOTAL_S)
                .spare(1)
                .in_part(Nanoseconds),
            Column::percent("time_share_percent", "share %", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_PERCENT)
                .spare(3)
                .in_part(added(Nanoseconds).over(added(Nanoseconds).whole())),
        ]);
        columns.extend(calls_and_bytes().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

impl<Name: Row> Row for SingleRankRow<Name> {
    const TABLE: &'static str = Name::TABLE;
    fn columns() -> Vec<Column<Self>> {
        let mut columns: Vec<_> =
            Name::columns().into_iter().map(|column| column.from_part(|row: &Self| &row.name)).collect();
        columns.extend([
            Column::seconds("time_total_s", "time", |row: &Self| row.sum.time).means(meaning::TIME_TOTAL_S).spare(1),
            Column::percent("time_share_percent", "share %", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_PERCENT)
                .spare(3),
        ]);
        columns.extend(calls_and_bytes().map(|column| column.from_part(|row: &Self| &row.sum)));
        columns
    }
}

/// The last columns of all these tables.
fn calls_and_bytes() -> impl Iterator<Item = Column<Totals>> {
    let columns = [
        Column::count("calls", "calls", |sum: &Totals| sum.calls).means(meaning::CALLS).in_part(Calls),
        totals::open_calls(),
        Column::bytes("bytes", "bytes", Totals::bytes).means(meaning::BYTES).in_part(Bytes),
        totals::pieces(),
        Column::bytes("sent_bytes", "", |sum: &Totals| sum.sent).means(meaning::SENT_BYTES),
        Column::bytes("received_bytes", "", |sum: &Totals| sum.received).means(meaning::RECEIVED_BYTES),
        Column::seconds("call_min_s", "", |sum: &Totals| sum.shortest).means(meaning::CALL_MIN_S),
        Column::seconds("call_max_s", "", |sum: &Totals| sum.longest).means(meaning::CALL_MAX_S),
        Column::count("failed_calls", "", |sum: &Totals| sum.failed).means(meaning::FAILED_CALLS),
    ];
    columns.into_iter()
}
