//! Tracks a rank's window locks and epochs.
//!
//! On one window, the k-th start of rank a towards rank b belongs to the k-th post of b towards a.

use rustc_hash::{FxHashMap, FxHashSet};
use traces::calls::Call;

use crate::objects::Objects;
use crate::roles::{Epoch, Peer, Role};

/// A peer of an epoch, and the number of earlier epochs with it.
pub type OpenedTo = (u32, u64);

/// Windows of a rank by the run's numbers; ranks by place in the run.
#[derive(Default, Debug)]
pub struct WindowPast {
    /// Kinds of the locks that it holds, by window and target.
    pub locks: FxHashMap<(u32, u32), i32>,
    /// Windows locked by MPI_Win_lock_all, whose lock is shared.
    pub all_locked: FxHashSet<u32>,
    /// Number of posts for another rank, by window and rank.
    pub posted: FxHashMap<(u32, u32), u64>,
    /// Number of completed accesses to another rank's window.
    pub completed: FxHashMap<(u32, u32), u64>,
    /// Ranks of each open exposure epoch.
    pub exposed: FxHashMap<u32, Vec<OpenedTo>>,
    /// Ranks of each open access epoch.
    pub accessed: FxHashMap<u32, Vec<OpenedTo>>,
    started: FxHashMap<(u32, u32), u64>,
}

impl WindowPast {
    /// Handles a call that opened or closed a window to some ranks.
    pub fn epoch(&mut self, own: u32, objects: &Objects, epoch: Epoch, role: &Role) {
        let Some(window) = role.object else { return };
        let (peer, detail) = role.to;
        let group = || u32::try_from(detail).ok().and_then(|group| objects.opened_to(own, group)).unwrap_or_default();
        match epoch {
            Epoch::Start => drop(self.accessed.insert(window, opened(&mut self.started, window, group()))),
            Epoch::Post => drop(self.exposed.insert(window, opened(&mut self.posted, window, group()))),
            Epoch::Complete => {
                for (peer, _) in self.accessed.remove(&window).unwrap_or_default() {
                    *self.completed.entry((window, peer)).or_default() += 1;
                }
            }
            Epoch::Wait => drop(self.exposed.remove(&window)),
            Epoch::Lock => {
                if let Peer::Rank(target) = peer {
                    self.locks.insert((window, target), detail);
                }
            }
            Epoch::Unlock => {
                if let Peer::Rank(target) = peer {
                    self.locks.remove(&(window, target));
                }
            }
        }
    }

    /// Number of accesses that it started to another rank's window.
    pub fn started(&self, window: u32, peer: u32) -> u64 {
        self.started.get(&(window, peer)).copied().unwrap_or(0)
    }

    /// Handles any other call, possibly on a window.
    pub fn call(&mut self, call: Call, role: &Role) {
        let Some(window) = role.object else { return };
        match call {
            Call::Win_lock_all => drop(self.all_locked.insert(window)),
            Call::Win_unlock_all => drop(self.all_locked.remove(&window)),
            Call::Win_test => drop(self.exposed.remove(&window)),
            _ => {}
        }
    }
}

/// Opens another epoch with each rank of a group.
fn opened(counts: &mut FxHashMap<(u32, u32), u64>, window: u32, group: &[u32]) -> Vec<OpenedTo> {
    let mut open = Vec::new();
    for peer in group {
        let count = counts.entry((window, *peer)).or_default();
        open.push((*peer, *count));
        *count += 1;
    }
    open
}
