//! Where the engine was entered too seldom: requests were pending and nothing entered it.

use crate::meaning;
use crate::totals::world_rank;
use model::Run;
use model::engine::EngineAccount;
use tables::{Column, Row, Table, WorldRank};

/// The most rows that people are shown.
const ROWS: usize = 8;

/// The intervals between two calls of a thread in which requests were pending. Times in seconds.
pub struct StarvedRow {
    pub(crate) rank: WorldRank,
    pub(crate) longest: f64,
    percentile_99: f64,
    pub(crate) times: u64,
    pending: u64,
    pub(crate) from: String,
    pub(crate) to: String,
    longest_began: f64,
}

impl StarvedRow {
    /// A time that 99 of 100 do not exceed, seconds.
    pub(crate) fn typical(&self) -> f64 {
        self.percentile_99
    }
}

impl Row for StarvedRow {
    const TABLE: &'static str = "starved";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("longest_s", "longest", |row: &Self| row.longest)
                .means("The longest time in which requests were pending and nobody entered the progress engine."),
            Column::seconds("percentile_99_s", "99 % below", |row: &Self| row.percentile_99)
                .means("What 99 of 100 such times take at most.")
                .spare(2),
            Column::count("times", "times", |row: &Self| row.times).means("How many such times."),
            Column::count("pending_requests", "pending", |row: &Self| row.pending)
                .means("Requests pending in the longest one.")
                .spare(1),
            Column::text("from_site", "between", |row: &Self| row.from.clone())
                .means("The call before the longest one."),
            Column::text("to_site", "and", |row: &Self| row.to.clone()).means("The call after it."),
            Column::seconds("longest_began_s", "", |row: &Self| row.longest_began)
                .means("When it began, since the first rank entered MPI_Init."),
        ]
    }
}

/// One row for each rank, thread and pair of calls, the longest interval first.
pub fn starved(run: &Run, engines: &[Vec<EngineAccount>]) -> Table<StarvedRow> {
    let mut rows = Vec::new();
    for (rank, threads) in run.ranks.iter().zip(engines) {
        for engine in threads.iter().filter(|engine| !engine.shared) {
            rows.extend(engine.starved.iter().map(|((from, to), starved)| StarvedRow {
                rank: world_rank(rank),
                longest: rank.clock.seconds(starved.longest),
                percentile_99: rank.clock.seconds(starved.percentile_99()),
                times: starved.count(),
                pending: starved.pending,
                from: run.sites.place(rank, *from),
                to: run.sites.place(rank, *to),
                longest_began: rank.clock.seconds(starved.at.saturating_sub(rank.header.begin.ticks)),
            }));
        }
    }
    rows.sort_by(|a, b| b.longest.total_cmp(&a.longest));
    Table::new("requests pending while nothing entered the engine, by the calls around", rows).most(ROWS)
}
