//! Finds the first difference between the messages of one rank in two runs.

use std::collections::BTreeMap;

use traces::record::Content;

use super::receive_order::OtherOrder;
use model::messages::{Channel, ComparableMessage, RankMessages, Way};

/// The property in which a message differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DifferenceKind {
    /// Only A has it.
    OnlyA,
    /// Only B has it.
    OnlyB,
    /// Another function is called, in the case of collective calls.
    Function,
    /// The size of the message or of one of its parts.
    Size,
    /// The content.
    Content,
}

impl DifferenceKind {
    pub fn in_words(self) -> &'static str {
        match self {
            DifferenceKind::OnlyA => "only in A",
            DifferenceKind::OnlyB => "only in B",
            DifferenceKind::Function => "function",
            DifferenceKind::Size => "size",
            DifferenceKind::Content => "content",
        }
    }
}

/// The first message of a rank that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// The message's channel.
    pub channel: Channel,
    /// The message on either side.
    pub messages: [Option<ComparableMessage>; 2],
    /// The part that differs, on either side; parts are compared in order.
    pub parts: [Option<Content>; 2],
    /// Time at which the message existed on side A, or on B if A lacks it, in ticks.
    pub at: u64,
}

/// The comparison of a rank's messages in both runs.
#[derive(Debug, Default)]
pub struct RankComparison {
    /// The number of messages, by side and [`Way`].
    pub counts: [[u64; 3]; 2],
    /// Bytes that the rank sent in messages and handed out in collective calls, by side.
    pub bytes: [u64; 2],
    /// Checksums that were compared with the other side's.
    pub checked: u64,
    /// Compared checksums that differ.
    pub unequal: u64,
    /// Messages with bytes for which one side or both have no checksum.
    pub unchecked: u64,
    pub differing: u64,
    /// The earliest message that differs.
    pub first: Option<Difference>,
    /// Receives in another order than in A. Each sender's own messages are in the same order.
    pub reordered: OtherOrder,
    /// Receives that were posted and never completed, on either side.
    pub pending: u64,
}

pub fn compare(a: &RankMessages, b: &RankMessages) -> RankComparison {
    let mut comparison = RankComparison { pending: a.pending + b.pending, ..RankComparison::default() };
    let mut channels: BTreeMap<&Channel, [&[ComparableMessage]; 2]> = BTreeMap::new();
    for (side, messages) in [a, b].into_iter().enumerate() {
        for (channel, messages) in &messages.channels {
            channels.entry(channel).or_default()[side] = messages;
            comparison.counts[side][channel.way as usize] += messages.len() as u64;
        }
    }
    for (channel, [of_a, of_b]) in &channels {
        for at in 0..of_a.len().max(of_b.len()) {
            comparison.add(channel, [of_a.get(at), of_b.get(at)]);
        }
    }
    if comparison.differing == 0 {
        comparison.reordered = OtherOrder::of(a, b);
    }
    comparison
}

impl RankComparison {
    /// True if neither side has a message, or part in a collective call.
    pub fn is_empty(&self) -> bool {
        self.counts == [[0; 3]; 2]
    }

    fn add(&mut self, channel: &Channel, messages: [Option<&ComparableMessage>; 2]) {
        for (bytes, message) in self.bytes.iter_mut().zip(messages) {
            *bytes = bytes.saturating_add(message.map_or(0, |message| message.sent));
        }
        let (kind, parts) = match messages {
            [Some(a), Some(b)] => match self.difference(channel, a, b) {
                Some(found) => found,
                None => return,
            },
            [Some(_), None] => (DifferenceKind::OnlyA, [None, None]),
            _ => (DifferenceKind::OnlyB, [None, None]),
        };
        self.differing += 1;
        let Some(message) = messages[0].or(messages[1]) else { return };
        // Sent data exists when the call begins, received data when it is complete.
        let is_received = parts.iter().flatten().any(|part| part.received) || channel.way == Way::Received;
        let at = if is_received { message.end } else { message.begin };
        if self.first.as_ref().is_none_or(|first| at < first.at) {
            let messages = messages.map(|message| message.cloned());
            self.first = Some(Difference { kind, channel: channel.clone(), messages, parts, at });
        }
    }

    fn difference(
        &mut self,
        channel: &Channel,
        a: &ComparableMessage,
        b: &ComparableMessage,
    ) -> Option<(DifferenceKind, [Option<Content>; 2])> {
        if channel.way == Way::Collective && a.call != b.call {
            return Some((DifferenceKind::Function, [None, None]));
        }
        if (a.sent, a.received) != (b.sent, b.received) {
            return Some((DifferenceKind::Size, [None, None]));
        }
        if a.sent.max(a.received) > 0 && (a.contents.is_empty() || b.contents.is_empty()) {
            self.unchecked += 1;
            return None;
        }
        let mut first = None;
        for at in 0..a.contents.len().max(b.contents.len()) {
            let parts = [a.contents.get(at).copied(), b.contents.get(at).copied()];
            let [Some(one), Some(other)] = parts else {
                return first.or(Some((DifferenceKind::Size, parts)));
            };
            if (one.received, one.part, one.bytes) != (other.received, other.part, other.bytes) {
                return first.or(Some((DifferenceKind::Size, parts)));
            }
            let (Ok(one), Ok(other)) = (one.checksum, other.checksum) else {
                self.unchecked += 1;
                continue;
            };
            self.checked += 1;
            if one != other {
                self.unequal += 1;
                first = first.or(Some((DifferenceKind::Content, parts)));
            }
        }
        first
    }
}
