//! `collectives`: each rank's part in each collective operation.

use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns};
use super::table::DataRow;
use metrics::totals::seconds;
use model::matching::JoinedOperation;
use model::rank::function_of;
use tables::{Column, Shared};

pub struct CollectiveRow {
    joined: JoinedOperation,
    /// Maximum error of the begin, nanoseconds.
    error: i64,
}

impl DataRow for CollectiveRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "collectives";
    const MEANING: &'static str = "A rank's part in a collective operation: rows with the same communicator, ordinal and started_before are one operation.";

    fn columns() -> Vec<Column<CollectiveRow, RankAndPlaces>> {
        type Row = CollectiveRow;
        let place = |row: &Row, _: &RankAndPlaces| row.joined.part.at.place.number() as u32;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("communicator", |row: &Row, _| row.joined.object).means("key into `communicators`"),
            Shared::count("ordinal", |row: &Row, _| row.joined.ordinal.0).means("how many collective calls every rank had made on the communicator before"),
            Shared::count("started_before", |row: &Row, _| {
                row.joined.ordinal.1
            }).means("of a persistent operation, how often it was started before"),
            Shared::text("function", |row: &Row, _| {
                function_of(row.joined.part.function)
            }).means("MPI function; of a persistent operation, the one that created its request"),
            Shared::name("call_site", RankAndPlaces::sites, place).means("where the rank began its part"),
            Shared::flag("root", |row: &Row, _| row.joined.part.root).means("the rank is the operation's root"),
            Shared::bytes("bytes", |row: &Row, _| {
                row.joined.part.bytes
            }).means("bytes that the rank hands out or gets, whichever is more"),
            Shared::seconds("start_s", |row: &Row, _| seconds(row.joined.part.begin)).means("when the rank began its part, seconds since the first rank entered MPI_Init"),
            Shared::seconds("end_s", |row: &Row, _| row.joined.part.end.map(seconds)).means("when its part was complete: of a nonblocking operation, when the call ended that completed the request; null where that is not known"),
            Shared::seconds("late_s", |row: &Row, _| {
                seconds(row.joined.part.begin - row.joined.first)
            }).means("by how much the rank began after the first one"),
            Shared::seconds("error_s", |row: &Row, _| {
                seconds(row.error)
            }).means("by how much start_s may be off against the first rank's clock"),
        ]);
        columns
    }
}

pub fn row(set: &DataSet<'_>, joined: &JoinedOperation) -> CollectiveRow {
    let error = set.common_clock.lines[joined.part.at.rank as usize].error(joined.part.begin);
    CollectiveRow { joined: *joined, error }
}
