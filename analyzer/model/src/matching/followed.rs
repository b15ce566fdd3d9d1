//! Details that an account records in addition to its sums. One walk through the calls finds all; each costs memory.

use bitflags::bitflags;

use super::wait_sums::RankSite;

bitflags! {
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Follow: u16 {
        /// Dependencies between calls.
        const DEPENDENCIES = 1;
        /// Each wait as a jump to another rank.
        const JUMPS = 1 << 1;
        /// Each wait with its times.
        const SPANS = 1 << 2;
        /// Transfer times of messages.
        const TRANSFERS = 1 << 3;
        /// Each message from begin to end.
        const DELIVERIES = 1 << 4;
        /// Each part of collective calls from and to a root, from begin to end.
        const HANDED_OVER = 1 << 5;
        /// Each message with all its attributes.
        const MESSAGES = 1 << 6;
        /// Sums over whole collective operations.
        const OPERATIONS = 1 << 7;
        /// Each rank's part in each collective operation.
        const JOINED = 1 << 8;
        /// Messages received after later ones of the same sender.
        const QUEUES = 1 << 9;
        /// Each wait, to be followed to its origin; instead of `SPANS`.
        const ORIGINS = 1 << 10;
        /// Neither waits nor totals of messages.
        const NO_WAITS = 1 << 11;
        /// What each call depends on, for replays in changed runs.
        const REPLAYS = 1 << 12;
    }
}

/// A received message, or one rank's part of a collective call from or to a root. Times in nanoseconds on the run's common clock,
/// each by the clock of its own rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delivery {
    /// Begin of the sending call.
    pub begin: i64,
    /// End of the receiving call.
    pub end: i64,
    pub from: RankSite,
    /// Receiver and the call site that waited for the data.
    pub to: RankSite,
    pub bytes: u64,
}

impl Delivery {
    /// True if both calls are selected.
    pub fn counts(&self) -> bool {
        self.from.place.counts() && self.to.place.counts()
    }
}

/// A received message, times in nanoseconds on the run's common clock, each by the clock of the rank where it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReceivedMessage {
    /// The run's number for the communicator.
    pub communicator: u32,
    pub tag: i32,
    pub from: RankSite,
    /// Receiver and the call site that posted the receive.
    pub posted_by: RankSite,
    /// Receiver and the call site that completed the receive.
    pub to: RankSite,
    pub begin: i64,
    pub posted: i64,
    pub end: i64,
    pub sent: u64,
    pub received: u64,
    /// The receive buffer was too small.
    pub truncated: bool,
    /// The pair is a guess: several threads called at once.
    pub uncertain: bool,
}

impl ReceivedMessage {
    /// True if both ends are selected.
    pub fn counts(&self) -> bool {
        self.from.place.counts() && self.to.place.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::SpottedSite;

    #[test]
    fn a_message_counts_where_both_its_ends_are_asked_about() {
        let asked = RankSite { rank: 0, place: SpottedSite::default() };
        let left_out = RankSite { place: SpottedSite::default().left_out(), ..asked };
        let counts = |from, to| {
            let (communicator, tag, posted_by) = (0, 5, to);
            let [begin, posted, end] = [0; 3];
            let (sent, received, truncated, uncertain) = (8, 8, false, false);
            ReceivedMessage {
                communicator,
                tag,
                from,
                posted_by,
                to,
                begin,
                posted,
                end,
                sent,
                received,
                truncated,
                uncertain,
            }
            .counts()
        };
        assert!(counts(asked, asked));
        assert!(!counts(asked, left_out) && !counts(left_out, asked) && !counts(left_out, left_out));
    }
}
