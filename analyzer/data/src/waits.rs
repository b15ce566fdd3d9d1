//! `waits`: each time that a rank waited for another.

use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns};
use super::table::DataRow;
use metrics::totals::seconds;
use model::matching::WaitSpan;
use tables::{Column, Shared};

pub struct WaitRow {
    span: WaitSpan,
    /// Rank and world of the late rank; `None` if no single rank was late.
    cause: Option<(Option<u32>, u32)>,
    /// Maximum error of the time, nanoseconds.
    error: i64,
}

impl DataRow for WaitRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "waits";
    const MEANING: &'static str = "A time that `rank` waited in a call for another rank, longer than the clocks' error, as `overhear waits` adds them up.";

    fn columns() -> Vec<Column<WaitRow, RankAndPlaces>> {
        type Row = WaitRow;
        let (functions, sites) = (RankAndPlaces::functions, RankAndPlaces::sites);
        let waiter = |row: &Row, _: &RankAndPlaces| row.span.key.waiter.place.number() as u32;
        let cause = |row: &Row, _: &RankAndPlaces| row.cause.map(|_| row.span.key.cause.place.number() as u32);
        let mut columns = rank_columns();
        columns.extend([
            Shared::text("wait_state", |row: &Row, _| row.span.key.state.name().to_string())
                .means("why, as `overhear explain` says"),
            Shared::name("function", functions, waiter).means("MPI function that waited"),
            Shared::name("call_site", sites, waiter).means("where that was called"),
            Shared::id("cause_rank", |row: &Row, _| row.cause.and_then(|(rank, _)| rank))
                .means("rank that came late; null where no single one did"),
            Shared::id("cause_world", |row: &Row, _| row.cause.map(|(_, world)| world)).means("that rank's world"),
            Shared::name("cause_function", functions, cause).means("MPI function that it came late to"),
            Shared::name("cause_call_site", sites, cause).means("where that was called"),
            Shared::seconds("call_s", |row: &Row, _| seconds(row.span.call))
                .means("when the call began that waited, seconds since the first rank entered MPI_Init"),
            Shared::seconds("start_s", |row: &Row, _| seconds(row.span.from)).means("from when it waited"),
            Shared::seconds("end_s", |row: &Row, _| seconds(row.span.until)).means("until when it waited"),
            Shared::seconds("wait_s", |row: &Row, _| seconds(row.span.until - row.span.from))
                .means("how long it waited"),
            Shared::seconds("error_s", |row: &Row, _| seconds(row.error)).means("by how much that may be off"),
        ]);
        columns
    }
}

pub fn row(set: &DataSet<'_>, span: &WaitSpan) -> WaitRow {
    let (waiter, cause) = (span.key.waiter, span.key.cause);
    let error = match waiter.rank == cause.rank {
        true => set.common_clock.lines[waiter.rank as usize].error(span.until),
        false => set.common_clock.error_between(waiter.rank, cause.rank, span.call),
    };
    WaitRow { span: *span, cause: (waiter != cause).then(|| set.rank_and_world(cause.rank)), error }
}
