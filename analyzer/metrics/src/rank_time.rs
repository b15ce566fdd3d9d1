//! Each rank's time in parts that add up: computation, waiting for other ranks, and the rest of its MPI calls by
//! purpose.
//!
//! With more than `ROWS` ranks, neighbors share a row, which has their mean.

use traces::calls::{Call, Class};

use super::totals::{self, CallGroup, seconds, world_rank};
use crate::meaning;
use model::matching::Account;
use model::roles::CallSite;
use model::{Rank, Run};
use tables::part::Addend::{Nanoseconds, RanOfThreads, Waited};
use tables::part::{PartFigure, PartName, PartRows, PartTable, added};
use tables::{Column, Row, Table, WorldRank};

const ROWS: usize = 1024;

/// The purposes of calls, in the order in which they are shown.
const KINDS: [&str; 6] = ["point-to-point", "collective", "one-sided", "files", "start and end", "other MPI"];

/// The purposes as a sentence names them.
const IN_WORDS: [&str; KINDS.len()] = [
    "calls about messages",
    "collective calls",
    "one-sided calls",
    "calls about files",
    "MPI_Init, MPI_Finalize and the like",
    "MPI",
];

const OTHER: usize = KINDS.len() - 1;

fn kind(class: Class) -> usize {
    match class {
        Class::PointToPoint | Class::Probe | Class::Completion | Class::Buffer => 0,
        Class::Collective | Class::Neighborhood => 1,
        Class::Rma | Class::Window => 2,
        Class::Io | Class::File => 3,
        Class::Lifecycle | Class::Session | Class::Process => 4,
        _ => OTHER,
    }
}

/// Attribute of functions whose value is [`part_key`].
pub const PART: &str = "part";

/// The key of the column that holds the time of a function, by the function's number.
pub fn part_key(function: u16) -> String {
    key(KINDS[Call::from_number(function).map_or(OTHER, |call| kind(call.class()))])
}

fn key(kind: &str) -> String {
    format!("{}_s", kind.replace([' ', '-'], "_").to_lowercase())
}

/// The parts of a rank's time in seconds, or the means of several ranks.
pub struct RankTimeRow {
    rank: WorldRank,
    ranks: u64,
    computation: f64,
    /// `None` if single calls were not recorded.
    waiting: Option<f64>,
    kinds: [f64; KINDS.len()],
}

impl Row for RankTimeRow {
    const TABLE: &'static str = "rank_time";
    fn columns() -> Vec<Column<Self>> {
        // Sum of an addend over the functions of a kind.
        let of = |addend, kind: &str| PartFigure::AddedWhere(addend, PART, key(kind));
        let waited = KINDS.map(|kind| of(Waited, kind).at_most(of(Nanoseconds, kind)));
        let mut columns = vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK).in_part(PartName::Rank),
            Column::count("ranks", "ranks", |row: &Self| (row.ranks > 1).then_some(row.ranks))
                .means("How many neighboring ranks the row is the mean of.")
                .silent_empty(),
            Column::seconds("computation_s", "computation", |row: &Self| row.computation)
                .means("Time outside MPI.")
                .in_part(added(RanOfThreads).without(Nanoseconds)),
            Column::seconds("waiting_s", "waiting", |row: &Self| row.waiting)
                .means("Time in MPI in which the rank waited for others.")
                .in_part(PartFigure::Plus(waited.into())),
        ];
        columns.extend(KINDS.iter().enumerate().map(|(at, name)| {
            Column::seconds(key(name), *name, move |row: &Self| Some(row.kinds[at]).filter(|time| *time > 0.0))
                .means(format!("The rest of its time in {}.", IN_WORDS[at]))
                .silent_empty()
                .in_part(of(Nanoseconds, name).without(of(Waited, name)).if_any())
        }));
        columns
    }
}

/// One row for each rank, or for several neighbors. The waiting time is known only with an account.
pub fn table(run: &Run, account: Option<&Account>) -> Table<RankTimeRow> {
    let groups = totals::group_calls(run, |_, _, entry| {
        Some(Call::from_number(entry.signature.call).map_or(OTHER, |call| kind(call.class())))
    });
    let waits = account.map(|account| waited(run, account));
    let one = |at: usize, rank: &Rank| {
        let mut kinds: [f64; KINDS.len()] =
            std::array::from_fn(|kind| groups.get(&kind).map_or(0.0, |group: &CallGroup| group.of_rank(at).time));
        let waiting = waits.as_ref().map(|waits| {
            let mut waiting = 0.0;
            for (time, wait) in kinds.iter_mut().zip(waits[at]) {
                // Waits are measured on the common clock, which runs a little differently from the rank's own.
                let wait = wait.min(*time);
                *time -= wait;
                waiting += wait;
            }
            waiting
        });
        RankTimeRow { rank: world_rank(rank), ranks: 1, computation: rank.computation(), waiting, kinds }
    };
    let rows: Vec<RankTimeRow> = run.asked_places().map(|(at, rank)| one(at, rank)).collect();
    let each = rows.len().div_ceil(ROWS).max(1);
    let title = match each {
        1 => "time by rank".to_string(),
        each => format!("time by rank: means of {each} neighbors each"),
    };
    Table::new(title, if each == 1 { rows } else { rows.chunks(each).map(mean).collect() })
        .in_part(PartTable::new(PartRows::Ranks, &[]))
}

/// Seconds that each rank waited, by purpose of the call.
fn waited(run: &Run, account: &Account) -> Vec<[f64; KINDS.len()]> {
    let of_place = |place: &CallSite| place.call().map_or(OTHER, |call| kind(call.class()));
    let kinds: Vec<usize> = run.call_sites().iter().map(of_place).collect();
    let mut waits = vec![[0.0; KINDS.len()]; run.ranks.len()];
    for (key, sum) in &account.waits.sums {
        waits[key.waiter.rank as usize][kinds[key.waiter.place.number()]] += seconds(sum.time);
    }
    waits
}

fn mean(rows: &[RankTimeRow]) -> RankTimeRow {
    let count = rows.len() as f64;
    let mean = |figure: &dyn Fn(&RankTimeRow) -> f64| rows.iter().map(figure).sum::<f64>() / count;
    RankTimeRow {
        rank: rows[0].rank,
        ranks: rows.len() as u64,
        computation: mean(&|row| row.computation),
        waiting: rows[0].waiting.map(|_| mean(&|row| row.waiting.unwrap_or(0.0))),
        kinds: std::array::from_fn(|at| mean(&|row| row.kinds[at])),
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, kind};
    use traces::calls::Call;

    #[test]
    fn each_call_counts_among_those_of_its_purpose() {
        let purposes = [
            (Call::Wait, "point-to-point"),
            (Call::Buffer_attach, "point-to-point"),
            (Call::Neighbor_alltoall, "collective"),
            (Call::Win_fence, "one-sided"),
            (Call::File_open, "files"),
            (Call::Init, "start and end"),
            (Call::Session_init, "start and end"),
            (Call::Comm_spawn, "start and end"),
            (Call::Type_commit, "other MPI"),
        ];
        for (call, purpose) in purposes {
            assert_eq!(KINDS[kind(call.class())], purpose, "{call:?}");
        }
    }
}
