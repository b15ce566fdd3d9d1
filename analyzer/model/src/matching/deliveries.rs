//! Data that one rank handed to another, one entry per transfer.

use super::waits::RankSite;

/// A received message, or one rank's part of a collective call from or to a root. Times in nanoseconds on the run's common clock,
/// each by the clock of its own rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delivery {
    /// Begin of the sending call.
    pub begin: i64,
    /// End of the receiving call.
    pub end: i64,
    /// Sender and its call site.
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
