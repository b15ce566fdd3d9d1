//! Takes finished links, jumps and waits from the ranks at the end of each turn, so that their memory does not grow
//! with the run.
//!
//! In: each rank's links, jumps and waits. Out: each rank's time in the ideal or in changed runs, and all jumps and waits sorted.

use std::sync::{Arc, Mutex};
use std::thread;

use super::dependency_file::Dependencies;
use super::dependency_log::DependencyLog;
use super::links::Link;
use super::replay::Replay;
use super::scenario::Lanes;
use super::wait_sums::{FollowedWait, Jump, Waits};
use super::{Account, Follow};
use crate::parallel::{into_inner, lock};
use crate::spill::Spill;

/// The consumers, if [`Follow`] asks for them.
pub struct HandedOn {
    replay: Option<Mutex<Replay>>,
    jumps: Option<Mutex<Spill<Jump>>>,
    waits: Option<Mutex<Spill<FollowedWait>>>,
    dependencies: Option<Mutex<Dependencies>>,
}

impl HandedOn {
    pub fn new(follow: Follow, lanes: Option<&Arc<Lanes>>, ranks: usize) -> HandedOn {
        HandedOn {
            replay: lanes.map(|lanes| Mutex::new(Replay::new(lanes, ranks))),
            jumps: follow.contains(Follow::JUMPS).then(|| Mutex::new(Spill::new(ranks))),
            waits: follow.contains(Follow::ORIGINS).then(|| Mutex::new(Spill::new(ranks))),
            dependencies: follow.contains(Follow::REPLAYS).then(|| Mutex::new(Dependencies::of(ranks))),
        }
    }

    /// Takes a rank's next links.
    pub fn links(&self, rank: u32, links: impl Iterator<Item = Link>) {
        if let Some(replay) = &self.replay {
            lock(replay).take(rank, links);
        }
    }

    /// Takes what a rank has written for replays, if that is much or the rank is at its end.
    pub fn dependencies(&self, rank: u32, log: &mut DependencyLog, is_end: bool) {
        if let Some(dependencies) = self.dependencies.as_ref().filter(|_| is_end || Dependencies::takes(log)) {
            lock(dependencies).take(rank, log);
        }
    }

    /// Takes single waits, of any rank.
    pub fn waits(&self, waits: &mut Waits) {
        if let Some(jumps) = &self.jumps {
            lock(jumps).add(waits.jumps.drain(..));
        }
        if let Some(followed) = &self.waits {
            lock(followed).add(waits.spans.drain(..).map(FollowedWait::from));
        }
    }

    pub fn finish(self, account: &mut Account) {
        account.phases = self.replay.map(|replay| into_inner(replay).finish().0).unwrap_or_default();
        account.dependencies = self.dependencies.map(into_inner).unwrap_or_default();
        // The last of either are sorted at the same time.
        thread::scope(|scope| {
            let (jumps, waits) = (&mut account.jumps, &mut account.followed);
            scope.spawn(|| *jumps = self.jumps.map(|jumps| into_inner(jumps).finish()).unwrap_or_default());
            *waits = self.waits.map(|waits| into_inner(waits).finish()).unwrap_or_default();
        });
    }
}
