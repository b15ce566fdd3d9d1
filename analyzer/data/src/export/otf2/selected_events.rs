//! Selects the messages and collective operations to write: those in the selection on communicators that OTF2 can express.
//! Both ends of a message must be selected.

use std::ops::AddAssign;

use rustc_hash::{FxHashMap, FxHashSet};
use traces::signature::{peer, tag};

use super::communicators::Communicators;
use super::event_meanings::EventMeaning;
use super::event_writer::{CollectiveShare, MessageEnd};
use crate::set::sort_by_rank;
use model::Run;
use model::common_clock::CommonClock;
use model::matching::ReceivedMessage;
use model::objects::Objects;
use model::roles::{CallPart, Peer, Role};

/// `OTF2_COLLECTIVE_ROOT_NONE`.
const NO_ROOT: u32 = u32::MAX;

/// Numbers of events written and left out.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct ExportSums {
    pub calls: u64,
    pub messages: u64,
    /// Parts of ranks in collective operations.
    pub collectives: u64,
    pub regions: u64,
    /// Messages and parts left out, since the processes of their communicator are unknown.
    pub unknown: u64,
    /// Parts left out, since OTF2 has no name for the operation.
    pub unnamed: u64,
}

impl AddAssign for ExportSums {
    fn add_assign(&mut self, other: ExportSums) {
        let ExportSums { calls, messages, collectives, regions, unknown, unnamed } = other;
        self.calls += calls;
        self.messages += messages;
        self.collectives += collectives;
        self.regions += regions;
        self.unknown += unknown;
        self.unnamed += unnamed;
    }
}

/// Selection of a rank's messages and collective operations.
pub struct SelectedEvents<'r> {
    pub run: &'r Run,
    pub common_clock: &'r CommonClock,
    pub objects: &'r Objects,
    pub communicators: &'r Communicators,
    pub ends: RankMessages<'r>,
    /// The time written as 0.
    pub origin: i64,
    pub sums: ExportSums,
    /// Ranks in communicators, by communicator and process.
    ranks: FxHashMap<(u32, u32), Option<u32>>,
}

impl<'r> SelectedEvents<'r> {
    pub fn new(
        run: &'r Run,
        common_clock: &'r CommonClock,
        objects: &'r Objects,
        communicators: &'r Communicators,
        ends: RankMessages<'r>,
        origin: i64,
    ) -> SelectedEvents<'r> {
        let (sums, ranks) = (ExportSums::default(), FxHashMap::default());
        SelectedEvents { run, common_clock, objects, communicators, ends, origin, sums, ranks }
    }

    /// The message that a rank's call sends, if its receiver is selected.
    pub fn sent(&mut self, rank: u32, role: &Role, begin: i64) -> Option<MessageEnd> {
        let CallPart::Message { sends: true, .. } = role.what else { return None };
        let (Peer::Rank(to), tag) = role.to else { return None };
        let object = role.object?;
        if !self.run.ranks[to as usize].is_asked || !self.ends.has(rank, to, object, tag, begin) {
            return None;
        }
        let communicator = self.communicators.number(role.object);
        self.sums.unknown += u64::from(communicator.is_none());
        let communicator = communicator?;
        Some(MessageEnd { peer: self.rank_in(communicator, to)?, communicator, tag, bytes: role.sent })
    }

    /// True if a call's receive may get a message.
    pub fn may_receive(&self, role: &Role) -> bool {
        role.from.0 != Peer::Nobody && self.communicators.number(role.object).is_some()
    }

    /// The message that the rank's receive got.
    pub fn received(&mut self, role: &Role, posted: i64, end: i64) -> Option<MessageEnd> {
        let CallPart::Message { receives: true, .. } = role.what else { return None };
        let message = self.ends.take(role, posted, end)?;
        let communicator = self.communicators.number(role.object)?;
        let peer = self.rank_in(communicator, message.from.rank)?;
        self.sums.messages += 1;
        Some(MessageEnd { peer, communicator, tag: message.tag, bytes: message.received })
    }

    /// True if OTF2 can express a collective operation; counts those that it cannot.
    pub fn can_join(&mut self, role: &Role, meaning: &EventMeaning) -> bool {
        let communicator = self.communicators.number(role.object);
        self.sums.unnamed += u64::from(meaning.operation.is_none());
        self.sums.unknown += u64::from(meaning.operation.is_some() && communicator.is_none());
        meaning.operation.is_some() && communicator.is_some()
    }

    /// The rank's part in a collective operation, if OTF2 can express it.
    pub fn part(&mut self, rank: u32, role: &Role, meaning: &EventMeaning) -> Option<CollectiveShare> {
        let CallPart::Collective { .. } = role.what else { return None };
        let (operation, communicator) = (meaning.operation?, self.communicators.number(role.object)?);
        let root = match meaning.root {
            peer::ROOT => Some(rank),
            // The root's group does not tell which of its processes is the root.
            number => self.objects.groups[role.object? as usize].peer(rank as usize, number),
        };
        let root = root.and_then(|root| self.rank_in(communicator, root)).unwrap_or(NO_ROOT);
        self.sums.collectives += 1;
        Some(CollectiveShare { operation, communicator, root, sent: role.sent, received: role.received })
    }

    fn rank_in(&mut self, communicator: u32, process: u32) -> Option<u32> {
        let communicators = self.communicators;
        *self.ranks.entry((communicator, process)).or_insert_with(|| communicators.rank(communicator, process))
    }
}

