//! `messages`: each message with its receive.

use super::matched::RankAndPlaces;
use super::set::{DataSet, rank_columns};
use super::table::DataRow;
use metrics::totals::seconds;
use model::matching::{RankSite, ReceivedMessage};
use tables::{Column, Shared};

pub struct MessageRow {
    message: ReceivedMessage,
    from_rank: Option<u32>,
    from_world: u32,
    /// Maximum error of the time between the two ranks, nanoseconds.
    error: i64,
}

impl DataRow for MessageRow {
    type Common = RankAndPlaces;
    const TABLE: &'static str = "messages";
    const MEANING: &'static str = "A message that was received, with the call that sent it, the one that posted its receive, and the one that completed that; `rank` received it.";

    fn columns() -> Vec<Column<MessageRow, RankAndPlaces>> {
        type Row = MessageRow;
        type Of = RankAndPlaces;
        let (functions, sites) = (Of::functions, Of::sites);
        let place = |site: RankSite| site.place.number() as u32;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("from_rank", |row: &Row, _| row.from_rank).means("rank that sent it"),
            Shared::id("from_world", |row: &Row, _| row.from_world).means("that rank's world"),
            Shared::id("communicator", |row: &Row, _| row.message.communicator).means("key into `communicators`"),
            Shared::tag("tag", |row: &Row, _| row.message.tag).means("its tag"),
            Shared::bytes("sent_bytes", |row: &Row, _| row.message.sent).means("bytes that were sent"),
            Shared::bytes("received_bytes", |row: &Row, _| row.message.received).means("bytes that came"),
            Shared::name("sent_by", functions, move |row: &Row, _| place(row.message.from))
                .means("MPI function that sent it"),
            Shared::name("sent_at", sites, move |row: &Row, _| place(row.message.from)).means("where that was called"),
            Shared::name("posted_by", functions, move |row: &Row, _| place(row.message.posted_by))
                .means("MPI function that posted its receive"),
            Shared::name("posted_at", sites, move |row: &Row, _| place(row.message.posted_by))
                .means("where that was called"),
            Shared::name("received_by", functions, move |row: &Row, _| place(row.message.to))
                .means("MPI function that completed the receive"),
            Shared::name("received_at", sites, move |row: &Row, _| place(row.message.to))
                .means("where that was called"),
            Shared::seconds("sent_s", |row: &Row, _| seconds(row.message.begin))
                .means("when the call began that sent it, seconds since the first rank entered MPI_Init"),
            Shared::seconds("posted_s", |row: &Row, _| seconds(row.message.posted))
                .means("when the call began that posted its receive"),
            Shared::seconds("received_s", |row: &Row, _| seconds(row.message.end))
                .means("when the call ended that completed the receive"),
            Shared::seconds("error_s", |row: &Row, _| seconds(row.error))
                .means("by how much times of the two ranks may be off against each other"),
            Shared::flag("truncated", |row: &Row, _| row.message.truncated).means("there was not room for all of it"),
            Shared::flag("uncertain", |row: &Row, _| row.message.uncertain)
                .means("several threads called at once: it may have been another message or receive"),
        ]);
        columns
    }
}

pub fn row(set: &DataSet<'_>, message: &ReceivedMessage) -> MessageRow {
    let (from_rank, from_world) = set.rank_and_world(message.from.rank);
    let error = set.common_clock.error_between(message.from.rank, message.to.rank, message.begin);
    MessageRow { message: *message, from_rank, from_world, error }
}
