//! Lists the functions on call paths one by one, over all their callers.

use std::collections::{BTreeMap, BTreeSet};

use super::{PathSums, RunPaths};
use crate::meaning;
use crate::totals::{seconds, world_rank};
use model::Run;
use model::sites::{CallNode, short_function};
use tables::{Column, Row, Table, WorldRank};

/// A function of the program or of MPI. Times in seconds, of all ranks.
pub struct FlatRow {
    function: String,
    file: String,
    own: PathSums,
    all: PathSums,
    is_sampled: bool,
    has_waits: bool,
    most: f64,
    most_rank: Option<WorldRank>,
}

impl Row for FlatRow {
    const TABLE: &'static str = "path_functions";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |row: &Self| row.function.clone())
                .means("The function, as its compiler's users know it; of the program or of MPI.")
                .name(),
            Column::text("file", "in", |row: &Self| row.file.clone())
                .means("The function's source file, empty if unknown.")
                .name()
                .spare(1),
            Column::seconds("own_s", "itself", |row: &Self| seconds(row.own.spent())).means(
                "Time of the function itself: a function of MPI's inside MPI, another one's computing, by samples.",
            ),
            Column::seconds("own_max_s", "max", |row: &Self| row.most).means("The most of any rank."),
            Column::rank("own_max_rank", "rank", |row: &Self| row.most_rank).means("The rank with the most."),
            Column::seconds("compute_s", "computing", |row: &Self| row.is_sampled.then(|| seconds(row.all.computed)))
                .means("Processor time between calls of MPI in the function and in those that it calls, by samples.")
                .silent_empty(),
            Column::seconds("time_total_s", "in MPI", |row: &Self| seconds(row.all.time))
                .means("Time in calls of MPI that the function leads to."),
            Column::seconds("wait_s", "waiting", |row: &Self| row.has_waits.then(|| seconds(row.all.waited)))
                .means("The part of that in which ranks waited for others; none where no single calls were recorded."),
            Column::count("calls", "calls", |row: &Self| row.all.calls).means(meaning::CALLS).spare(2),
        ]
    }
}

/// One row for each function, the one with the most time of its own first. Calls below a recursion count once.
pub fn functions(run: &Run, paths: &RunPaths) -> Table<FlatRow> {
    let identity = |node: &CallNode| (short_function(&node.function), node.file.clone());
    let mut functions: BTreeMap<(String, String), (Vec<PathSums>, PathSums)> = BTreeMap::new();
    for (number, own) in (0..).zip(&paths.own).filter(|(_, own)| own.iter().any(PathSums::is_something)) {
        let around: BTreeSet<_> =
            paths.tree.upwards(Some(number)).map(|node| identity(&paths.tree.nodes[node as usize])).collect();
        for function in around {
            functions.entry(function).or_default().1.add(&PathSums::total(own));
        }
        let of_ranks = &mut functions.entry(identity(&paths.tree.nodes[number as usize])).or_default().0;
        of_ranks.resize(own.len(), PathSums::default());
        for (sums, more) in of_ranks.iter_mut().zip(own) {
            sums.add(more);
        }
    }
    let row = |((function, file), (of_ranks, all)): ((String, String), (Vec<PathSums>, PathSums))| {
        let most = of_ranks.iter().zip(&run.ranks).rev().max_by_key(|(sums, _)| sums.spent());
        let most = most.filter(|(sums, _)| sums.spent() > 0);
        FlatRow {
            function,
            file: file.rsplit('/').next().unwrap_or_default().into(),
            own: PathSums::total(&of_ranks),
            all,
            is_sampled: paths.is_sampled,
            has_waits: paths.has_waits,
            most: most.map_or(0.0, |(sums, _)| seconds(sums.spent())),
            most_rank: most.map(|(_, rank)| world_rank(rank)),
        }
    };
    let mut rows: Vec<FlatRow> = functions.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.own.spent(), row.all.spent())));
    Table::new("", rows).asked()
}
