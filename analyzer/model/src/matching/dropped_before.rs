//! Finds the begin of each queue and of each communicator's collective calls, if ranks have dropped their oldest records.
//!
//! In: the [`DroppedPast`] of each rank. Out: the number of messages of a queue that have lost their receive, or the reverse,
//! and the first collective call that all ranks have.

use rustc_hash::{FxHashMap, FxHashSet};

use super::posted_receive::Envelope;
use crate::dropped_past::{DroppedPast, MessageOrder};
use crate::objects::Objects;

/// The dropped begin of a run.
#[derive(Default)]
pub struct DroppedBefore {
    /// Some rank has dropped records.
    pub is_any: bool,
    /// Dropped sends less dropped receives.
    ahead: FxHashMap<MessageOrder, i64>,
    /// Ranks whose order is unknown.
    unordered: FxHashSet<u32>,
    /// Receivers and communicators of dropped receives that got messages from unknown senders.
    untold: FxHashSet<(u32, u32)>,
    /// The first collective call that no rank has dropped, by object.
    first: FxHashMap<u32, u64>,
    /// Objects with a rank of unknown order.
    unordered_objects: FxHashSet<u32>,
}

/// The begin of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueueBegin {
    /// Number of first receives whose messages were dropped; the largest number for all.
    pub lost_messages: u64,
    /// Number of first messages whose receives were dropped; the largest number for all.
    pub lost_receives: u64,
}

impl QueueBegin {
    const UNKNOWN: QueueBegin = QueueBegin { lost_messages: u64::MAX, lost_receives: u64::MAX };

    /// Decrements a number of lost ones; the largest number stays. Returns false if none was left.
    pub fn take(lost: &mut u64) -> bool {
        let is_left = *lost > 0;
        if *lost < u64::MAX {
            *lost = lost.saturating_sub(1);
        }
        is_left
    }
}

impl DroppedBefore {
    /// `pasts` by the ranks' places in [`Run::ranks`](crate::Run::ranks).
    pub fn of(pasts: &[Option<DroppedPast>], objects: &Objects) -> DroppedBefore {
        let mut before = DroppedBefore { is_any: pasts.iter().any(Option::is_some), ..DroppedBefore::default() };
        for (rank, past) in (0..).zip(pasts) {
            let Some(past) = past else { continue };
            for (order, count) in &past.sent {
                *before.ahead.entry(*order).or_default() += *count as i64;
            }
            for (order, count) in &past.received {
                *before.ahead.entry(*order).or_default() -= *count as i64;
            }
            for (object, count) in &past.collectives {
                let first = before.first.entry(*object).or_default();
                *first = (*first).max(*count);
            }
            before.untold.extend(past.untold.iter().map(|object| (rank, *object)));
            if past.is_unordered {
                before.unordered.insert(rank);
            }
        }
        let is_unordered =
            |object: &u32| objects.groups[*object as usize].everybody().any(|rank| before.unordered.contains(&rank));
        before.unordered_objects = match before.unordered.is_empty() {
            true => FxHashSet::default(),
            false => (0..objects.groups.len() as u32).filter(is_unordered).collect(),
        };
        before
    }

    /// The begin of a queue of the receiver `to`.
    pub fn queue(&self, to: u32, envelope: &Envelope) -> QueueBegin {
        if !self.is_any {
            return QueueBegin::default();
        }
        let Envelope { object, source: from, tag, partitioned } = *envelope;
        if self.untold.contains(&(to, object)) || [from, to].iter().any(|rank| self.unordered.contains(rank)) {
            return QueueBegin::UNKNOWN;
        }
        let ahead = self.ahead.get(&MessageOrder { object, from, to, tag, partitioned }).copied().unwrap_or(0);
        QueueBegin { lost_messages: ahead.max(0) as u64, lost_receives: ahead.min(0).unsigned_abs() }
    }

    /// True if no rank has dropped its part in a collective call.
    pub fn has_collective(&self, object: u32, ordinal: u64) -> bool {
        !self.is_any
            || !self.unordered_objects.contains(&object) && ordinal >= self.first.get(&object).copied().unwrap_or(0)
    }
}