/// Identity of a send: sender, receiver, communicator, tag and begin of the call.
type SentKey = (u32, u32, u32, i32, i64);

/// The matched messages of a run.
pub struct MessageEnds {
    /// Sorted by receiving rank, then by end of the completing call and by time of the post.
    received: Vec<ReceivedMessage>,
    /// Sends whose message was received outside the selection.
    left_out: FxHashSet<SentKey>,
}

impl MessageEnds {
    pub fn of(mut messages: Vec<ReceivedMessage>) -> MessageEnds {
        let left_out = messages.iter().filter(|message| !message.counts());
        let left_out = left_out.map(|one| (one.from.rank, one.to.rank, one.communicator, one.tag, one.begin)).collect();
        messages.retain(ReceivedMessage::counts);
        sort_by_rank(&mut messages, |one| (key(one), one.begin, one.from.rank, one.tag));
        MessageEnds { received: messages, left_out }
    }

    /// The messages that a rank received.
    pub fn of_rank(&self, rank: u32) -> RankMessages<'_> {
        let first = self.received.partition_point(|message| message.to.rank < rank);
        let end = self.received.partition_point(|message| message.to.rank <= rank);
        let received = &self.received[first..end];
        RankMessages { received, is_taken: vec![false; received.len()], next: 0, left_out: &self.left_out }
    }
}

/// The messages that a rank received, and those that it sent.
pub struct RankMessages<'r> {
    received: &'r [ReceivedMessage],
    is_taken: Vec<bool>,
    /// The one after the last that was taken: most often the next.
    next: usize,
    left_out: &'r FxHashSet<SentKey>,
}

impl RankMessages<'_> {
    /// True if a send is to be written: its message was received in the selection, or never.
    pub fn has(&self, from: u32, to: u32, object: u32, tag: i32, begin: i64) -> bool {
        self.left_out.is_empty() || !self.left_out.contains(&(from, to, object, tag, begin))
    }

    /// Takes the message of a receive, given by times of post and completion.
    pub fn take(&mut self, role: &Role, posted: i64, end: i64) -> Option<ReceivedMessage> {
        let wanted = (end, posted);
        let first = self.first(wanted);
        let rest = self.received.get(first..)?.iter().zip(first..);
        let mut same = rest.take_while(|(message, _)| key(message) == wanted);
        let found = same.find(|(message, at)| {
            let source = !matches!(role.from.0, Peer::Rank(source) if source != message.from.rank);
            let tag = role.from.1 == tag::ANY || role.from.1 == tag::NONE || role.from.1 == message.tag;
            Some(message.communicator) == role.object && source && tag && !self.is_taken[*at]
        });
        let (message, at) = found?;
        self.is_taken[at] = true;
        self.next = at + 1;
        Some(*message)
    }

    /// The place of the first message that was not received before.
    fn first(&self, wanted: (i64, i64)) -> usize {
        let is_before = |at: usize| self.received.get(at).is_some_and(|message| key(message) < wanted);
        let is_it = !is_before(self.next) && (self.next == 0 || is_before(self.next - 1));
        if is_it { self.next } else { self.received.partition_point(|message| key(message) < wanted) }
    }
}

fn key(message: &ReceivedMessage) -> (i64, i64) {
    (message.end, message.posted)
}
