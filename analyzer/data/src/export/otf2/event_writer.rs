//! Selects the messages and collective operations to write: those in the selection on communicators that OTF2 can express.

use rustc_hash::FxHashMap;
use traces::signature::peer;

use super::communicators::Communicators;
use super::events::{CollectiveShare, MessageEnd};
use super::meanings::EventMeaning;
use super::messages::MessageEnds;
use model::Run;
use model::common_clock::CommonClock;
use model::objects::Objects;
use model::roles::{CallPart, Peer, Role};

/// `OTF2_COLLECTIVE_ROOT_NONE`.
const NO_ROOT: u32 = u32::MAX;

/// Numbers of events written and left out.
#[derive(Clone, Copy, Default, Debug)]
pub struct ExportSums {
    pub calls: u64,
    /// Received messages.
    pub messages: u64,
    /// Parts of ranks in collective operations.
    pub collectives: u64,
    /// Times spent in regions.
    pub regions: u64,
    /// Messages and parts left out, since the processes of their communicator are unknown.
    pub unknown: u64,
    /// Parts left out, since OTF2 has no name for the operation.
    pub unnamed: u64,
}

/// Selection of a run's messages and collective operations.
pub struct Told<'r> {
    pub run: &'r Run,
    pub common_clock: &'r CommonClock,
    pub objects: &'r Objects,
    pub communicators: &'r Communicators,
    pub ends: MessageEnds,
    /// The time written as 0.
    pub origin: i64,
    pub sums: ExportSums,
    /// Ranks in communicators, by communicator and process.
    ranks: FxHashMap<(u32, u32), Option<u32>>,
}

impl<'r> Told<'r> {
    pub fn new(
        run: &'r Run,
        common_clock: &'r CommonClock,
        objects: &'r Objects,
        communicators: &'r Communicators,
        ends: MessageEnds,
        origin: i64,
    ) -> Told<'r> {
        let (sums, ranks) = (ExportSums::default(), FxHashMap::default());
        Told { run, common_clock, objects, communicators, ends, origin, sums, ranks }
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

    /// The message that a rank's receive got.
    pub fn received(&mut self, rank: u32, role: &Role, posted: i64, end: i64) -> Option<MessageEnd> {
        let CallPart::Message { receives: true, .. } = role.what else { return None };
        let message = self.ends.take(rank, role, posted, end)?;
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

    /// Rank of a process in a communicator.
    fn rank_in(&mut self, communicator: u32, process: u32) -> Option<u32> {
        let communicators = self.communicators;
        *self.ranks.entry((communicator, process)).or_insert_with(|| communicators.rank(communicator, process))
    }
}
