//! How much of a long gap between two calls the thread was on a processor.
//!
//! Reading its processor time enters the kernel, so that is done only at both ends of gaps that last milliseconds. That a gap was long is known
//! when it ends; that one begins is guessed: behind a call of the signature that the last one came after, among the next calls.

use traces::file::Level;
use traces::record;

use super::recording::Thread;
use crate::clock;
use crate::thread_timer::processor_time;

/// The shortest long gap in ticks, which is too long for a record of one word.
const LONG: u64 = 1 << 24;
/// Calls among which the one before the next long gap is looked for.
const CALLS: u32 = 64;

impl Thread {
    /// Handles the gap before an outermost call that begins now, in ticks. Returns when the call begins after that.
    #[inline(always)]
    pub(super) fn after_gap(&self, now: u64) -> u64 {
        if now.wrapping_sub(self.events.last.get()) >= LONG { self.after_long_gap(now) } else { now }
    }

    #[cold]
    #[inline(never)]
    fn after_long_gap(&self, now: u64) -> u64 {
        let (Level { start, signature }, gaps) = (self.block.level(1), &self.gaps);
        // Polls that go on for long have no record yet, and profiles have none.
        if now.wrapping_sub(start) < LONG || self.has_profile() || start == 0 {
            return now;
        }
        gaps.ended_by.set(0);
        gaps.before.set(signature);
        gaps.left.set(CALLS);
        self.expects_gap();
        if gaps.read_after.get() != start || now.wrapping_sub(gaps.read_at.get()) < LONG {
            return now;
        }
        gaps.on_processor.set(processor_time().wrapping_sub(gaps.time.get()));
        let begin = clock::now();
        gaps.ended_by.set(begin);
        begin
    }

    /// Records the processor time of the gap that the call, or the polls, with this start ended.
    pub(super) fn write_on_processor(&self, start: u64) {
        if self.gaps.ended_by.get() == start && start != 0 {
            self.gaps.ended_by.set(0);
            self.write(&[record::on_processor(self.gaps.on_processor.get())]);
        }
    }

    /// Handles the end, in ticks, of a call that another long gap may follow.
    #[cold]
    pub(super) fn may_begin_long_gap(&self, end: u64) {
        // The next record may need a new page, which counts from here.
        self.events.last.set(end);
        let (Level { start, signature }, gaps) = (self.block.level(1), &self.gaps);
        self.write_on_processor(start);
        if signature == gaps.before.get() {
            gaps.read_after.set(start);
            gaps.read_at.set(end);
            gaps.time.set(processor_time());
        }
        gaps.left.set(gaps.left.get().saturating_sub(1));
        if gaps.left.get() > 0 {
            self.expects_gap();
        }
    }
}
