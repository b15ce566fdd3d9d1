//! `messages`: each message with its receive.

use super::column::DataColumn;
use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns, seconds};
use super::table::DataRow;
use model::matching::{RankSite, ReceivedMessage};

/// A message.
pub struct MessageRow {
    message: ReceivedMessage,
    from_rank: Option<u32>,
    from_world: u32,
    /// By how much the time between the two ranks may be off, nanoseconds.
    error: i64,
}

impl DataRow for MessageRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "messages";
    const MEANING: &'static str = "A message that was received, with the call that sent it, the one that posted its receive, and the one that completed that; `rank` received it.";

    fn columns() -> Vec<DataColumn<MessageRow, RankAndPlaces>> {
        type Row = MessageRow;
        type Of = RankAndPlaces;
        let (functions, sites) = (Of::functions, Of::sites);
        let place = |site: RankSite| site.place.number() as u32;
        let mut columns = rank_columns();
        columns.extend([
            DataColumn::number("from_rank", "rank that sent it", |row: &Row, _| row.from_rank),
            DataColumn::number("from_world", "that rank's world", |row: &Row, _| row.from_world),
            DataColumn::number("communicator", "key into `communicators`", |row: &Row, _| row.message.communicator),
            DataColumn::signed("tag", "its tag", |row: &Row, _| row.message.tag),
            DataColumn::whole("sent_bytes", "bytes that were sent", |row: &Row, _| row.message.sent),
            DataColumn::whole("received_bytes", "bytes that came", |row: &Row, _| row.message.received),
            DataColumn::name("sent_by", "MPI function that sent it", functions, move |row: &Row, _| {
                place(row.message.from)
            }),
            DataColumn::name("sent_at", "where that was called", sites, move |row: &Row, _| place(row.message.from)),
            DataColumn::name("posted_by", "MPI function that posted its receive", functions, move |row: &Row, _| {
                place(row.message.posted_by)
            }),
            DataColumn::name("posted_at", "where that was called", sites, move |row: &Row, _| {
                place(row.message.posted_by)
            }),
            DataColumn::name(
                "received_by",
                "MPI function that completed the receive",
                functions,
                move |row: &Row, _| place(row.message.to),
            ),
            DataColumn::name("received_at", "where that was called", sites, move |row: &Row, _| place(row.message.to)),
            DataColumn::real(
                "sent_s",
                "when the call began that sent it, seconds since the first rank entered MPI_Init",
                |row: &Row, _| seconds(row.message.begin),
            ),
            DataColumn::real("posted_s", "when the call began that posted its receive", |row: &Row, _| {
                seconds(row.message.posted)
            }),
            DataColumn::real("received_s", "when the call ended that completed the receive", |row: &Row, _| {
                seconds(row.message.end)
            }),
            DataColumn::real(
                "error_s",
                "by how much times of the two ranks may be off against each other",
                |row: &Row, _| seconds(row.error),
            ),
            DataColumn::flag("truncated", "there was not room for all of it", |row: &Row, _| row.message.truncated),
            DataColumn::flag(
                "uncertain",
                "several threads called at once: it may have been another message or receive",
                |row: &Row, _| row.message.uncertain,
            ),
        ]);
        columns
    }
}

/// The row of a message.
pub fn row(set: &DataSet<'_>, message: &ReceivedMessage) -> MessageRow {
    let (from_rank, from_world) = set.rank_and_world(message.from.rank);
    let error = set.timeline.error_between(message.from.rank, message.to.rank, message.begin);
    MessageRow { message: *message, from_rank, from_world, error }
}
