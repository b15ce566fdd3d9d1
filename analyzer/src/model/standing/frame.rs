//! What `overhear top` shows at one moment: where each rank is, read from the newest page of its file and what the thread keeps in place.

use std::path::Path;

use traces::progress::INSIDE;

use super::look::{age, clocks};
use super::spot::Spot;
use crate::error::Error;
use crate::model::process::Process;
use crate::model::run::files;
use crate::model::{ProcessFate, Rank, Sketch};
use crate::parallel;

/// See the module.
pub struct Frame {
    /// Processes whose files can be read, by world and rank.
    pub ranks: Vec<Rank>,
    /// What each of them does, in the same order.
    pub seen: Vec<RankFrame>,
    /// When it was read, by CLOCK_MONOTONIC in nanoseconds.
    pub at: i64,
}

/// One rank's.
pub struct RankFrame {
    /// Where it is.
    pub spot: Spot,
    /// Its process, if that is on this host.
    pub process: Option<Process>,
    /// Seconds since its recording began.
    pub age: f64,
    /// Entries into the progress engine inside calls that achieved nothing.
    pub empty_entries: u64,
}

impl RankFrame {
    /// For how many seconds it has been where it is.
    pub fn since(&self) -> Option<f64> {
        Some((self.age - self.spot.since()?).max(0.0))
    }
}

impl Frame {
    /// That of a run's folder now. Files that cannot be read yet are left out.
    pub fn of(folder: &Path) -> Result<Frame, Error> {
        let files = files(folder)?;
        let now = clocks();
        let read = |at: usize| {
            let rank = Sketch::read(&files[at], 0).ok()?.rank;
            let process = (rank.fate != ProcessFate::Unknown).then(|| Process::of(rank.header.pid)).flatten();
            let calls = rank.ledger[INSIDE].calls;
            let empty_entries = calls.entries.saturating_sub(calls.productive);
            Some((RankFrame { spot: Spot::of(&rank), process, age: age(&rank, now), empty_entries }, rank))
        };
        let mut read: Vec<(RankFrame, Rank)> = parallel::map(files.len(), read).into_iter().flatten().collect();
        read.sort_by_key(|(_, rank)| (rank.header.world, rank.header.rank, rank.header.pid));
        let (seen, ranks) = read.into_iter().unzip();
        Ok(Frame { ranks, seen, at: now.0 })
    }
}
