//! The functions on call paths as frames of a picture, each as wide as its time in MPI.

use super::{PathSums, RunPaths};
use crate::meaning;
use crate::totals::{percent, seconds, world_rank};
use model::Run;
use model::sites::short_function;
use tables::part::Addend::{Bytes, Calls, Computed, Nanoseconds, Waited};
use tables::part::{PartFigure, PartRows, PartRule, PartTable, added};
use tables::{Column, Row, Table, WorldRank};

/// Maximum number of frames of a picture: more are too small to be seen.
pub const FRAMES: usize = 4096;

/// A function on the way to calls of MPI, or one of MPI's. Times in seconds.
pub struct FrameRow {
    path: u32,
    caller: Option<u32>,
    function: String,
    site: String,
    all: PathSums,
    share: Option<f64>,
    /// `None` if waits are unknown.
    waited: Option<f64>,
    waiting_share: Option<f64>,
    most: f64,
    most_rank: Option<WorldRank>,
}

impl Row for FrameRow {
    const TABLE: &'static str = "frames";
    fn columns() -> Vec<Column<Self>> {
        let time = || added(Nanoseconds);
        let spent = || PartFigure::Plus(vec![added(Computed), added(Nanoseconds)]);
        vec![
            Column::id("path", "path", |row: &Self| row.path).in_part(PartRule::Kept),
            Column::id("caller_path", "caller", |row: &Self| row.caller).in_part(PartRule::Kept),
            Column::text("function", "function", |row: &Self| row.function.clone()).in_part(PartRule::Kept),
            Column::text("site", "called at", |row: &Self| row.site.clone()).in_part(PartRule::Kept),
            Column::seconds("spent_s", "computing and in MPI", |row: &Self| seconds(row.all.spent())).in_part(spent()),
            Column::seconds("compute_s", "computing", |row: &Self| seconds(row.all.computed)).in_part(Computed),
            Column::percent("compute_share_percent", "share that computes %", |row: &Self| {
                percent(row.all.computed as f64, row.all.spent() as f64)
            })
            .in_part(added(Computed).over(spent())),
            Column::seconds("time_total_s", "in MPI", |row: &Self| seconds(row.all.time)).in_part(Nanoseconds),
            Column::percent("time_share_percent", "share of all %", |row: &Self| row.share)
                .means(meaning::TIME_SHARE_PERCENT)
                .in_part(time().over(time().whole())),
            Column::seconds("wait_s", "waiting", |row: &Self| row.waited).in_part(Waited),
            Column::percent("wait_share_percent", "share that waits %", |row: &Self| row.waiting_share)
                .in_part(added(Waited).over(Nanoseconds)),
            Column::seconds("time_max_s", "most of any rank", |row: &Self| row.most)
                .means(meaning::TIME_MAX_S)
                .in_part(time().most()),
            Column::rank("time_max_rank", "rank", |row: &Self| row.most_rank)
                .means(meaning::TIME_MAX_RANK)
                .in_part(PartRule::RankWithMost(time())),
            Column::count("calls", "calls", |row: &Self| row.all.calls).means(meaning::CALLS).in_part(Calls),
            Column::bytes("bytes", "bytes", |row: &Self| row.all.bytes).means(meaning::BYTES).in_part(Bytes),
        ]
    }
}

/// Columns that only sampled runs have.
const OF_SAMPLES: [&str; 3] = ["spent_s", "compute_s", "compute_share_percent"];

/// The frames with the most time; among the callees of a function, those with more time come first.
pub fn frames(run: &Run, paths: &RunPaths) -> Table<FrameRow> {
    let mut numbers: Vec<u32> = (0..paths.tree.nodes.len() as u32).filter(|node| paths.has_figures(*node)).collect();
    // A caller has at least the time of its callees, and a lower number.
    numbers.sort_by_key(|node| (std::cmp::Reverse(paths.total(*node).spent()), *node));
    numbers.truncate(FRAMES);
    let rows = numbers.into_iter().map(|node| row(run, paths, node)).collect();
    let mut columns = FrameRow::columns();
    columns.retain(|column| paths.is_sampled || !OF_SAMPLES.contains(&column.head.key.as_ref()));
    let width = if paths.is_sampled { "spent_s" } else { "time_total_s" };
    let part = PartTable::new(PartRows::Paths, &[]).only(width);
    Table::with_columns(FrameRow::TABLE, "", columns, rows).in_part(part)
}

fn row(run: &Run, paths: &RunPaths, number: u32) -> FrameRow {
    let node = &paths.tree.nodes[number as usize];
    let all = paths.total(number);
    let of_ranks = run.ranks.iter().zip(&paths.all[number as usize]).filter(|(rank, _)| rank.is_asked);
    let most = of_ranks.rev().max_by_key(|(_, sums)| sums.time);
    FrameRow {
        path: number,
        caller: node.parent,
        function: short_function(&node.function),
        site: node.site.clone(),
        all,
        share: percent(all.time as f64, paths.whole.time as f64),
        waited: paths.has_waits.then(|| seconds(all.waited)),
        waiting_share: percent(all.waited as f64, all.time as f64).filter(|_| paths.has_waits),
        most: most.map_or(0.0, |(_, sums)| seconds(sums.time)),
        most_rank: most.map(|(rank, _)| world_rank(rank)),
    }
}
