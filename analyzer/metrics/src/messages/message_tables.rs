//! The message counts of each rank on both sides, and its first message that differs.

use std::collections::BTreeSet;

use super::differ::{Difference, RankComparison};
use crate::meaning;
use crate::totals::{group_calls, world_rank};
use crate::words::{plural, verb};
use model::messages::{ComparableMessage, Way};
use model::rank::function_of;
use model::{Rank, Run};
use tables::number::whole;
use tables::{Column, Fact, Row, Table, Value, WorldRank, facts};
use traces::calls::{Call, Class};
use traces::signature::Signature;

pub struct MessageCountRow {
    rank: WorldRank,
    counts: [[u64; 3]; 2],
    checked: u64,
    differing: u64,
}

impl Row for MessageCountRow {
    const TABLE: &'static str = "message_counts";
    fn columns() -> Vec<Column<Self>> {
        let count = |key: &'static str, heading: &'static str, side: usize, way: Way| {
            let messages = match way {
                Way::Sent => "Messages that the rank sent",
                Way::Received => "Messages that it received",
                Way::Collective => "Its parts of collective operations",
            };
            let column = Column::count(key, heading, move |row: &Self| row.counts[side][way as usize]);
            column.means(format!("{messages} in {}.", ["A", "B"][side]))
        };
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK).name(),
            count("sent_a", "sent A", 0, Way::Sent),
            count("sent_b", "sent B", 1, Way::Sent),
            count("received_a", "recv A", 0, Way::Received),
            count("received_b", "recv B", 1, Way::Received),
            count("collective_a", "coll. A", 0, Way::Collective),
            count("collective_b", "coll. B", 1, Way::Collective),
            Column::count("checksums", "checksums", |row: &Self| row.checked)
                .means("Checksums that were compared, equal or not."),
            Column::count("differing", "differ", |row: &Self| row.differing).means("Messages that differ."),
        ]
    }
}

/// One row for each rank.
pub fn counts(ranks: &[(&Rank, RankComparison)]) -> Table<MessageCountRow> {
    let row = |(rank, comparison): &(&Rank, RankComparison)| MessageCountRow {
        rank: world_rank(rank),
        counts: comparison.counts,
        checked: comparison.checked,
        differing: comparison.differing,
    };
    let has_checksums = ranks.iter().any(|(_, comparison)| comparison.checked > 0);
    let title = if has_checksums {
        "messages, and parts of collective calls whose checksums were compared"
    } else {
        "messages, and parts of collective calls"
    };
    Table::new(title, ranks.iter().map(row).collect())
}

/// The first message of a rank that differs.
pub struct FirstDifferenceRow {
    rank: WorldRank,
    what: &'static str,
    way: &'static str,
    /// The noun that the ordinal counts.
    is_one_of: &'static str,
    ordinal: u64,
    function: String,
    site: String,
    with: Option<u64>,
    tag: String,
    communicator: String,
    bytes: [Option<u64>; 2],
    checksums: [Option<String>; 2],
}

impl Row for FirstDifferenceRow {
    const TABLE: &'static str = "first_differences";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK).name(),
            Column::text("what", "what", |row: &Self| row.what.to_string())
                .means("The kind of difference: number, order, size, content."),
            Column::text("way", "", |row: &Self| row.way.to_string())
                .means("The direction of the message that differs, or a collective call."),
            Column::number("ordinal", "no.", |row: &Self| row.ordinal)
                .means("Which one of the rank's messages that way, from 1."),
            Column::text("function", "call", |row: &Self| row.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "call site", |row: &Self| row.site.clone()).means(meaning::SITE),
            Column::number("peer", "with", |row: &Self| row.with).means("The rank at the other end."),
            Column::text("tag", "tag", |row: &Self| row.tag.clone()).means("The message's tag.").spare(1),
            Column::text("communicator", "", |row: &Self| row.communicator.clone()).means(meaning::COMMUNICATOR),
            Column::bytes("a_bytes", "A", |row: &Self| row.bytes[0]).means("Its bytes in A."),
            Column::bytes("b_bytes", "B", |row: &Self| row.bytes[1]).means("Its bytes in B."),
            Column::text("a_checksum", "CRC A", |row: &Self| row.checksums[0].clone())
                .means("The CRC-32 of its content in A."),
            Column::text("b_checksum", "CRC B", |row: &Self| row.checksums[1].clone())
                .means("The CRC-32 of its content in B."),
        ]
    }
}

