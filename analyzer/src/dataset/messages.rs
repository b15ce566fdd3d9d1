//! `messages`: each message with its receive.

use std::io;
use std::sync::Arc;

use super::column::DataColumn;
use super::place_names::PlaceNames;
use super::set::{DataSet, OfRank, RankOfRows, rank_columns, seconds};
use super::table::{DataRow, RowSource, ShowRows};
use crate::model::matching::{RankSite, ReceivedMessage};

/// A message.
pub struct MessageRow {
    message: ReceivedMessage,
    from_rank: Option<u32>,
    from_world: u32,
    /// By how much the time between the two ranks may be off, nanoseconds.
    error: i64,
}

/// What all messages to a rank have in common.
pub struct MessagesToRank {
    rank: RankOfRows,
    names: PlaceNames,
}

impl MessagesToRank {
    fn functions(&self) -> &Arc<[String]> {
        &self.names.functions
    }

    fn sites(&self) -> &Arc<[String]> {
        &self.names.sites
    }
}

impl OfRank for MessagesToRank {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

impl DataRow for MessageRow {
    type Common = MessagesToRank;
    const TABLE: &'static str = "messages";
    const MEANING: &'static str = "A message that was received, with the call that sent it, the one that posted its receive, and the one that completed that; `rank` received it.";

    fn columns() -> Vec<DataColumn<MessageRow, MessagesToRank>> {
        type Row = MessageRow;
        type Of = MessagesToRank;
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

/// The messages of a run. A part is a rank that received.
pub struct Messages<'r>(&'r DataSet<'r>);

impl<'r> Messages<'r> {
    /// Those of a data set that was made with them.
    pub fn new(set: &'r DataSet<'r>) -> Messages<'r> {
        Messages(set)
    }
}

/// Rows that are shown at a time.
const ROWS: usize = 1 << 14;

impl RowSource<MessageRow> for Messages<'_> {
    fn parts(&self) -> Vec<usize> {
        self.0.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, MessageRow>) -> io::Result<()> {
        let Some(rank) = self.0.asked().nth(part) else { return Ok(()) };
        let (messages, names) = self.0.messages(rank);
        let common = MessagesToRank { rank: self.0.rank(rank), names: names.clone() };
        let row = |message: &ReceivedMessage| {
            let sender = &self.0.run.ranks[message.from.rank as usize];
            let error = self.0.timeline.error_between(message.from.rank, message.to.rank, message.begin);
            MessageRow { message: *message, from_rank: sender.number(), from_world: sender.header.world, error }
        };
        messages.chunks(ROWS).try_for_each(|some| show(&some.iter().map(row).collect::<Vec<_>>(), &common))
    }
}
