//! Windows: who opened one to whom, who locked it, and for whom the others waited.
//!
//! In: the calls by which ranks synchronize windows, but for MPI_Win_fence, which is a collective call. Out: waits.

mod epochs;
mod locks;

use super::collectives::Collectives;
use super::links::Links;
use super::waits::{RankSite, Waits};
use crate::roles::{Epoch, Peer, Role};
use epochs::Epochs;
use locks::Locks;

/// A call that a rank made. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    /// Who, and where.
    pub at: RankSite,
    /// When it began.
    pub begin: i64,
    /// When it ended, or until when it is known to have lasted.
    pub end: i64,
    /// It has not returned.
    pub open: bool,
}

/// All windows of a run.
pub struct Windows<'a> {
    epochs: Epochs<'a>,
    locks: Locks<'a>,
}

impl<'a> Windows<'a> {
    /// None was opened, and no rank has been looked at, of so many.
    pub fn new(collectives: &'a Collectives<'a>, ranks: usize) -> Windows<'a> {
        Windows { epochs: Epochs::new(collectives), locks: Locks::new(collectives, ranks) }
    }

    /// A rank opened a window, or closed it. Waits that are known with that are added, whosever they are.
    pub fn call(&self, role: &Role, epoch: Epoch, call: Called, links: &mut Links, waits: &mut Waits) {
        let Some(window) = role.object else { return };
        let (peer, detail) = role.to;
        match (epoch, peer) {
            // Nobody knows who will have the lock first.
            (Epoch::Lock, _) if call.open => {}
            (Epoch::Lock, Peer::Rank(target)) => self.locks.lock(window, target, detail, call),
            (Epoch::Unlock, Peer::Rank(target)) => self.locks.unlock(window, target, call, waits),
            (Epoch::Lock | Epoch::Unlock, _) => {}
            (Epoch::Start, _) => self.epochs.start(window, detail, call, waits),
            (Epoch::Complete, _) => self.epochs.complete(window, call, links, waits),
            (Epoch::Post, _) => self.epochs.post(window, detail, call, links, waits),
            (Epoch::Wait, _) => self.epochs.wait(window, call, links, waits),
        }
    }

    /// All calls of a rank were seen that began before this; all, where nothing is said.
    pub fn reached(&self, rank: u32, at: Option<i64>) {
        self.locks.reached(rank, at.unwrap_or(i64::MAX));
    }

    /// All calls of all ranks were seen. `is_whole`: what no rank is known to have done, none has done.
    pub fn finish(self, is_whole: bool, waits: &mut Waits) {
        if is_whole {
            self.epochs.finish(waits);
        }
        self.locks.finish(waits);
    }
}
