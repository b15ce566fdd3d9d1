//! What a thread's block tells and no record does yet: calls that asked in vain, what the progress engine did since the last
//! record, and the calls that the thread is in.
//!
//! A call that has not returned counts until its process was last known to live.

use crate::progress::{Entries, EntryRun, Polls};
use crate::signature::Signature;

/// A call that has not returned. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct OpenCall {
    /// Its signature's number; [`UNNUMBERED`](crate::record::UNNUMBERED) where that has none.
    pub number: u32,
    /// What it is.
    pub signature: Signature,
    /// When it began.
    pub start: u64,
    /// Until when it is known to have lasted.
    pub until: u64,
}

impl OpenCall {
    /// How long it has lasted.
    pub fn duration(&self) -> u64 {
        self.until.saturating_sub(self.start)
    }
}

/// See the module.
#[derive(Clone, Default, Debug)]
pub struct Tail {
    /// Calls that asked in vain.
    pub polls: Option<Polls>,
    /// Entries into the engine outside MPI calls.
    pub outside: Option<EntryRun>,
    /// Entries that achieved something, in order.
    pub productive: Vec<EntryRun>,
    /// The calls that the thread is in, the innermost first, as they would be recorded.
    pub calls: Vec<OpenCall>,
    /// Entries into the engine during the polls and the outermost call.
    pub entries: Entries,
    /// When the last entry into the engine ended, ticks; 0 where that is not known.
    pub last_entry: u64,
}

impl Tail {
    /// The last tick at which the thread is known to have lived, by what no record tells.
    pub fn last_sign(&self) -> u64 {
        let runs = self.productive.iter().chain(&self.outside).map(|run| run.end);
        let calls = self.calls.iter().map(|call| call.start);
        let polls = self.polls.iter().map(|polls| polls.end);
        runs.chain(calls).chain(polls).max().unwrap_or(0).max(self.last_entry())
    }

    /// When the last entry into the engine ended. In files that do not say it, no earlier than their time allows.
    fn last_entry(&self) -> u64 {
        match (self.last_entry, &self.polls, self.calls.last()) {
            (0, None, Some(call)) => call.start.saturating_add(self.entries.ticks),
            (known, ..) => known,
        }
    }

    /// The calls that have not returned count until then.
    pub fn close(&mut self, until: u64) {
        for call in &mut self.calls {
            call.until = until.max(call.start);
        }
    }

    /// The outermost call that the thread is in.
    pub fn outermost(&self) -> Option<&OpenCall> {
        self.calls.last()
    }

    /// The entries of the polls and those of the outermost call: nothing says which are whose, so each has its share by the time
    /// it took.
    pub fn shares(&self) -> [Entries; 2] {
        let asked = self.polls.map_or(0, |polls| polls.total);
        let inside = self.calls.last().map_or(0, OpenCall::duration);
        let whole = u128::from(asked) + u128::from(inside);
        let of_polls = |all: u64| (u128::from(all) * u128::from(asked) / whole.max(1)) as u64;
        // A damaged file may tell of more time in the engine than in the calls that entered it.
        let ticks = self.entries.ticks.min(asked.saturating_add(inside));
        let all = Entries { ticks, ..self.entries };
        let polls = match self.calls.is_empty() {
            true => all,
            false => Entries {
                entries: of_polls(all.entries),
                productive: of_polls(all.productive),
                ticks: of_polls(all.ticks),
            },
        };
        [polls, all.since(&polls)]
    }
}
