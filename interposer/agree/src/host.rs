//! A host, and the limits of its waits for others.

use std::time::Duration;

use crate::ranks::RankRanges;
use crate::tree::Placement;

/// Time that the decider waits after the last answer that was new. Longer than a slow answer and the time between the
/// first host to leave MPI_Init and the last.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// Longest wait for the verdict.
pub const LONGEST: Duration = Duration::from_secs(30);

/// A host, by the recorded ranks that it has.
pub struct RecordedHost {
    /// The host's lowest rank, which speaks for the host.
    pub(crate) speaker: u32,
    pub(crate) ranks: RankRanges,
    /// Size of the world.
    pub(crate) size: u32,
}

impl RecordedHost {
    /// `None` without ranks.
    pub fn new(ranks: &[u32], size: u32) -> Option<RecordedHost> {
        let ranks: RankRanges = ranks.iter().copied().collect();
        Some(RecordedHost { speaker: ranks.first()?, ranks, size })
    }

    pub(crate) fn placement(&self) -> Placement {
        Placement::of(&self.ranks, self.size)
    }
}
