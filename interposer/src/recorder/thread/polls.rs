//! Calls that ask and get no, again and again: counted together, in the thread's block.
//!
//! A run of them becomes one record when another call ends; until then it stands where a reader finds it whenever the
//! process dies. One that stays alone is recorded as any other call.

use traces::progress::{self, Polls};

use super::recording::Thread;

impl Thread {
    /// As [`leave_to_program`](Self::leave_to_program), for a cached call that asked and got no: it joins those before it.
    #[inline(always)]
    pub fn leave_in_vain(&mut self, signature: u32, start: u64, end: u64) {
        if !self.joins(signature, start, end) {
            self.first_in_vain(signature, start, end);
        }
        self.engine.at_poll = self.engine.entries();
        self.left_to_program();
    }

    #[inline(always)]
    fn joins(&mut self, signature: u32, start: u64, end: u64) -> bool {
        let polls = self.polls();
        let gap = start.wrapping_sub(polls.end);
        let duration = end.wrapping_sub(start);
        if polls.count == 0 || polls.signature != signature as u64 || (gap | duration | polls.count) >> 32 != 0 {
            return false;
        }
        polls.end = end;
        polls.total += duration;
        polls.gaps = [polls.gaps[0].min(gap as u32), polls.gaps[1].max(gap as u32)];
        polls.durations = [polls.durations[0].min(duration as u32), polls.durations[1].max(duration as u32)];
        polls.last = start;
        polls.count += 1;
        true
    }

    #[cold]
    #[inline(never)]
    fn first_in_vain(&mut self, signature: u32, start: u64, end: u64) {
        self.end_polls();
        let duration = end.wrapping_sub(start);
        if duration >> 32 != 0 || self.profile.is_some() {
            self.leave_rarely(signature, start, duration);
            self.events.last = end;
            return;
        }
        let first = Polls {
            start,
            end,
            count: 0,
            total: duration,
            gaps: [u32::MAX, 0],
            durations: [duration as u32; 2],
            signature: signature as u64,
            last: start,
        };
        *self.polls() = first;
        self.polls().count = 1;
        self.pending = true;
    }

    /// Writes down the calls that asked in vain, if there are any, and what the engine did during them.
    #[cold]
    #[inline(never)]
    pub fn end_polls(&mut self) {
        let polls = *self.polls();
        if polls.count == 0 {
            return;
        }
        let gap = polls.start.wrapping_sub(self.events.last) as i64;
        let signature = polls.signature as u32;
        if polls.count == 1 {
            self.record_call(signature, polls.start, polls.total);
        } else if !self.write(&progress::polls(&polls, gap)) {
            self.count_polls(&polls);
        }
        self.events.last = polls.end;
        self.polls().count = 0;
        let now = self.engine.at_poll;
        self.write_entries(signature, now);
        self.write_productive(polls.end);
    }

    /// Counts polls for which there is no room, the time of each as their mean.
    #[cold]
    fn count_polls(&mut self, polls: &Polls) {
        let mean = polls.total / polls.count;
        for _ in 1..polls.count {
            self.count(polls.signature as u32, mean);
        }
        self.count(polls.signature as u32, polls.total - mean * (polls.count - 1));
    }

    /// The calls that asked in vain since the last record.
    #[inline(always)]
    pub(super) fn polls(&mut self) -> &mut Polls {
        // SAFETY: the block is mapped as long as the process lives, and written by this thread only.
        unsafe { &mut (*self.block.as_ptr()).polls }
    }
}