/// One row for each rank that has a difference.
pub fn first_differences(runs: [&Run; 2], ranks: &[(&Rank, RankComparison)]) -> Table<FirstDifferenceRow> {
    let row = |(rank, comparison): &(&Rank, RankComparison)| {
        let first = comparison.first.as_ref()?;
        Some(FirstDifferenceRow::of(runs, rank, first))
    };
    Table::new("first difference of each rank", ranks.iter().filter_map(row).collect())
}

impl FirstDifferenceRow {
    pub fn is_of(&self, rank: &Rank) -> bool {
        self.rank == world_rank(rank)
    }

    /// The difference in a sentence.
    pub fn in_words(&self) -> String {
        let with = self
            .with
            .map_or(String::new(), |peer| format!(" {} {peer}", if self.way == "received" { "from" } else { "to" }));
        let tag = if self.tag.is_empty() { String::new() } else { format!(", tag {}", self.tag) };
        let [a, b] = [0, 1].map(|side| {
            let bytes = self.bytes[side].map_or("nothing".into(), |bytes| Value::Bytes(bytes).to_string());
            format!("{bytes}{}", self.checksums[side].as_ref().map_or(String::new(), |sum| format!(" ({sum})")))
        });
        let (rank, function, site) = (Value::Rank(self.rank), &self.function, &self.site);
        let what = if self.what.starts_with("only") { self.what.to_string() } else { format!("{} differs", self.what) };
        format!(
            "rank {rank}, {function} at {site}, its {} {}{with}{tag}: {what}, {} {a} in A, {b} in B",
            self.is_one_of, self.ordinal, self.way
        )
    }

    fn of([a, b]: [&Run; 2], rank: &Rank, first: &Difference) -> FirstDifferenceRow {
        let message = first.messages.iter().flatten().next();
        let in_b = first.messages[0].is_none();
        let run = if in_b { b } else { a };
        let of_run = run.ranks.iter().find(|other| is_same(other, rank)).unwrap_or(rank);
        let part = first.parts.iter().flatten().next();
        let with = part.map(|part| part.part).filter(|part| *part >= 0).unwrap_or(first.channel.peer);
        let is_received = part.is_some_and(|part| part.received) || first.channel.way == Way::Received;
        let bytes = |side: usize| {
            let whole = |message: &ComparableMessage| if is_received { message.received } else { message.sent };
            first.parts[side].map(|part| part.bytes).or(first.messages[side].as_ref().map(whole))
        };
        let checksum = |side: usize| {
            let own = || first.messages[side].as_ref()?.contents.first().copied();
            let checksum = first.parts[side].or_else(own)?.checksum.ok()?;
            Some(format!("{checksum:08x}"))
        };
        FirstDifferenceRow {
            rank: world_rank(rank),
            what: first.kind.in_words(),
            way: if is_received { "received" } else { "sent" },
            is_one_of: match first.channel.way {
                Way::Sent => "sent message",
                Way::Received => "received message",
                Way::Collective => "collective call",
            },
            ordinal: message.map_or(0, |message| message.ordinal),
            function: message.map_or(String::new(), |message| function_of(message.call)),
            site: message.map_or(String::new(), |message| run.sites.place(of_run, message.site)),
            with: u64::try_from(with).ok(),
            tag: if first.channel.tag == i32::MIN { String::new() } else { first.channel.tag.to_string() },
            communicator: first.channel.communicator.clone(),
            bytes: [bytes(0), bytes(1)],
            checksums: [checksum(0), checksum(1)],
        }
    }
}

/// True if ranks of two runs have the same world and number.
pub fn is_same(one: &Rank, other: &Rank) -> bool {
    one.header.world == other.header.world && one.number() == other.number()
}

facts! {
    VERDICT = "verdict", Text, always,
        "The result of the comparison: identical; same number, order and sizes, where contents were not compared; the same, received in another order; or different.";
    MESSAGES = "messages", Count, always, meaning::MESSAGES;
    COLLECTIVE_PARTS = "collective_parts", Count, always,
        "Parts of collective operations that were compared, a rank's part of one each.";
    BYTES = "sent_bytes", Bytes, always, meaning::SENT_BYTES;
    CHECKSUMS = "checksums_compared", Count, always,
        "Checksums of messages and parts that were compared with the other side's, equal or not.";
    DIFFERING = "differing", Count, always, "How many differ in number, order, size or content.";
    REORDERED = "reordered_receives", Count, always, "Receives that got the same messages in another order.";
    EARLIEST = "earliest_difference", Text, sometimes, "The first message that differs, of all ranks.";
}

