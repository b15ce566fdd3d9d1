//! `ranks`: the processes of the run.

use super::column::DataColumn;
use super::set::{DataSet, RankOfRows, rank_columns, seconds};
use super::table::DataRow;
use crate::model::clock::kind_in_words;
use crate::model::rank::is_nested;
use crate::model::sums::Total;
use crate::model::{End, Rank};

/// A process.
pub struct RankRow {
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
    in_mpi: f64,
    clock: &'static str,
    clock_source: &'static str,
    clock_error: f64,
}

impl DataRow for RankRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "ranks";
    const MEANING: &'static str = "A process that was recorded.";

    fn columns() -> Vec<DataColumn<RankRow, RankOfRows>> {
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::text("file", "its file in the run's folder", |row: &RankRow, _| row.file.clone()),
            DataColumn::whole("file_bytes", "size of that file", |row: &RankRow, _| row.bytes),
            DataColumn::text("host", "host it ran on", |row: &RankRow, _| row.host.clone()),
            DataColumn::number("process_id", "the system's number of the process", |row: &RankRow, _| row.pid),
            DataColumn::text("program", "path of its executable", |row: &RankRow, _| row.program.clone()),
            DataColumn::text("mpi", "what MPI_Get_library_version said", |row: &RankRow, _| row.library.clone()),
            DataColumn::flag(
                "profile",
                "only counts and times were recorded, from the start or from some point on",
                |row: &RankRow, _| row.is_profile,
            ),
            DataColumn::text(
                "end",
                "how the recording ended: finalized, outside MPI, or inside a call",
                |row: &RankRow, _| row.end.to_string(),
            ),
            DataColumn::whole("threads", "threads that called MPI at once", |row: &RankRow, _| row.threads),
            DataColumn::whole("calls", "calls it made, but for those inside other calls", |row: &RankRow, _| row.calls),
            DataColumn::whole("begin_ticks", "when it entered MPI_Init, as its counter said", |row: &RankRow, _| {
                row.begin_ticks
            }),
            DataColumn::real(
                "begin_s",
                "when it entered MPI_Init, seconds since the first rank did",
                |row: &RankRow, _| row.begin,
            ),
            DataColumn::real(
                "wall_s",
                "time between MPI_Init and the end of MPI_Finalize; else until now of a process that runs, or its last sign of life",
                |row: &RankRow, _| row.wall,
            ),
            DataColumn::real("in_mpi_s", "time its threads spent in MPI, added", |row: &RankRow, _| row.in_mpi),
            DataColumn::text("clock", "what its ticks count", |row: &RankRow, _| row.clock.to_string()),
            DataColumn::text("clock_source", "what its place on the run's time line rests on", |row: &RankRow, _| {
                row.clock_source.to_string()
            }),
            DataColumn::real(
                "clock_error_s",
                "by how much its times may be off against the first rank's when it began",
                |row: &RankRow, _| row.clock_error,
            ),
        ]);
        columns
    }
}

/// A rank's own row.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<RankRow> {
    let (rank, line) = (&set.run.ranks[at], &set.timeline.lines[at]);
    let begin = line.nanoseconds_at(rank.header.begin.ticks);
    vec![RankRow {
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
        in_mpi: rank.time_in_mpi(),
        clock: kind_in_words(&rank.header),
        clock_source: line.source.in_words(),
        clock_error: seconds(line.error(begin)),
    }]
}

fn end(rank: &Rank) -> &'static str {
    match rank.end {
        End::Finalized => "finalized",
        End::Outside { .. } => "outside MPI",
        End::Inside { .. } => "inside a call",
    }
}
