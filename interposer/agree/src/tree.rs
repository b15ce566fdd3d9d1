//! The tree that gives each speaker an interval of ranks, whose lists it gathers.
//!
//! Intervals are halved again and again: [0, 8) is [0, 4) and [4, 8). The first speaker in an interval gathers it.
//! A speaker concludes from its own ranks if it is the first: if launchers give each host as many consecutive ranks as
//! this one has, the speaker before it is that many ranks lower. Where hosts differ, two speakers may gather the same
//! interval, or none does; then the next higher gatherer has more lists to read.

use std::ops::Range;

use crate::ranks::RankRanges;

/// The other hosts' ranks, as a host's own ranks suggest them.
pub struct Placement {
    speaker: u32,
    /// Consecutive ranks of a host.
    pub run: u32,
    /// No rank from here on speaks for a host, if launchers deal out the ranks in turn; else the size of the world.
    end: u32,
}

impl Placement {
    /// The placement of a host with these ranks in a world of `size`.
    pub fn of(ranks: &RankRanges, size: u32) -> Placement {
        let (speaker, last) = ranks.ranges().first().copied().unwrap_or_default();
        let second = ranks.ranges().get(1).map(|(first, _)| first - speaker);
        let end = second.filter(|end| *end > speaker).unwrap_or(size);
        Placement { speaker, run: last - speaker + 1, end }
    }

    /// The ranks whose lists this speaker gathers.
    pub fn interval(&self) -> Range<u32> {
        let before = u64::from((self.speaker + 1).saturating_sub(self.run));
        let speaker = u64::from(self.speaker);
        // Find the highest power of two with a multiple after the speaker before this one, and up to this one.
        let levels = (0..32u32).rev().find(|level| speaker >> level << level >= before.max(1)).unwrap_or(0);
        let end = match speaker {
            0 => u64::from(self.end),
            _ => (speaker >> levels << levels) + (1 << levels),
        };
        self.speaker..end.min(u64::from(self.end)) as u32
    }

    /// Expected ranks of the speakers whose intervals hold this one's, the lowest first.
    pub fn ancestors(&self) -> Vec<u32> {
        let mut ancestors: Vec<u32> = Vec::new();
        for level in (0..32).rev() {
            let start = self.speaker >> level << level;
            let first = start + (self.speaker - start) % self.run;
            if first < self.speaker && ancestors.last() != Some(&first) {
                ancestors.push(first);
            }
        }
        ancestors
    }
}
