//! What messages took from the call that sent them to the call that received them.
//!
//! In: messages with their receives. Out: samples by partners, calls and size. The time of a message is that of the network only
//! where the receiver was in its call before the message was sent; what a receive costs by itself is seen where the message came long
//! before.

use rustc_hash::FxHashMap;

use super::Message;
use super::completions::Completion;
use super::posted_receive::Post;
use crate::roles::SpottedSite;
use crate::sample::Sample;

/// What messages have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransferKey {
    /// The places of sender and receiver in the run.
    pub ranks: (u32, u32),
    /// The call that sent, and the one that received or completed that.
    pub calls: (SpottedSite, SpottedSite),
    /// Bytes that were sent.
    pub bytes: u64,
}

/// Messages that have that in common. Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct Transfer {
    /// How many.
    pub messages: u64,
    /// From the begin of the send to the end of the receive, where the receiver was waiting.
    pub ways: Sample<i64>,
    /// By how much those may be off.
    pub error: i64,
    /// The calls that sent.
    pub sends: Sample<i64>,
    /// How long before its receive a message was sent, and what that took.
    pub receives: Sample<(i64, i64)>,
}

/// See the module.
#[derive(Default)]
pub struct Transfers {
    /// By what they have in common.
    pub by_key: FxHashMap<TransferKey, Transfer>,
    /// Messages without a place among those.
    pub left_out: u64,
}

/// Kinds that are kept of a rank: a program may send each message in a size of its own.
const MOST: usize = 1 << 14;

impl Transfers {
    /// One more, that a rank received.
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

    /// Adds those of another rank.
    pub(super) fn merge(&mut self, other: Transfers) {
        self.by_key.extend(other.by_key);
        self.left_out = self.left_out.saturating_add(other.left_out);
    }
}
