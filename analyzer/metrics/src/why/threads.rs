//! Time of the threads other than the first, whose waits are not followed.

use model::attribution::ThreadTimes;
use tables::{Column, Row, Table, WorldRank};

use super::Why;
use crate::meaning;
use crate::totals::{percent, seconds, world_rank};

/// Maximum number of rows shown to people.
const ROWS: usize = 8;

/// A thread that called MPI, but did not initialize it.
pub struct OtherThreadRow {
    rank: WorldRank,
    thread: u32,
    life: f64,
    in_mpi: Option<f64>,
}

impl Row for OtherThreadRow {
    const TABLE: &'static str = "threads";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::number("thread", "thread", |row: &Self| u64::from(row.thread))
                .means("The thread's number in the rank's file; 0 is the first."),
            Column::seconds("time_s", "time", |row: &Self| row.life)
                .means("From its first recorded call to the end of its last one."),
            Column::percent("in_mpi_percent", "in MPI %", |row: &Self| row.in_mpi)
                .means("Share of that time in MPI, waits included."),
        ]
    }
}

/// One row for each thread, those with the most time in MPI first.
pub fn table(why: &Why, threads: &[ThreadTimes]) -> Table<OtherThreadRow> {
    let asked = threads.iter().filter(|thread| why.run.ranks[thread.rank as usize].is_asked);
    let mut asked: Vec<(i64, &ThreadTimes)> =
        asked.map(|thread| (thread.times.of(|key| key.spent.is_in_mpi()), thread)).collect();
    asked.sort_by_key(|(in_mpi, thread)| (std::cmp::Reverse(*in_mpi), thread.rank, thread.thread));
    let row = |(in_mpi, thread): (i64, &ThreadTimes)| OtherThreadRow {
        rank: world_rank(&why.run.ranks[thread.rank as usize]),
        thread: thread.thread,
        life: seconds(thread.times.life),
        in_mpi: percent(in_mpi as f64, thread.times.life as f64),
    };
    let title = "threads other than the first, whose waits are not followed";
    Table::new(title, asked.into_iter().map(row).collect()).most(ROWS).silent_empty()
}
