//! What a rank did to windows: the locks that it took and has not given back, whom it has opened a window to and how often.
//!
//! Of a window, the k-th time that a rank starts for another goes with the k-th time that the other posts for the rank.

use rustc_hash::FxHashMap;
use traces::calls::Call;
use traces::signature::lock::SHARED;

use crate::objects::Objects;
use crate::roles::{Epoch, Peer, Role};

/// A rank that a window is opened to or by, and how often that was so before.
pub type OpenedTo = (u32, u64);

/// See the module. Windows by the run's numbers, ranks by their places in the run.
#[derive(Default, Debug)]
pub struct WindowPast {
    /// The kinds of locks that it holds, by window and target.
    pub locks: FxHashMap<(u32, u32), i32>,
    /// Windows of which it has locked all targets, by MPI_Win_lock_all.
    pub all_locked: FxHashMap<u32, i32>,
    /// How often it posted a window for another rank.
    pub posted: FxHashMap<(u32, u32), u64>,
    /// How often it completed its accesses to another rank's.
    pub completed: FxHashMap<(u32, u32), u64>,
    /// The ranks that it posted a window for and has not waited for.
    pub exposed: FxHashMap<u32, Vec<OpenedTo>>,
    /// The ranks whose window it has started to access and not completed.
    pub accessed: FxHashMap<u32, Vec<OpenedTo>>,
    started: FxHashMap<(u32, u32), u64>,
}

impl WindowPast {
    /// A call that opens or closes a window to some ranks has ended.
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

    /// How often it has started to access another rank's window.
    pub fn started(&self, window: u32, peer: u32) -> u64 {
        self.started.get(&(window, peer)).copied().unwrap_or(0)
    }

    /// Another call has ended, which may have been on a window.
    pub fn call(&mut self, call: Call, role: &Role) {
        let Some(window) = role.object else { return };
        match call {
            Call::Win_lock_all => drop(self.all_locked.insert(window, SHARED)),
            Call::Win_unlock_all => drop(self.all_locked.remove(&window)),
            Call::Win_test => drop(self.exposed.remove(&window)),
            _ => {}
        }
    }
}

/// Opens a window to a group once more.
fn opened(counts: &mut FxHashMap<(u32, u32), u64>, window: u32, group: &[u32]) -> Vec<OpenedTo> {
    let mut open = Vec::new();
    for peer in group {
        let count = counts.entry((window, *peer)).or_default();
        open.push((*peer, *count));
        *count += 1;
    }
    open
}
