//! `collectives`: each rank's part in each collective operation.

use super::column::DataColumn;
use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns, seconds};
use super::table::DataRow;
use model::matching::JoinedOperation;
use model::rank::function_of;

/// A rank's part in an operation.
pub struct CollectiveRow {
    joined: JoinedOperation,
    /// By how much the begin may be off, nanoseconds.
    error: i64,
}

impl DataRow for CollectiveRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "collectives";
    const MEANING: &'static str = "A rank's part in a collective operation: rows with the same communicator, ordinal and started_before are one operation.";

    fn columns() -> Vec<DataColumn<CollectiveRow, RankAndPlaces>> {
        type Row = CollectiveRow;
        let place = |row: &Row, _: &RankAndPlaces| row.joined.part.at.place.number() as u32;
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::number("communicator", "key into `communicators`", |row: &Row, _| row.joined.object),
            DataColumn::whole(
                "ordinal",
                "how many collective calls every rank had made on the communicator before",
                |row: &Row, _| row.joined.ordinal.0,
            ),
            DataColumn::whole("started_before", "of a persistent operation, how often it was started before", |row: &Row, _| {
                row.joined.ordinal.1
            }),
            DataColumn::text("function", "MPI function; of a persistent operation, the one that created its request", |row: &Row, _| {
                function_of(row.joined.part.function)
            }),
            DataColumn::name("call_site", "where the rank began its part", RankAndPlaces::sites, place),
            DataColumn::flag("root", "the rank is the operation's root", |row: &Row, _| row.joined.part.root),
            DataColumn::whole("bytes", "bytes that the rank hands out or gets, whichever is more", |row: &Row, _| {
                row.joined.part.bytes
            }),
            DataColumn::real(
                "start_s",
                "when the rank began its part, seconds since the first rank entered MPI_Init",
                |row: &Row, _| seconds(row.joined.part.begin),
            ),
            DataColumn::real(
                "end_s",
                "when its part was complete: of a nonblocking operation, when the call ended that completed the request; null where that is not known",
                |row: &Row, _| row.joined.part.end.map(seconds),
            ),
            DataColumn::real("late_s", "by how much the rank began after the first one", |row: &Row, _| {
                seconds(row.joined.part.begin - row.joined.first)
            }),
            DataColumn::real("error_s", "by how much start_s may be off against the first rank's clock", |row: &Row, _| {
                seconds(row.error)
            }),
        ]);
        columns
    }
}

/// The row of a part.
pub fn row(set: &DataSet<'_>, joined: &JoinedOperation) -> CollectiveRow {
    let error = set.timeline.lines[joined.part.at.rank as usize].error(joined.part.begin);
    CollectiveRow { joined: *joined, error }
}
