//! Messages that a rank received after later ones of the same sender, so that the library had to look past them.
//!
//! In: the messages to a rank in the order of their sends, its receives in the order of their completions. Out: for each line that
//! posted receives, the time that messages lay there, and the number that the library passed over to find the right one. The n-th
//! message of a sender that is the m-th to be received had at least n - m others before it.

use rustc_hash::FxHashMap;

use crate::roles::SpottedSite;
use crate::sums::Grow;

/// Receives posted at one line of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueuedMessages {
    pub messages: u64,
    /// Messages that were sent before their receive was posted.
    pub unexpected: u64,
    /// Total time from their sends until their receives were posted, nanoseconds.
    pub lay: i64,
    /// Messages or receives that were passed over, at least.
    pub passed_over: u64,
    /// Maximum number passed over for one message.
    pub most: u64,
    /// The last line that completed a receive.
    pub completed_at: SpottedSite,
}

/// A rank's counts so far.
#[derive(Default)]
pub struct PassedOver {
    /// Messages sent, by sender.
    sent: FxHashMap<u32, u64>,
    /// Messages received, by sender.
    received: FxHashMap<u32, u64>,
    pub by_site: FxHashMap<SpottedSite, QueuedMessages>,
}

impl PassedOver {
    /// The number of the sender's next message.
    pub fn send(&mut self, source: u32) -> u64 {
        next(self.sent.entry(source).or_default())
    }

    /// The number of the next receive of the sender's messages.
    pub fn receive(&mut self, source: u32) -> u64 {
        next(self.received.entry(source).or_default())
    }

    /// Adds a message with the line that posted its receive.
    pub fn add(&mut self, posted_at: SpottedSite, (sent, received): (u64, u64), lay: i64, completed_at: SpottedSite) {
        let queued = self.by_site.entry(posted_at).or_default();
        let passed_over = sent.saturating_sub(received);
        queued.messages.grow(1);
        queued.unexpected.grow(u64::from(lay > 0));
        queued.lay.grow(lay.max(0));
        queued.passed_over.grow(passed_over);
        queued.most = queued.most.max(passed_over);
        queued.completed_at = completed_at;
    }
}

fn next(count: &mut u64) -> u64 {
    let number = *count;
    count.grow(1);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_taken_last_first_pass_over_the_others_and_in_order_over_none() {
        let passed_over = |order: [u64; 4]| {
            let mut all = PassedOver::default();
            let numbers = [0; 4].map(|source| all.send(source));
            for sent in order {
                let received = all.receive(0);
                all.add(SpottedSite::default(), (numbers[sent as usize], received), 10, SpottedSite::default());
            }
            let queued = all.by_site[&SpottedSite::default()];
            (queued.messages, queued.passed_over, queued.most, queued.lay)
        };
        assert_eq!(passed_over([3, 2, 1, 0]), (4, 4, 3, 40));
        assert_eq!(passed_over([0, 1, 2, 3]), (4, 0, 0, 40));
    }
}
