//! An account on a common clock that its own messages agree with.

use super::{Account, Follow, account};
use crate::Run;
use crate::common_clock::{CommonClock, Slack};

/// An account, the common clock it is on, and how many messages ran backwards before clocks were moved.
pub struct Settled {
    /// The account.
    pub account: Account,
    /// Its common clock.
    pub common_clock: CommonClock,
    /// Messages that were received before they were sent, by the clocks as they were compared.
    pub backwards_before: u64,
}

/// Puts the calls of a run together. Where messages run backwards, clocks are moved within their errors, and it is done again.
pub fn settled(run: &Run, follow: Follow) -> Settled {
    let mut common_clock = run.common_clock();
    let mut first = account(run, &common_clock, follow);
    let backwards_before = first.backwards();
    if backwards_before > 0 {
        let slack = |((from, to), pair): (&(u32, u32), &super::RankPair)| Slack {
            from: *from as usize,
            to: *to as usize,
            least: pair.least,
        };
        common_clock.respect(&first.pairs.iter().map(slack).collect::<Vec<_>>());
        first = account(run, &common_clock, follow);
    }
    Settled { account: first, common_clock, backwards_before }
}

impl Account {
    /// Messages that were received before they were sent.
    pub fn backwards(&self) -> u64 {
        self.pairs.values().map(|pair| pair.backwards).sum()
    }
}
