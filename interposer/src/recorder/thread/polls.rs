//! Calls that ask and get no, again and again: counted together, in the thread's block.
//!
//! A run of them becomes one record when another call ends; until then it stands where a reader finds it whenever the
//! process dies. One that stays alone is recorded as any other call.

use traces::progress::{self, Polls};

use super::recording::Thread;

impl Thread {
    /// As [`leave_to_program`](Self::leave_to_program), for a cached call that asked and got no: it joins those before it.
    #[inline(always)]
    pub fn leave_in_vain(&self, signature: u32, start: u64, end: u64) {
        if !self.joins(signature, start, end) {
            self.first_in_vain(signature, start, end);
        }
        self.engine.at_poll.set(self.engine.entries());
        self.left_to_program();
    }

    #[inline(always)]
    fn joins(&self, signature: u32, start: u64, end: u64) -> bool {
        let polls = self.block.polls();
        let duration = end.wrapping_sub(start);
        // SAFETY: the block is this thread's.
        unsafe {
            let gap = start.wrapping_sub((*polls).end);
            let count = (*polls).count;
            if count == 0 || (*polls).signature != signature as u64 || (gap | duration | count) >> 32 != 0 {
                return false;
            }
            (*polls).end = end;
            (*polls).total += duration;
            (*polls).gaps = [(*polls).gaps[0].min(gap as u32), (*polls).gaps[1].max(gap as u32)];
            let durations = (*polls).durations;
            (*polls).durations = [durations[0].min(duration as u32), durations[1].max(duration as u32)];
            (*polls).last = start;
            (*polls).count = count + 1;
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn first_in_vain(&self, signature: u32, start: u64, end: u64) {
        self.end_polls();
        let duration = end.wrapping_sub(start);
        if duration >> 32 != 0 || self.has_profile() {
            self.leave_rarely(signature, start, duration);
            self.events.last.set(end);
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
        // SAFETY: the block is this thread's. The count says that the rest is there.
        unsafe { self.block.polls().write(first) };
        self.set_polls(1);
        self.has_more();
    }

    /// Writes down the calls that asked in vain, if there are any, and what the engine did during them.
    #[cold]
    #[inline(never)]
    pub fn end_polls(&self) {
        // SAFETY: the block is this thread's; a copy.
        let polls = unsafe { self.block.polls().read() };
        if polls.count == 0 {
            return;
        }
        let gap = polls.start.wrapping_sub(self.events.last.get()) as i64;
        let signature = polls.signature as u32;
        if polls.count == 1 {
            self.record_call(signature, polls.start, polls.total);
        } else if !self.write(&progress::polls(&polls, gap)) {
            self.count_polls(&polls);
        }
        self.events.last.set(polls.end);
        self.set_polls(0);
        let now = self.engine.at_poll.get();
        self.write_entries(signature, now);
        self.write_productive(polls.end);
    }

    /// Counts polls for which there is no room, the time of each as their mean.
    #[cold]
    fn count_polls(&self, polls: &Polls) {
        let mean = polls.total / polls.count;
        for _ in 1..polls.count {
            self.count(polls.signature as u32, mean);
        }
        self.count(polls.signature as u32, polls.total - mean * (polls.count - 1));
    }

    #[inline(always)]
    pub(super) fn has_polls(&self) -> bool {
        // SAFETY: the block is this thread's.
        unsafe { (*self.block.polls()).count != 0 }
    }

    fn set_polls(&self, count: u64) {
        // SAFETY: as above.
        unsafe { (*self.block.polls()).count = count };
    }
}
