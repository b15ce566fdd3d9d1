//! Measures how much of a long gap between two calls the thread was on a processor.
//!
//! Reading the processor time enters the kernel, so the recorder reads it only at both ends of gaps that last
//! milliseconds. The end of a gap shows that it was long. Its begin is a guess: among the next [`CALLS`] calls, one
//! with the signature that came before the last long gap.

use traces::file::Level;
use traces::record;

use super::recording::Thread;
use crate::clock;
use crate::system_calls;
use crate::thread_timer::processor_time;

/// The shortest long gap, in ticks: too long for a record of one word.
const LONG: u64 = 1 << 24;
/// Number of calls among which the recorder looks for the one before the next long gap.
const CALLS: u32 = 64;

impl Thread {
    /// Handles the gap before an outermost call that begins now, in ticks. Returns the call's start, after this work.
    #[inline(always)]
    pub(super) fn after_gap(&self, now: u64) -> u64 {
        if now.wrapping_sub(self.events.last.get()) >= LONG { self.after_long_gap(now) } else { now }
    }

    #[cold]
    #[inline(never)]
    fn after_long_gap(&self, now: u64) -> u64 {
        let (Level { start, signature }, gaps) = (self.block.level(1), &self.gaps);
        // A long run of polls has no record yet, and profiles have no records.
        if now.wrapping_sub(start) < LONG || self.has_profile() || start == 0 || system_calls::are_filtered() {
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

    /// Records the processor time of the gap that ended with this start of a call or of polls.
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
        if signature == gaps.before.get() && !system_calls::are_filtered() {
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
