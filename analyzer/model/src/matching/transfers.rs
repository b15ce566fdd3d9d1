//! Samples the time of messages from the sending call to the receiving call.
//!
//! In: messages with their receives. Out: samples by ranks, calls and size. A message's time is the network's only if the
//! receiver was in its call before the message was sent; if the message came long before, the receive's own cost shows.

use rustc_hash::FxHashMap;

use super::Message;
use super::completions::Completion;
use super::posted_receive::Post;
use crate::roles::SpottedSite;
use crate::sample::Sample;

/// Attributes by which messages are grouped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransferKey {
    /// Sender and receiver, by place in the run.
    pub ranks: (u32, u32),
    /// The sending call, and the one that received or completed the receive.
    pub calls: (SpottedSite, SpottedSite),
    pub bytes: u64,
}

/// Times of the messages of one group, nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct Transfer {
    pub messages: u64,
    /// From the begin of the send to the end of the receive, for messages whose receiver was waiting.
    pub ways: Sample<i64>,
    /// Maximum error of `ways`.
    pub error: i64,
    pub sends: Sample<i64>,
    /// For each message that came before its receive: the time between the two, and the duration of the receive.
    pub receives: Sample<(i64, i64)>,
}

/// Transfer times of a rank's messages, or of all ranks'.
#[derive(Default)]
pub struct Transfers {
    pub by_key: FxHashMap<TransferKey, Transfer>,
    /// Messages beyond the limit of groups.
    pub left_out: u64,
}

/// Maximum number of groups per rank: a program may give each message a different size.
const MOST: usize = 1 << 14;

impl Transfers {
    /// Adds a message that `rank` received.
    pub(super) fn add(&mut self, rank: u32, message: &Message, post: &Post, completion: &Completion, error: i64) {
        if !message.place.counts() || !completion.place.counts() {
            return;
        }
        let ranks = (message.envelope.source, rank);
        let key = TransferKey { ranks, calls: (message.place, completion.place), bytes: message.bytes };
        if self.by_key.len() >= MOST && !self.by_key.contains_key(&key) {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        let transfer = self.by_key.entry(key).or_default();
        transfer.messages = transfer.messages.saturating_add(1);
        transfer.sends.add(message.turn.end - message.turn.begin);
        if post.at <= message.begin && completion.start <= message.begin {
            transfer.ways.add(completion.end - message.begin);
            transfer.error = transfer.error.max(error);
        }
        if completion.start == post.at && message.begin < post.at {
            transfer.receives.add((post.at - message.begin, completion.end - completion.start));
        }
    }

    pub(super) fn merge(&mut self, other: Transfers) {
        self.by_key.extend(other.by_key);
        self.left_out = self.left_out.saturating_add(other.left_out);
    }
}
