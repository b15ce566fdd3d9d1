//! Checks that the ranks' accounts agree: messages sent and received, bytes, clocks.

use rustc_hash::FxHashMap;

use super::totals::{seconds, world_rank};
use crate::meaning;
use crate::words::verb;
use model::common_clock::ClockLine;
use model::matching::{Account, RankPair, RankSite, Settled};
use model::sums::Total;
use model::{Rank, Run};
use tables::number::whole;
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};

/// Maximum number of rows of each table shown to people.
const ROWS: usize = 20;

facts! {
    MATCHED = "matched_messages", Count, always, meaning::MATCHED_MESSAGES;
    RECEIVED = "received_bytes", Bytes, always, "Bytes that arrived.";
    SENT = "sent_bytes", Bytes, always, meaning::SENT_BYTES;
    COLLECTIVES = "matched_collectives", Count, always, meaning::MATCHED_COLLECTIVES;
    BACKWARDS = "backwards", Count, always, "Messages that arrived before they were sent, by the clocks.";
    UNCERTAIN = "uncertain_messages", Count, always, meaning::UNCERTAIN_MESSAGES;
    BACKWARDS_BEFORE = "backwards_before", Count, always,
        "Messages that arrived before they were sent before clocks were moved within their errors.";
}

/// Totals of messages, bytes and collective calls, and the messages that the clocks contradict.
pub fn facts(settled: &Settled) -> Vec<Fact> {
    let pairs = &settled.account.pairs;
    let sum = |figure: fn(&RankPair) -> u64| pairs.values().map(figure).total();
    let (sent, received) = (sum(|pair| pair.sent), sum(|pair| pair.received));
    let same =
        if sent == received { ", as many as were sent".into() } else { format!(", of {} sent", Value::Bytes(sent)) };
    let after = settled.account.backwards();
    let moved = match (settled.backwards_before, after) {
        (0, _) => String::new(),
        (before, _) => format!("; {} before clocks were moved within their errors", whole(before)),
    };
    let (messages, collectives) = (sum(|pair| pair.messages), settled.account.collectives);
    vec![
        Fact::new(MATCHED, "matched", Value::Count(messages)).note(verb(messages, " message", " messages")),
        Fact::new(RECEIVED, "bytes", Value::Bytes(received)).note(same),
        Fact::hidden(SENT, Value::Bytes(sent)),
        Fact::new(COLLECTIVES, "collective", Value::Count(collectives)).note(verb(
            collectives,
            " call that all processes joined",
            " calls that all processes joined",
        )),
        Fact::new(BACKWARDS, "backwards", Value::Count(after))
            .note(verb(after, " message received before it was sent", " messages received before they were sent"))
            .note(moved),
        Fact::hidden(UNCERTAIN, Value::Count(settled.account.uncertain.values().sum())),
        Fact::hidden(BACKWARDS_BEFORE, Value::Count(settled.backwards_before)),
    ]
}

/// Begin and end of a rank's recording on the common clock, with the errors of both, in nanoseconds.
pub struct ClockRow {
    rank: WorldRank,
    begin: i64,
    begin_error: i64,
    end: i64,
    end_error: i64,
    source: &'static str,
}

impl Row for ClockRow {
    const TABLE: &'static str = "clocks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("begin_s", "begins", |row: &Self| seconds(row.begin))
                .means("When the rank's recording began, on the ranks' common clock."),
            Column::seconds("begin_error_s", "±", |row: &Self| seconds(row.begin_error)).means(meaning::THAT_ERROR_S),
            Column::seconds("end_s", "ends", |row: &Self| seconds(row.end))
                .means("When the rank's recording ended, on the ranks' common clock."),
            Column::seconds("end_error_s", "±", |row: &Self| seconds(row.end_error)).means(meaning::THAT_ERROR_S),
            Column::text("clock", "by", |row: &Self| row.source.to_string())
                .means("The readings that the clock is fitted to: one that ranks share, exchanges of messages, or the time of day."),
        ]
    }
}

