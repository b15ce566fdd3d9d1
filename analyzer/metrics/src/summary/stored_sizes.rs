//! The sizes up to which messages are stored, by sender and receiver: their receive need not be posted.

use super::{Evidence, eager_limit};
use model::Run;
use model::matching::{Account, WaitKey};
use rustc_hash::FxHashMap;
use traces::calls::Call;

#[derive(Default)]
pub struct StoredSizes {
    by_pair: FxHashMap<(u32, u32), u64>,
    /// Shorter messages are stored between any two ranks.
    least: u64,
}

impl StoredSizes {
    pub fn of(run: &Run, account: &Account) -> StoredSizes {
        let mut sizes: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for ((sender, receiver), sends) in &account.blocked {
            // The program's own buffer holds messages of any size.
            let call = run.call_sites()[sender.place.number()].call();
            if !call.is_some_and(Call::is_buffered) {
                let most = sizes.entry((sender.rank, *receiver)).or_default();
                *most = (*most).max(sends.at_once);
            }
        }
        StoredSizes { by_pair: sizes, least: eager_limit::least_bytes(run) }
    }

    pub fn has(&self, pair: (u32, u32), bytes: u64) -> bool {
        bytes < self.least || self.by_pair.get(&pair).is_some_and(|most| bytes <= *most)
    }
}

/// True if the wait is for a receive, but in sends of messages that the library stores without one.
pub fn is_stored(known: &Evidence, wait: WaitKey) -> bool {
    let blocked = known.account().and_then(|account| account.blocked.get(&(wait.waiter, wait.cause.rank)));
    let pair = (wait.waiter.rank, wait.cause.rank);
    blocked.is_some_and(|sends| sends.count > 0 && known.stored_sizes().has(pair, sends.bytes))
}
