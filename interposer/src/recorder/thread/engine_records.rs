//! Records the progress engine's activity during a call: in the call's own record if it fits there, else after it.
//!
//! In: the thread's ledger, and the productive entries in its block. Nothing is written while the call runs, so that
//! records stay in order; if the process dies, readers find the entries in the block.

use traces::progress::{self, Entries};
use traces::record::{self, RecordKind};

use super::recording::Thread;
use crate::clock;

/// Longest time in ticks that entries outside MPI calls wait for a record: about a tenth of a second.
const LONGEST_OUTSIDE: u64 = 1 << 28;

/// Entries into the engine inside MPI calls are to be written.
pub(super) const ENTRIES: u8 = 1;
/// Something else may have to be written: polls, entries outside MPI calls, calls that were left inside the one that
/// ends.
const MORE: u8 = 2;
/// A long gap may follow the call.
const GAP: u8 = 4;

impl Thread {
    /// Notes that more than the call may have to be written when it ends.
    #[inline(always)]
    pub fn has_more(&self) {
        self.pending.set(self.pending.get() | MORE);
    }

    /// Notes that the engine was entered, inside an MPI call or outside.
    #[inline(always)]
    pub fn has_entries(&self, inside: bool) {
        self.pending.set(self.pending.get() | if inside { ENTRIES } else { MORE });
    }

    /// Notes that the end of the next call may begin a long gap.
    pub(super) fn expects_gap(&self) {
        self.pending.set(self.pending.get() | GAP);
    }

    /// Takes back what [`expects_gap`](Self::expects_gap) noted. True if it was called since.
    pub(super) fn expected_gap(&self) -> bool {
        let pending = self.pending.get();
        self.pending.set(pending & !GAP);
        pending & GAP != 0
    }

    /// The start of an entry that lasts about as long as reading the clock. It ends the one before it.
    #[inline(always)]
    pub fn entry_begins(&self) -> u64 {
        let at_once = self.engine.at_once.take();
        let start = if at_once != 0 && self.nested() && at_once == self.since() { at_once } else { clock::now() };
        self.end_entry(start);
        start
    }

    /// Ends the last entry of the open call, if its end was left to the next time that is read.
    #[inline(always)]
    pub fn end_entry(&self, at: u64) {
        let start = self.engine.unended.take();
        // A call may have been left, or its stack suspended.
        if start != 0 && self.nested() && start >= self.since() {
            self.engine.lasted(at.wrapping_sub(start));
        }
    }

    /// Records a call that entered the engine, in one word or two; `false` if these cannot hold it.
    #[inline(always)]
    pub(super) fn leave_turned(&self, number: u32, start: u64, duration: u64) -> bool {
        let now = self.engine.entries();
        let during = now.since(&self.engine.reported.get());
        let (runs, run) = (self.block.productive().runs(), self.block.productive().first());
        // While the block has room, a run is one entry.
        let own = runs == 0 || (run.start >= start && runs == during.productive);
        if !own || during.entries == 0 || self.pending.get() != ENTRIES {
            return false;
        }
        let gap = start.wrapping_sub(self.events.last.get());
        let written = if let Some(word) = progress::call(number, gap, duration, &during) {
            self.write(&[word])
        } else {
            let left = start.wrapping_add(duration).wrapping_sub(run.end);
            let behind = match runs {
                0 => progress::engine(&during),
                1 => progress::one(&during, run.end.wrapping_sub(run.start), left),
                _ => None,
            };
            match (record::short(number, gap, duration), behind) {
                (Some(call), Some(behind)) => self.write(&[call, behind]),
                _ => false,
            }
        };
        if written {
            self.engine.reported.set(now);
            self.block.productive().set_runs(0);
            self.pending.set(0);
        }
        written
    }

    /// Records the entries since the last such record, up to the ledger's state `now`.
    pub(super) fn write_entries(&self, signature: u32, now: Entries) {
        let during = now.since(&self.engine.reported.get());
        self.engine.reported.set(now);
        if during.entries == 0 {
            return;
        }
        let written = match progress::engine(&during) {
            Some(word) => self.write(&[word]),
            None => self.write(&progress::engine_long(&during)),
        };
        if !written {
            let calls = self.counted_calls(signature);
            if let Some(profile) = self.profile() {
                profile.engine(signature, calls, during);
            }
        }
    }

    /// Records the productive entries that began before `until`.
    pub(super) fn write_productive(&self, until: u64) {
        if self.block.productive().runs() == 0 {
            return;
        }
        let all = self.block.productive().read();
        let (written, left) = all.runs().split_at(all.runs().partition_point(|run| run.start < until));
        for run in written {
            match progress::productive(run, self.events.last.get()) {
                Some(word) => self.write(&[word]),
                None => self.write(&progress::run(RecordKind::ProductiveRun, run, self.events.last.get())),
            };
        }
        self.block.productive().keep(left);
        if left.is_empty() {
            self.engine.most.set(1);
        }
    }

    pub(super) fn write_outside(&self) {
        let run = self.block.outside().read();
        if run.count > 0 {
            self.write(&progress::run(RecordKind::Outside, &run, self.events.last.get()));
            self.block.outside().clear();
        }
    }

    /// Adds a productive entry to the runs in the block.
    #[inline(always)]
    pub fn achieved(&self, start: u64, end: u64) {
        let mut most = self.engine.most.get();
        self.block.productive().add(start, end, &mut most);
        self.engine.most.set(most);
    }

    /// Adds an entry outside MPI calls to the run in the block. It is recorded here when it gets long, since the thread
    /// may never make a call.
    #[inline(never)]
    pub fn entered_outside(&self, start: u64, end: u64) {
        let since = self.block.outside().add(start, end);
        let is_full = self.block.productive().runs() as usize == progress::RUNS;
        if end.wrapping_sub(since) >= LONGEST_OUTSIDE || is_full {
            self.write_outside();
            self.write_productive(u64::MAX);
        }
    }
}
