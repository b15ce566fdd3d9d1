//! The part of a run whose records are kept, where ranks drop their oldest.

use crate::{Rank, Run};

/// The time from which all ranks have all of their records.
#[derive(Clone, Copy, Debug)]
pub struct KeptPart {
    /// Begin on the common clock, nanoseconds: the latest begin of all ranks.
    pub from: i64,
    /// Length of the kept part and of the whole recording, seconds.
    pub length: f64,
    pub whole: f64,
    /// Calls whose records were dropped, all ranks.
    pub dropped: u64,
}

impl KeptPart {
    /// `None` if no rank has dropped records.
    pub fn of(run: &Run) -> Option<KeptPart> {
        if run.ranks.iter().all(|rank| rank.kept_from.is_none()) {
            return None;
        }
        let lines = run.common_clock().lines;
        let ranks = || run.ranks.iter().zip(&lines);
        let from = ranks().filter_map(|(rank, line)| Some(line.nanoseconds_at(rank.kept_from?))).max()?;
        let begin = ranks().map(|(rank, line)| line.nanoseconds_at(rank.header.begin.ticks)).min()?;
        let end = ranks().map(|(rank, line)| line.nanoseconds_at(rank.until)).max()?;
        let seconds = |from: i64| (end - from).max(0) as f64 / 1e9;
        let dropped = run.ranks.iter().map(|rank: &Rank| rank.dropped_calls).sum();
        Some(KeptPart { from, length: seconds(from), whole: seconds(begin), dropped })
    }
}