/// One row for each rank.
pub fn clocks(run: &Run, settled: &Settled) -> Table<ClockRow> {
    let row = |(rank, line): (&Rank, &ClockLine)| {
        let (begin, end) = (line.nanoseconds_at(rank.header.begin.ticks), line.nanoseconds_at(rank.until));
        ClockRow {
            rank: world_rank(rank),
            begin,
            begin_error: line.error(begin),
            end,
            end_error: line.error(end),
            source: line.source.in_words(),
        }
    };
    let lines = run.ranks.iter().zip(&settled.common_clock.lines);
    Table::new("clocks", lines.filter(|(rank, _)| rank.is_asked).map(row).collect()).most(ROWS).silent_empty()
}

/// Messages from one rank to another.
pub struct MatchedRow {
    from: WorldRank,
    to: WorldRank,
    pair: RankPair,
}

impl Row for MatchedRow {
    const TABLE: &'static str = "pairs";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("from_rank", "from", |row: &Self| row.from).means(meaning::FROM_RANK),
            Column::rank("to_rank", "to", |row: &Self| row.to).means(meaning::TO_RANK),
            Column::count("messages", "messages", |row: &Self| row.pair.messages)
                .means("Messages that were received; in `matrix`, that were sent."),
            Column::bytes("sent_bytes", "sent", |row: &Self| row.pair.sent)
                .means("Bytes that were sent in these messages."),
            Column::bytes("received_bytes", "received", |row: &Self| row.pair.received)
                .means("Bytes that came in these messages."),
            Column::seconds("least_s", "least time", |row: &Self| seconds(row.pair.least)).means(
                "The least time between the begin of a send and the end of its receive: below 0, clocks disagree.",
            ),
            Column::count("backwards", "backwards", |row: &Self| row.pair.backwards)
                .means("Messages that arrived before they were sent, by the clocks."),
        ]
    }
}

/// One row for each sender and receiver that exchanged messages.
pub fn pairs(run: &Run, account: &Account) -> Table<MatchedRow> {
    let mut pairs: Vec<_> = account.pairs.iter().filter(|(_, pair)| pair.messages > 0).collect();
    pairs.sort_by_key(|(place, _)| **place);
    let rank = |place: u32| world_rank(&run.ranks[place as usize]);
    let row =
        |((from, to), pair): (&(u32, u32), &RankPair)| MatchedRow { from: rank(*from), to: rank(*to), pair: *pair };
    Table::new("from rank to rank", pairs.into_iter().map(row).collect()).most(ROWS).silent_empty()
}

/// Calls at one place that found no partner or no certain one.
pub struct UnmatchedRow {
    what: &'static str,
    rank: WorldRank,
    function: String,
    site: String,
    calls: u64,
}

impl Row for UnmatchedRow {
    const TABLE: &'static str = "unmatched";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("what", "unmatched", |row: &Self| row.what.to_string())
                .means("The kind of call without a partner: a message, a receive, a collective call."),
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::text("function", "function", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::count("calls", "calls", |row: &Self| row.calls).means(meaning::CALLS),
        ]
    }
}

/// One row for each reason, rank and call site.
pub fn unmatched(run: &Run, account: &Account) -> Table<UnmatchedRow> {
    let mut rows = Vec::new();
    let mut add = |what: &'static str, places: &FxHashMap<RankSite, u64>| {
        let mut places: Vec<(&RankSite, &u64)> = places.iter().collect();
        places.sort();
        rows.extend(places.into_iter().map(|(at, calls)| {
            let place = &run.call_sites()[at.place.number()];
            let rank = world_rank(&run.ranks[at.rank as usize]);
            UnmatchedRow { what, rank, function: place.function.clone(), site: place.site.clone(), calls: *calls }
        }));
    };
    add("sent, not received", &account.unreceived);
    add("received, not sent", &account.unsent);
    add("others did not come", &account.rest.waiting);
    add("sent, then cancelled", &account.cancelled);
    add("received, truncated", &account.truncated);
    add("of threads at once", &account.uncertain);
    add("left, never returned", &account.left);
    Table::new("calls without a partner, or without a certain one", rows).most(ROWS).silent_empty()
}
