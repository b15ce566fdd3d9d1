//! Calls in which the ranks slept between their calls of MPI: by line of the program, and by rank.

use std::collections::BTreeMap;

use super::accessed::{Accessed, RankAccesses, of_run};
use super::totals::{percent, world_rank};
use crate::meaning;
use model::Run;
use model::accesses::AccessSums;
use tables::{Column, Row, Table, WorldRank};
use traces::accesses::{Operation, Target};

/// The sleeps of the selected ranks that have any.
pub fn of_sleeps(run: &Run) -> Vec<RankAccesses<'_>> {
    of_run(run, Operation::sleeps)
}

/// What a thread waits for in a function that sleeps.
fn awaited(operation: Operation) -> &'static str {
    match operation.target() {
        Target::File => "a file",
        Target::Time => "time",
        Target::Descriptors => "input or output",
        Target::Semaphore => "a semaphore",
        Target::Condition => "a condition",
        Target::Lock => "a lock",
        Target::Threads => "threads",
        Target::Process => "a process",
    }
}

/// Sleeps in one function from one place in the program.
pub struct SleepRow {
    operation: Operation,
    site: String,
    place: String,
    all: Accessed,
}

impl Row for SleepRow {
    const TABLE: &'static str = "sleeps";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("function", "function", |row: &Self| row.operation.name().to_string())
                .means("The function that sleeps."),
            Column::text("waits_for", "waits for", |row: &Self| awaited(row.operation).to_string())
                .means("What it waits for.")
                .spare(7),
            Column::text("site", "", |row: &Self| row.site.clone())
                .means("Where the program calls it, by its callers or path if these were chosen."),
            Column::text("place", "called at", |row: &Self| row.place.clone())
                .means("The same in short: file and line."),
            Column::count("ranks", "ranks", |row: &Self| row.all.count_of_ranks()).means("How many ranks do.").spare(5),
            Column::count("sleeps", "sleeps", |row: &Self| row.all.sums.count).means(
                "How often they slept there, all ranks together: calls that return at once, within 2 to 4 us, are not counted.",
            ),
            Column::seconds("time_s", "time", |row: &Self| row.all.time).means("Time in these, all ranks together."),
            Column::seconds("time_max_s", "most", |row: &Self| row.all.most().map(|most| most.1))
                .means("The same of the rank with the most.")
                .spare(3),
            Column::rank("max_rank", "by rank", |row: &Self| row.all.most().map(|most| most.0))
                .means(meaning::MAX_RANK)
                .spare(3),
            Column::seconds("longest_s", "longest", |row: &Self| row.all.longest)
                .means("The longest single sleep.")
                .spare(6),
        ]
    }
}

/// One row for each function and place, the one with the most time first.
pub fn by_place(run: &Run, ranks: &[RankAccesses<'_>]) -> Table<SleepRow> {
    let mut rows: BTreeMap<(Operation, String, String), SleepRow> = BTreeMap::new();
    for RankAccesses { rank, sums } in ranks {
        for (key, sums) in sums {
            let operation = key.operation;
            let (site, place) = run.sites.outside_headers(rank, key.site);
            let name = (operation, site.clone(), place.clone());
            let new = || SleepRow { operation, site, place, all: Accessed::default() };
            rows.entry(name).or_insert_with(new).all.add(rank, sums);
        }
    }
    let mut rows: Vec<SleepRow> = rows.into_values().collect();
    rows.sort_by(|a, b| b.all.time.total_cmp(&a.all.time));
    Table::new("sleeps by line", rows)
}

/// A rank's time asleep by its own calls.
pub struct RankSleepsRow {
    rank: WorldRank,
    sleeps: u64,
    time: f64,
    share: Option<f64>,
    longest: f64,
}

impl Row for RankSleepsRow {
    const TABLE: &'static str = "sleep_ranks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::count("sleeps", "sleeps", |row: &Self| row.sleeps).means("How often it slept."),
            Column::seconds("time_s", "time", |row: &Self| row.time)
                .means("Its time in that, all threads that call MPI together."),
            Column::percent("time_share_percent", "of its time", |row: &Self| row.share)
                .means("The same as a share of the rank's time; above 100 if several threads slept at once."),
            Column::seconds("longest_s", "longest", |row: &Self| row.longest).means("Its longest single sleep."),
        ]
    }
}

/// One row for each rank that slept.
pub fn by_rank(ranks: &[RankAccesses<'_>]) -> Table<RankSleepsRow> {
    let row = |RankAccesses { rank, sums }: &RankAccesses<'_>| {
        let mut all = AccessSums::default();
        for sums in sums.values() {
            all.merge(sums);
        }
        let (from, until) = rank.selected_ends();
        let time = rank.clock.seconds(all.time);
        let share = percent(time, rank.clock.seconds(until.saturating_sub(from)));
        let longest = rank.clock.seconds(all.longest);
        RankSleepsRow { rank: world_rank(rank), sleeps: all.count, time, share, longest }
    };
    Table::new("by rank", ranks.iter().map(row).collect())
}
