//! What one rank handed to another, each time.

use super::waits::RankSite;

/// A message that was received, or one rank's part of a collective call from or to a root. Times in nanoseconds on the run's time
/// line, each by the clock of the rank where it was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delivery {
    /// When the call began that handed it out.
    pub begin: i64,
    /// When the call ended that got it.
    pub end: i64,
    /// Who sent it, and where.
    pub from: RankSite,
    /// Who got it, and where that was waited for.
    pub to: RankSite,
    /// Its bytes.
    pub bytes: u64,
}

impl Delivery {
    /// Whether both calls are asked about.
    pub fn counts(&self) -> bool {
        self.from.place.counts() && self.to.place.counts()
    }
}
