//! All ranks on one time line.

use super::Run;

/// See the module.
pub struct Timeline {
    /// By the ranks' places in [`Run::ranks`].
    pub lines: Vec<Line>,
}

/// One rank's.
pub struct Line {
    base: u64,
    slope: f64,
    offset: i64,
}

impl Timeline {
    /// For all ranks of a run.
    pub fn of(run: &Run) -> Timeline {
        let first = run.ranks.iter().map(|rank| rank.header.begin.monotonic).min().unwrap_or(0);
        let line = |rank: &super::Rank| Line {
            base: rank.header.begin.ticks,
            slope: rank.clock.seconds(1_000_000_000),
            offset: (rank.header.begin.monotonic - first) as i64,
        };
        Timeline { lines: run.ranks.iter().map(line).collect() }
    }
}

impl Line {
    /// Nanoseconds since the earliest recording began.
    #[inline]
    pub fn at(&self, ticks: u64) -> i64 {
        self.offset + (ticks.wrapping_sub(self.base) as i64 as f64 * self.slope) as i64
    }

    /// A number of ticks in nanoseconds.
    pub fn duration(&self, ticks: u64) -> i64 {
        (ticks as f64 * self.slope) as i64
    }

    /// By how much that may be off, nanoseconds.
    pub fn error(&self, _at: i64) -> i64 {
        100
    }
}
