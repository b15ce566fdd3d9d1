//! Takes finished links, jumps and waits from the ranks at the end of each turn, so that their memory does not grow
//! with the run.
//!
//! In: each rank's links, jumps and waits. Out: each rank's time in the ideal or in changed runs, and all jumps and waits sorted.

use std::sync::{Arc, Mutex};

use super::busy_calls::PlaceTimes;
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
}

impl HandedOn {
    pub fn new(follow: Follow, lanes: Option<&Arc<Lanes>>, ranks: usize) -> HandedOn {
        HandedOn {
            replay: lanes.map(|lanes| Mutex::new(Replay::new(lanes, ranks))),
            jumps: follow.contains(Follow::JUMPS).then(|| Mutex::new(Spill::new(ranks))),
            waits: follow.contains(Follow::ORIGINS).then(|| Mutex::new(Spill::new(ranks))),
        }
    }

    /// Takes a rank's next links.
    pub fn links(&self, rank: u32, links: impl Iterator<Item = Link>) {
        if let Some(replay) = &self.replay {
            lock(replay).take(rank, links);
        }
    }

    /// Takes a rank's times in computation and in calls that waited for nobody.
    pub fn places(&self, rank: u32, places: PlaceTimes) {
        if let Some(replay) = &self.replay {
            lock(replay).add_places(rank, places);
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
        (account.phases, account.replayed) = self.replay.map(|replay| into_inner(replay).finish()).unwrap_or_default();
        account.jumps = self.jumps.map(|jumps| into_inner(jumps).finish()).unwrap_or_default();
        account.followed = self.waits.map(|waits| into_inner(waits).finish()).unwrap_or_default();
    }
}
