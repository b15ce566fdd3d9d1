//! Matches a run on a clock that agrees with its messages.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{Account, Follow, account_at};
use crate::Run;
use crate::common_clock::{CommonClock, Slack};
use crate::sites::CallSites;

pub struct Settled {
    pub account: Account,
    pub common_clock: CommonClock,
    /// Messages received before they were sent, before the clocks were adjusted.
    pub backwards_before: u64,
}

/// Matches the calls of a run. If messages run backwards and the clocks can be adjusted within their errors, matches again.
pub fn settled(run: &Run, follow: Follow) -> Settled {
    settled_at(run, follow, run.call_sites())
}

/// Like [`settled`], with the call sites' numbers from `places`, such as those that tell paths apart.
pub fn settled_at(run: &Run, follow: Follow, places: &CallSites) -> Settled {
    let mut common_clock = run.common_clock();
    let gave_up = AtomicBool::new(false);
    let matched = |clock: &CommonClock, gives_up| account_at(run, clock, follow, places, gives_up);
    let mut account = matched(&common_clock, Some(&gave_up));
    let backwards_before = account.backwards();
    if backwards_before > 0 {
        let slack = |((from, to), pair): (&(u32, u32), &super::RankPair)| Slack {
            from: *from as usize,
            to: *to as usize,
            least: pair.least,
        };
        let is_adjusted = common_clock.respect(&account.pairs.iter().map(slack).collect::<Vec<_>>());
        if is_adjusted || gave_up.load(Relaxed) {
            account = matched(&common_clock, None);
        }
    }
    Settled { account, common_clock, backwards_before }
}

impl Account {
    /// Messages received before they were sent, by the clocks.
    pub fn backwards(&self) -> u64 {
        self.pairs.values().map(|pair| pair.backwards).sum()
    }
}
