//! `waits`: each time that a rank waited for another.

use super::column::DataColumn;
use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns, seconds};
use super::table::DataRow;
use model::matching::WaitSpan;

/// A wait.
pub struct WaitRow {
    span: WaitSpan,
    /// Rank and world that were waited for, where a single one was late.
    cause: Option<(Option<u32>, u32)>,
    /// By how much the time may be off, nanoseconds.
    error: i64,
}

impl DataRow for WaitRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "waits";
    const MEANING: &'static str = "A time that `rank` waited in a call for another rank, longer than the clocks' error, as `overhear waits` adds them up.";

    fn columns() -> Vec<DataColumn<WaitRow, RankAndPlaces>> {
        type Row = WaitRow;
        let (functions, sites) = (RankAndPlaces::functions, RankAndPlaces::sites);
        let waiter = |row: &Row, _: &RankAndPlaces| row.span.key.waiter.place.number() as u32;
        let cause = |row: &Row, _: &RankAndPlaces| row.cause.map(|_| row.span.key.cause.place.number() as u32);
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::text("wait_state", "why, as `overhear explain` says", |row: &Row, _| {
                row.span.key.state.name().to_string()
            }),
            DataColumn::name("function", "MPI function that waited", functions, waiter),
            DataColumn::name("call_site", "where that was called", sites, waiter),
            DataColumn::number("cause_rank", "rank that came late; null where no single one did", |row: &Row, _| {
                row.cause.and_then(|(rank, _)| rank)
            }),
            DataColumn::number("cause_world", "that rank's world", |row: &Row, _| row.cause.map(|(_, world)| world)),
            DataColumn::name("cause_function", "MPI function that it came late to", functions, cause),
            DataColumn::name("cause_call_site", "where that was called", sites, cause),
            DataColumn::real(
                "call_s",
                "when the call began that waited, seconds since the first rank entered MPI_Init",
                |row: &Row, _| seconds(row.span.call),
            ),
            DataColumn::real("start_s", "from when it waited", |row: &Row, _| seconds(row.span.from)),
            DataColumn::real("end_s", "until when it waited", |row: &Row, _| seconds(row.span.until)),
            DataColumn::real("wait_s", "how long it waited", |row: &Row, _| seconds(row.span.until - row.span.from)),
            DataColumn::real("error_s", "by how much that may be off", |row: &Row, _| seconds(row.error)),
        ]);
        columns
    }
}

/// The row of a wait.
pub fn row(set: &DataSet<'_>, span: &WaitSpan) -> WaitRow {
    let (waiter, cause) = (span.key.waiter, span.key.cause);
    let error = match waiter.rank == cause.rank {
        true => set.timeline.lines[waiter.rank as usize].error(span.until),
        false => set.timeline.error_between(waiter.rank, cause.rank, span.call),
    };
    WaitRow { span: *span, cause: (waiter != cause).then(|| set.rank_and_world(cause.rank)), error }
}
