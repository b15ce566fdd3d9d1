//! The verdict on two runs' messages, and notes on what was not compared.

use super::differ::RankComparison;
use super::tables::FirstDifferenceRow;
use crate::words::plural;
use model::Rank;
use model::messages::Way;
use tables::{Fact, Value, facts};

facts! {
    VERDICT = "verdict", Text, always,
        "What the comparison comes to: identical; same number, order and sizes, where contents were not compared; or different.";
    MESSAGES = "messages", Count, always, "How many messages, or one-sided transfers.";
    COLLECTIVE_PARTS = "collective_parts", Count, always,
        "Parts of collective operations that were compared, a rank's part of one each.";
    BYTES = "sent_bytes", Bytes, always, "Bytes handed out, by the sender's own buffers.";
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
    let (messages, parts) =
        (sum(|rank| rank.counts[0][Way::Sent as usize]), sum(|rank| rank.counts[0][Way::Collective as usize]));
    let (bytes, checked, unchecked) = (sum(|rank| rank.bytes), sum(|rank| rank.checked), sum(|rank| rank.unchecked));
    let (differing, unequal) = (sum(|rank| rank.differing), sum(|rank| rank.unequal));
    let verdict = match (differing, unchecked) {
        (0, 0) => "identical",
        (0, _) => "same number, order and sizes",
        _ => "different",
    };
    let note = format!(
        ": {} and {} of collective calls, {} handed out, on {}",
        plural(messages, "message"),
        plural(parts, "part"),
        Value::Bytes(bytes),
        plural(ranks.len() as u64, "rank")
    );
    let compared = match unequal {
        0 => " compared".into(),
        _ => format!(" compared, {unequal} of them unequal"),
    };
    let mut facts = vec![
        Fact::new(VERDICT, "messages", Value::Text(verdict.into())).note(note),
        Fact::hidden(MESSAGES, Value::Count(messages)),
        Fact::hidden(COLLECTIVE_PARTS, Value::Count(parts)),
        Fact::hidden(BYTES, Value::Bytes(bytes)),
        Fact::new(CHECKSUMS, "checksums", Value::Count(checked)).note(compared),
        Fact::hidden(DIFFERING, Value::Count(differing)),
        Fact::hidden(REORDERED, Value::Count(sum(|rank| rank.reordered))),
    ];
    facts.extend(earliest.map(|row| Fact::new(EARLIEST, "earliest", Value::Text(row.in_words()))));
    facts
}

/// Notes on messages that were not compared, and on those that only came in another order.
pub fn warnings(ranks: &[(&Rank, RankComparison)]) -> Vec<String> {
    let sum =
        |count: fn(&RankComparison) -> u64| ranks.iter().map(|(_, rank)| count(rank)).fold(0u64, u64::saturating_add);
    let mut warnings = Vec::new();
    let (checked, unchecked, reordered) =
        (sum(|rank| rank.checked), sum(|rank| rank.unchecked), sum(|rank| rank.reordered));
    if checked == 0 && unchecked > 0 {
        warnings.push(
            "content was not compared, since one of the runs or both have no checksums: record both with --checksum crc32"
                .into(),
        );
    } else if unchecked > 0 {
        warnings.push(format!(
            "{unchecked} messages or parts have no checksum on one side or both: their content was not compared"
        ));
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
