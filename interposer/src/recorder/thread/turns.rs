//! What the progress engine did during a call: in the call's own record where that is all there is to say, else behind it.
//!
//! In: the thread's ledger, and the productive entries that its block holds. While the call runs nothing is written, so that
//! records stay in order; whoever finds the process dead finds the entries in the block.

use traces::progress::{self, Entries, Productive, Run};
use traces::record::{self, RecordKind};

use super::recording::Thread;

/// The longest time for which entries outside MPI calls wait for a record, ticks: a tenth of a second or so.
const LONGEST_OUTSIDE: u64 = 1 << 28;

impl Thread {
    /// Records a call that entered the engine in one word or two, if they say all there is.
    #[inline(always)]
    pub(super) fn leave_turned(&mut self, number: u32, start: u64, duration: u64) -> bool {
        let now = self.engine.entries();
        let during = now.since(&self.engine.reported);
        let productive = self.productive();
        let (runs, run) = (productive.runs, productive.all[0]);
        // Runs hold one entry each as long as there is room.
        let own = runs == 0 || (run.start >= start && runs == during.productive);
        if !own || during.entries == 0 || self.polls().count != 0 || self.outside().count != 0 {
            return false;
        }
        let gap = start.wrapping_sub(self.events.last);
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
            self.engine.reported = now;
            self.productive().runs = 0;
            self.pending = false;
        }
        written
    }

    /// Says what the engine did since the last record that said it, until its ledger stood at `now`.
    pub(super) fn write_entries(&mut self, signature: u32, now: Entries) {
        let during = now.since(&self.engine.reported);
        self.engine.reported = now;
        if during.entries == 0 {
            return;
        }
        let written = match progress::engine(&during) {
            Some(word) => self.write(&[word]),
            None => self.write(&progress::engine_long(&during)),
        };
        if !written {
            let call = self.function(signature);
            self.profile.iter_mut().for_each(|profile| profile.engine(signature, call, during));
        }
    }

    /// Says when the productive entries were that began before `until`.
    pub(super) fn write_productive(&mut self, until: u64) {
        let all = *self.productive();
        let (written, left) = all.runs().split_at(all.runs().partition_point(|run| run.start < until));
        for run in written {
            match progress::productive(run, self.events.last) {
                Some(word) => self.write(&[word]),
                None => self.write(&progress::run(RecordKind::ProductiveRun, run, self.events.last)),
            };
        }
        let productive = self.productive();
        productive.all[..left.len()].copy_from_slice(left);
        productive.runs = left.len() as u64;
        if left.is_empty() {
            self.engine.most = 1;
        }
    }

    /// Says when the engine was entered outside MPI calls.
    pub(super) fn write_outside(&mut self) {
        let run = *self.outside();
        if run.count > 0 {
            self.write(&progress::run(RecordKind::Outside, &run, self.events.last));
            self.outside().count = 0;
        }
    }

    /// An entry achieved something.
    #[inline(always)]
    pub fn achieved(&mut self, start: u64, end: u64) {
        // SAFETY: as in `productive`; the engine lies elsewhere.
        let productive = unsafe { &mut (*self.block.as_ptr()).productive };
        productive.add(start, end, &mut self.engine.most);
    }

    /// An entry was made outside MPI calls. A thread may make nothing else, so that no call takes what has piled up.
    #[inline(never)]
    pub fn entered_outside(&mut self, start: u64, end: u64) {
        let outside = self.outside();
        if outside.count == 0 {
            outside.start = start;
        }
        outside.end = end;
        outside.count += 1;
        let long = end.wrapping_sub(outside.start) >= LONGEST_OUTSIDE;
        if long || self.productive().runs as usize == progress::RUNS {
            self.write_outside();
            self.write_productive(u64::MAX);
        }
    }

    /// Productive entries since the last record.
    #[inline(always)]
    fn productive(&mut self) -> &mut Productive {
        // SAFETY: the block is mapped as long as the process lives, and written by this thread only.
        unsafe { &mut (*self.block.as_ptr()).productive }
    }

    /// Entries outside MPI calls since the last record.
    #[inline(always)]
    fn outside(&mut self) -> &mut Run {
        // SAFETY: as above.
        unsafe { &mut (*self.block.as_ptr()).outside }
    }
}