/// The verdict, and the difference that came first on the common clock.
pub fn facts(ranks: &[(&Rank, RankComparison)], earliest: Option<&FirstDifferenceRow>) -> Vec<Fact> {
    let sum =
        |count: fn(&RankComparison) -> u64| ranks.iter().map(|(_, rank)| count(rank)).fold(0u64, u64::saturating_add);
    let messages = [sum(|rank| rank.counts[0][Way::Sent as usize]), sum(|rank| rank.counts[1][Way::Sent as usize])];
    let parts =
        [sum(|rank| rank.counts[0][Way::Collective as usize]), sum(|rank| rank.counts[1][Way::Collective as usize])];
    let bytes = [sum(|rank| rank.bytes[0]), sum(|rank| rank.bytes[1])];
    let (checked, unchecked) = (sum(|rank| rank.checked), sum(|rank| rank.unchecked));
    let (differing, unequal) = (sum(|rank| rank.differing), sum(|rank| rank.unequal));
    let verdict = match (differing, unchecked, sum(|rank| rank.reordered.by_name)) {
        (0, 0, 0) => "identical",
        (0, 0, _) => "identical, but received in another order",
        (0, _, 0) => "same number, order and sizes",
        (0, _, _) => "same number and sizes, received in another order",
        _ => "different",
    };
    let handed_out = |side: usize| {
        let (messages, parts) = (plural(messages[side], "message"), plural(parts[side], "part"));
        format!("{messages} and {parts} of collective calls, {} handed out", Value::Bytes(bytes[side]))
    };
    let note = match handed_out(0) == handed_out(1) {
        true => format!(": {}, on {}", handed_out(0), plural(ranks.len() as u64, "rank")),
        false => {
            format!(": A {}; B {}; on {}", handed_out(0), handed_out(1), plural(ranks.len() as u64, "rank"))
        }
    };
    let compared = match unequal {
        0 => " compared".into(),
        _ => format!(" compared, {} of them unequal", whole(unequal)),
    };
    let mut facts = vec![
        Fact::new(VERDICT, "messages", Value::Text(verdict.into())).note(note),
        Fact::hidden(MESSAGES, Value::Count(messages[0])),
        Fact::hidden(COLLECTIVE_PARTS, Value::Count(parts[0])),
        Fact::hidden(BYTES, Value::Bytes(bytes[0])),
        Fact::new(CHECKSUMS, "checksums", Value::Count(checked)).note(compared),
        Fact::hidden(DIFFERING, Value::Count(differing)),
        Fact::hidden(REORDERED, Value::Count(sum(|rank| rank.reordered.of_any + rank.reordered.by_name))),
    ];
    facts.extend(earliest.map(|row| Fact::new(EARLIEST, "earliest", Value::Text(row.in_words()))));
    facts
}

/// The note on one-sided transfers, which are no messages; `None` if neither run has any.
pub fn one_sided(runs: [&Run; 2]) -> Option<String> {
    let mut functions = BTreeSet::new();
    for run in runs {
        let transfer = |signature: &Signature| {
            let call = Call::from_number(signature.call)?;
            (call.class() == Class::Rma && signature.moves() != (0, 0)).then(|| function_of(signature.call))
        };
        functions.extend(group_calls(run, |_, _, entry| transfer(&entry.signature)).into_keys());
    }
    let named = functions.into_iter().collect::<Vec<_>>().join(", ");
    (!named.is_empty()).then(|| format!("one-sided transfers ({named}) are not compared"))
}

/// Notes on messages that were not compared, and on those that only came in another order.
pub fn warnings(ranks: &[(&Rank, RankComparison)]) -> Vec<String> {
    let sum =
        |count: fn(&RankComparison) -> u64| ranks.iter().map(|(_, rank)| count(rank)).fold(0u64, u64::saturating_add);
    let mut warnings = Vec::new();
    let (checked, unchecked, reordered) =
        (sum(|rank| rank.checked), sum(|rank| rank.unchecked), sum(|rank| rank.reordered.of_any));
    if checked == 0 && unchecked > 0 {
        warnings.push(
            "content was not compared, since one of the runs or both have no checksums: record both with --checksum crc32"
                .into(),
        );
    } else if unchecked > 0 {
        let have = verb(unchecked, "message or part has", "messages or parts have");
        let unchecked = whole(unchecked);
        warnings.push(format!("{unchecked} {have} no checksum on one side or both: content was not compared"));
    }
    if reordered > 0 {
        warnings.push(format!(
            "{} of messages of any sender took them in another order; each sender's own messages came in order",
            plural(reordered, "receive")
        ));
    }
    let pending = sum(|rank| rank.pending);
    if pending > 0 {
        warnings.push(format!("{} posted and never completed: not compared", plural(pending, "receive")));
    }
    warnings
}
