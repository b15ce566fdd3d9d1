//! Tables of matched data, found by one walk through the run and held in memory: waits, messages, and each rank's part in
//! each collective operation.

use std::io;
use std::sync::Arc;

use crate::data_table::{DataRow, RowSource, ShowRows};
use crate::set::{DataSet, OfRank, PlaceNames, RankOfRows, rank_columns};
use metrics::totals::seconds;
use model::matching::{JoinedOperation, RankSite, ReceivedMessage, WaitSpan};
use model::rank::function_of;
use tables::{Column, Shared};

/// Rank and names that all rows share; rows hold functions and call sites by number.
pub struct RankAndPlaces {
    rank: RankOfRows,
    names: PlaceNames,
}

impl RankAndPlaces {
    pub fn functions(&self) -> &Arc<[String]> {
        &self.names.functions
    }

    pub fn sites(&self) -> &Arc<[String]> {
        &self.names.sites
    }
}

impl OfRank for RankAndPlaces {
    fn rank(&self) -> &RankOfRows {
        &self.rank
    }
}

/// Rows made of the found data of a rank. A part is a rank.
pub struct MatchedRows<'r, Found, Row> {
    set: &'r DataSet<'r>,
    found: fn(&'r DataSet<'r>, usize) -> &'r [Found],
    row: fn(&DataSet<'_>, &Found) -> Row,
}

impl<'r, Found, Row> MatchedRows<'r, Found, Row> {
    pub fn new(
        set: &'r DataSet<'r>,
        found: fn(&'r DataSet<'r>, usize) -> &'r [Found],
        row: fn(&DataSet<'_>, &Found) -> Row,
    ) -> MatchedRows<'r, Found, Row> {
        MatchedRows { set, found, row }
    }
}

/// Rows shown at a time.
const ROWS: usize = 1 << 14;

impl<Found: Sync, Row: DataRow<Common = RankAndPlaces>> RowSource<Row> for MatchedRows<'_, Found, Row> {
    fn parts(&self) -> Vec<usize> {
        self.set.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, Row>) -> io::Result<()> {
        let Some(rank) = self.set.asked().nth(part) else { return Ok(()) };
        let common = RankAndPlaces { rank: self.set.rank(rank), names: self.set.names().clone() };
        let mut chunks = (self.found)(self.set, rank).chunks(ROWS);
        chunks.try_for_each(|some| show(&some.iter().map(|one| (self.row)(self.set, one)).collect::<Vec<_>>(), &common))
    }
}

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

pub fn wait_row(set: &DataSet<'_>, span: &WaitSpan) -> WaitRow {
    let (waiter, cause) = (span.key.waiter, span.key.cause);
    let error = match waiter.rank == cause.rank {
        true => set.common_clock.lines[waiter.rank as usize].error(span.until),
        false => set.common_clock.error_between(waiter.rank, cause.rank, span.call),
    };
    WaitRow { span: *span, cause: (waiter != cause).then(|| set.rank_and_world(cause.rank)), error }
}

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

pub fn message_row(set: &DataSet<'_>, message: &ReceivedMessage) -> MessageRow {
    let (from_rank, from_world) = set.rank_and_world(message.from.rank);
    let error = set.common_clock.error_between(message.from.rank, message.to.rank, message.begin);
    MessageRow { message: *message, from_rank, from_world, error }
}

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

pub fn collective_row(set: &DataSet<'_>, joined: &JoinedOperation) -> CollectiveRow {
    let error = set.common_clock.lines[joined.part.at.rank as usize].error(joined.part.begin);
    CollectiveRow { joined: *joined, error }
}
