//! The state in a thread's block that has no record yet: polls without success, entries into the progress engine since
//! the last record, and the calls that the thread is in.
//!
//! A call that has not returned counts until the last time at which its process is known to be alive.

use crate::progress::{Entries, EntryRun, Polls};
use crate::signature::Signature;
use crate::teams::Teams;

/// A call that has not returned. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct OpenCall {
    /// The number of its signature, or [`UNNUMBERED`](crate::record::UNNUMBERED).
    pub number: u32,
    pub signature: Signature,
    /// Start of the call.
    pub start: u64,
    /// The last time at which it is known to go on.
    pub until: u64,
}

impl OpenCall {
    /// The duration so far.
    pub fn duration(&self) -> u64 {
        self.until.saturating_sub(self.start)
    }
}

/// The state of a thread that has no record yet.
#[derive(Clone, Default, Debug)]
pub struct Tail {
    /// Polls without success.
    pub polls: Option<Polls>,
    /// Entries into the engine outside MPI calls.
    pub outside: Option<EntryRun>,
    /// Parallel regions.
    pub teams: Option<Teams>,
    /// Productive entries, in order.
    pub productive: Vec<EntryRun>,
    /// The calls that the thread is in, innermost first, which is the order in which they would be recorded.
    pub calls: Vec<OpenCall>,
    /// Entries into the engine during the polls and the outermost call.
    pub entries: Entries,
    /// End of the last entry into the engine, ticks; 0 if unknown.
    pub last_entry: u64,
}

impl Tail {
    /// The last tick at which this state shows the thread alive.
    pub fn last_sign(&self) -> u64 {
        let runs = self.productive.iter().chain(&self.outside).map(|run| run.end);
        let calls = self.calls.iter().map(|call| call.start);
        let polls = self.polls.iter().map(|polls| polls.end);
        let teams = self.teams.iter().map(|teams| teams.end);
        runs.chain(calls).chain(polls).chain(teams).max().unwrap_or(0).max(self.last_entry())
    }

    /// The end of the last entry into the engine. Files without that time bound it from below by the time in the
    /// entries.
    fn last_entry(&self) -> u64 {
        match (self.last_entry, &self.polls, self.calls.last()) {
            (0, None, Some(call)) => call.start.saturating_add(self.entries.ticks),
            (known, ..) => known,
        }
    }

    /// Ends the calls that have not returned at this tick.
    pub fn close(&mut self, until: u64) {
        for call in &mut self.calls {
            call.until = until.max(call.start);
        }
    }

    /// The outermost call that the thread is in.
    pub fn outermost(&self) -> Option<&OpenCall> {
        self.calls.last()
    }

    /// The entries during the polls, and those during the outermost call. The block only has their sum, so it is split
    /// by the time of both.
    pub fn shares(&self) -> [Entries; 2] {
        let asked = self.polls.map_or(0, |polls| polls.total);
        let inside = self.calls.last().map_or(0, OpenCall::duration);
        let whole = u128::from(asked) + u128::from(inside);
        let of_polls = |all: u64| (u128::from(all) * u128::from(asked) / whole.max(1)) as u64;
        // A damaged file may have more time in the engine than in the calls that entered it.
        let ticks = self.entries.ticks.min(asked.saturating_add(inside));
        let all = Entries { ticks, ..self.entries };
        let polls = if self.calls.is_empty() {
            all
        } else {
            Entries { entries: of_polls(all.entries), productive: of_polls(all.productive), ticks: of_polls(all.ticks) }
        };
        [polls, all.since(&polls)]
    }
}
