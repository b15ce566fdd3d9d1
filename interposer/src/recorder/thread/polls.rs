//! Unsuccessful polls, counted together in the thread's block.
//!
//! A run of them becomes one record when another call ends; until then readers find it in the block, even if the
//! process dies. A single poll is recorded like any other call.

use std::sync::atomic::Ordering::Relaxed;

use traces::progress::{self, Polls};

use super::recording::Thread;
use recorder_core::polls::durations;

/// Longest time in ticks between two unsuccessful polls if the program does nothing in between: a microsecond or two.
const IDLE: u64 = 1 << 12;

impl Thread {
    /// Like [`leave_to_program`](Self::leave_to_program), for a cached unsuccessful poll: it joins the run before it.
    #[inline(always)]
    pub fn leave_in_vain(&self, signature: u32, start: u64, end: u64) {
        if !self.block.polls().join(signature, start, end) {
            self.first_in_vain(signature, start, end);
        }
        self.end_entry(end);
        self.engine.at_poll.set(self.engine.entries());
        self.left_to_program();
    }

    #[cold]
    #[inline(never)]
    fn first_in_vain(&self, signature: u32, start: u64, end: u64) {
        self.end_polls();
        self.tell_teams();
        self.tell_accesses();
        let polled = self.engine.polled.replace(end);
        if start.wrapping_sub(polled) < IDLE && polled == self.events.last.get() {
            self.idled(1);
        }
        if self.has_profile() || !self.block.polls().begin(signature, start, end) {
            self.leave_rarely(signature, start, end.wrapping_sub(start));
            self.events.last.set(end);
            return;
        }
        self.has_more();
    }

    /// Records the run of polls, if there is one, and the engine's activity during it.
    #[cold]
    #[inline(never)]
    pub fn end_polls(&self) {
        if self.block.polls().is_empty() {
            return;
        }
        let polls = self.block.polls().read();
        self.engine.polled.set(polls.end);
        let (more, lasted) = (polls.count - 1, polls.end.wrapping_sub(polls.start));
        if lasted.wrapping_sub(polls.total) < more * IDLE {
            self.idled(more);
        }
        let gap = polls.start.wrapping_sub(self.events.last.get()) as i64;
        let signature = polls.signature as u32;
        if polls.count == 1 {
            self.record_call(signature, polls.start, polls.total);
        } else if !self.write(&progress::polls(&polls, gap)) {
            self.count_polls(&polls);
        }
        self.events.last.set(polls.end);
        self.block.polls().end();
        let now = self.engine.at_poll.get();
        self.write_entries(signature, now);
        self.write_productive(polls.end);
        self.write_on_processor(polls.start);
        self.write_sampled_in_polls(&polls);
    }

    fn idled(&self, polls: u64) {
        let idle = self.listed.idle_polls;
        idle.store(idle.load(Relaxed) + polls, Relaxed);
    }

    /// Counts in the profile the polls of a run for which there is no record.
    #[cold]
    fn count_polls(&self, polls: &Polls) {
        for duration in durations(polls) {
            self.count(polls.signature as u32, polls.start, duration);
        }
    }
}
