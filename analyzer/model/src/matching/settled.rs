//! An account on a time line that its own messages agree with.

use super::{Account, Follow, account};
use crate::Run;
use crate::timeline::{Slack, Timeline};

/// An account, the time line it is on, and how many messages ran backwards before clocks were moved.
pub struct Settled {
    /// The account.
    pub account: Account,
    /// Its time line.
    pub timeline: Timeline,
    /// Messages that were received before they were sent, by the clocks as they were compared.
    pub backwards_before: u64,
}

/// Puts the calls of a run together. Where messages run backwards, clocks are moved within their errors, and it is done again.
pub fn settled(run: &Run, follow: Follow) -> Settled {
    let mut timeline = run.timeline();
    let mut first = account(run, &timeline, follow);
    let backwards_before = first.backwards();
    if backwards_before > 0 {
        let slack = |((from, to), pair): (&(u32, u32), &super::RankPair)| Slack {
            from: *from as usize,
            to: *to as usize,
            least: pair.least,
        };
        timeline.respect(&first.pairs.iter().map(slack).collect::<Vec<_>>());
        first = account(run, &timeline, follow);
    }
    Settled { account: first, timeline, backwards_before }
}

impl Account {
    /// Messages that were received before they were sent.
    pub fn backwards(&self) -> u64 {
        self.pairs.values().map(|pair| pair.backwards).sum()
    }
}
