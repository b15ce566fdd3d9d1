//! Selects the messages to write: matched messages of which both ends are selected.

use rustc_hash::FxHashSet;
use traces::signature::tag;

use model::matching::ReceivedMessage;
use model::roles::{Peer, Role};

/// Identity of a send: sender, receiver, communicator, tag and begin of the call.
type SentKey = (u32, u32, u32, i32, i64);

/// The matched messages of a run.
pub struct MessageEnds {
    /// Sorted by receiving rank, then by end of the completing call and by time of the post.
    received: Vec<ReceivedMessage>,
    is_taken: Vec<bool>,
    /// Sends whose message was received outside the selection.
    left_out: FxHashSet<SentKey>,
}

impl MessageEnds {
    pub fn of(mut messages: Vec<ReceivedMessage>) -> MessageEnds {
        let left_out = messages.iter().filter(|message| !message.counts());
        let left_out = left_out.map(|one| (one.from.rank, one.to.rank, one.communicator, one.tag, one.begin)).collect();
        messages.retain(ReceivedMessage::counts);
        messages.sort_unstable_by_key(|one| (key(one), one.begin, one.from.rank, one.tag));
        let is_taken = vec![false; messages.len()];
        MessageEnds { received: messages, is_taken, left_out }
    }

    /// True if a send is to be written: its message was received in the selection, or never.
    pub fn has(&self, from: u32, to: u32, object: u32, tag: i32, begin: i64) -> bool {
        self.left_out.is_empty() || !self.left_out.contains(&(from, to, object, tag, begin))
    }

    /// Takes the message of a rank's receive, given by times of post and completion.
    pub fn take(&mut self, rank: u32, role: &Role, posted: i64, end: i64) -> Option<ReceivedMessage> {
        let wanted = (rank, end, posted);
        let first = self.received.partition_point(|message| key(message) < wanted);
        let rest = self.received.get(first..)?.iter().take_while(|message| key(message) == wanted);
        let found = rest.zip(first..).find(|(message, at)| {
            let source = !matches!(role.from.0, Peer::Rank(source) if source != message.from.rank);
            let tag = role.from.1 == tag::ANY || role.from.1 == tag::NONE || role.from.1 == message.tag;
            Some(message.communicator) == role.object && source && tag && !self.is_taken[*at]
        });
        let (message, at) = found?;
        self.is_taken[at] = true;
        Some(*message)
    }
}

fn key(message: &ReceivedMessage) -> (u32, i64, i64) {
    (message.to.rank, message.end, message.posted)
}
