//! `ranks`: the processes of the run.

use super::set::{DataSet, RankOfRows, rank_columns};
use crate::data_table::{DataRow, VERSION};
use metrics::ranks::RankUsage;
use metrics::totals::seconds;
use model::clock::kind_in_words;
use model::rank::is_nested;
use model::sums::Total;
use model::{End, Rank};
use tables::{Column, Shared, Unit};

pub struct RankRow {
    run: Option<String>,
    size: u32,
    file: String,
    bytes: u64,
    host: String,
    pid: u32,
    program: String,
    library: String,
    is_profile: bool,
    end: &'static str,
    threads: u64,
    calls: u64,
    begin_ticks: u64,
    begin: f64,
    wall: f64,
    wall_of_threads: f64,
    in_mpi: f64,
    clock: &'static str,
    clock_source: &'static str,
    clock_error: f64,
    usage: RankUsage,
}

impl DataRow for RankRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "ranks";
    const MEANING: &'static str = "A process that was recorded.";

    fn columns() -> Vec<Column<RankRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            Shared::count("data_set_version", |_: &RankRow, _| VERSION)
                .means("raised where a table or column goes or changes its meaning"),
            Shared::text("run", |row: &RankRow, _| row.run.clone()).means(
                "identity of the run, the same for all its ranks; null for a process that ended before it was agreed",
            ),
            Shared::id("size", |row: &RankRow, _| row.size).means("ranks of its world"),
            Shared::text("file", |row: &RankRow, _| row.file.clone()).means("its file in the run's folder"),
            Shared::bytes("file_bytes", |row: &RankRow, _| row.bytes).means("size of that file"),
            Shared::text("host", |row: &RankRow, _| row.host.clone()).means("host it ran on"),
            Shared::id("process_id", |row: &RankRow, _| row.pid).means("the system's number of the process"),
            Shared::text("program", |row: &RankRow, _| row.program.clone()).means("path of its executable"),
            Shared::text("mpi", |row: &RankRow, _| row.library.clone()).means("what MPI_Get_library_version said"),
            Shared::flag("profile", |row: &RankRow, _| row.is_profile)
                .means("only counts and times were recorded, from the start or from some point on"),
            Shared::text("end", |row: &RankRow, _| row.end.to_string())
                .means("how the recording ended: finalized, outside MPI, or inside a call"),
            Shared::count("threads", |row: &RankRow, _| row.threads).means("threads that called MPI at once"),
            Shared::count("calls", |row: &RankRow, _| row.calls)
                .means("calls it made, but for those inside other calls"),
            Shared::ticks("begin_ticks", |row: &RankRow, _| row.begin_ticks)
                .means("when it entered MPI_Init, as its counter said"),
            Shared::seconds("begin_s", |row: &RankRow, _| row.begin)
                .means("when it entered MPI_Init, seconds since the first rank did"),
            Shared::seconds("wall_s", |row: &RankRow, _| row.wall)
                .means("time between MPI_Init and the end of MPI_Finalize; else until now of a process that runs, or its last sign of life"),
            Shared::seconds("wall_of_threads_s", |row: &RankRow, _| row.wall_of_threads)
                .means("the same added up over the threads that called MPI"),
            Shared::seconds("in_mpi_s", |row: &RankRow, _| row.in_mpi).means("time its threads spent in MPI, added"),
            Shared::text("clock", |row: &RankRow, _| row.clock.to_string()).means("what its ticks count"),
            Shared::text("clock_source", |row: &RankRow, _| row.clock_source.to_string())
                .means("what its place on the run's clock rests on"),
            Shared::seconds("clock_error_s", |row: &RankRow, _| row.clock_error)
                .means("by how much its times may be off against the first rank's when it began"),
        ]);
        // Readers of the data set divide by the time they need.
        let usage = RankUsage::columns().into_iter().filter(|column| column.head.unit != Unit::Percent);
        columns.extend(usage.map(|column| column.from_part(|row: &RankRow| &row.usage).beside_shared()));
        columns
    }
}

pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<RankRow> {
    let (rank, line) = (&set.run.ranks[at], &set.common_clock.lines[at]);
    let begin = line.nanoseconds_at(rank.header.begin.ticks);
    vec![RankRow {
        run: identity(&rank.header.run),
        size: rank.header.size,
        file: rank.file.clone(),
        bytes: rank.bytes,
        host: rank.process.host.clone(),
        pid: rank.header.pid,
        program: rank.process.program.clone(),
        library: rank.library.version.clone(),
        is_profile: rank.is_profile(),
        end: end(rank),
        threads: rank.thread_count() as u64,
        calls: rank.entries().filter(|entry| !is_nested(entry)).map(|entry| entry.count).total(),
        begin_ticks: rank.header.begin.ticks,
        begin: seconds(begin),
        wall: rank.wall(),
        wall_of_threads: rank.wall_of_threads(),
        in_mpi: rank.time_in_mpi(),
        clock: kind_in_words(&rank.header),
        clock_source: line.source.in_words(),
        clock_error: seconds(line.error(begin)),
        usage: RankUsage::of(rank),
    }]
}

/// A run's identity in hexadecimal digits.
fn identity(run: &[u8; 16]) -> Option<String> {
    (*run != [0; 16]).then(|| run.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn end(rank: &Rank) -> &'static str {
    match rank.end {
        End::Finalized => "finalized",
        End::Outside { .. } => "outside MPI",
        End::Inside { .. } => "inside a call",
    }
}
