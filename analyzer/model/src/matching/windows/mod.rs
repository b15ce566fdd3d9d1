//! Finds waits at the synchronization calls of windows, except MPI_Win_fence, which is a collective call.
//!
//! In: post, start, complete, wait, lock and unlock calls. Out: waits.

mod epochs;
mod locks;

use super::collective_node::CollectiveNode;
use super::collectives::Collectives;
use super::dependency_bytes::NotedNode;
use super::dependency_log::DependencyLog;
use super::links::Links;
use super::scenario::WayKind;
use super::wait_sums::{RankSite, Waits};
use crate::roles::{Epoch, Peer, Role};
use epochs::Epochs;
use locks::Locks;

/// A call of a rank. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    pub at: RankSite,
    pub begin: i64,
    /// Time at which it ended, or until which it lasted for certain.
    pub end: i64,
    /// The call has not returned.
    pub open: bool,
}

impl Called {
    /// Its begin and its site's number.
    pub fn begins(&self) -> (i64, u32) {
        (self.begin, self.at.place.number() as u32)
    }
}

/// What a rank's calls depend on.
pub struct OwnSteps<'l> {
    pub links: &'l mut Links,
    pub log: &'l mut DependencyLog,
}

impl OwnSteps<'_> {
    fn comes(&mut self, node: Option<CollectiveNode>, begins: (i64, u32)) {
        if let Some(node) = node {
            self.log.comes(NotedNode::of(&node, 2, true), begins);
            self.links.comes(Some(node), begins);
        }
    }

    fn awaits(&mut self, node: Option<CollectiveNode>) {
        if let Some(node) = node {
            self.log.awaits((NotedNode::of(&node, 2, true), WayKind::Step, 0));
            self.links.awaits(Some(node), None);
        }
    }
}

pub struct Windows<'a> {
    epochs: Epochs<'a>,
    locks: Locks<'a>,
}

impl<'a> Windows<'a> {
    pub fn new(collectives: &'a Collectives<'a>, ranks: usize) -> Windows<'a> {
        Windows { epochs: Epochs::new(collectives), locks: Locks::new(collectives, ranks) }
    }

    /// Enters a synchronization call. Adds each wait that becomes known by it, of any rank.
    pub fn call(&self, role: &Role, epoch: Epoch, call: Called, own: &mut OwnSteps, waits: &mut Waits) {
        let Some(window) = role.object else { return };
        let (peer, detail) = role.to;
        match (epoch, peer) {
            // It is unknown which rank gets the lock first.
            (Epoch::Lock, _) if call.open => {}
            (Epoch::Lock, Peer::Rank(target)) => self.locks.lock(window, target, detail, call),
            (Epoch::Unlock, Peer::Rank(target)) => self.locks.unlock(window, target, call, waits),
            (Epoch::Lock | Epoch::Unlock, _) => {}
            (Epoch::Start, _) => self.epochs.start(window, detail, call, waits),
            (Epoch::Complete, _) => self.epochs.complete(window, call, own, waits),
            (Epoch::Post, _) => self.epochs.post(window, detail, call, own, waits),
            (Epoch::Wait, _) => self.epochs.wait(window, call, own, waits),
        }
    }

    /// Records that all calls of a rank before `at` were read; `None` means all of them.
    pub fn reached(&self, rank: u32, at: Option<i64>) {
        self.locks.reached(rank, at.unwrap_or(i64::MAX));
    }

    /// Charges the remaining calls, once all calls were seen. With `is_whole`, an event that no rank recorded did not happen.
    pub fn finish(self, is_whole: bool, waits: &mut Waits) {
        if is_whole {
            self.epochs.finish(waits);
        }
        self.locks.finish(waits);
    }
}
