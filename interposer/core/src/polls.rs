//! Calls that ask and get no, again and again: one run of them, in a thread's block of the file.
//!
//! A reader finds the run there whenever the process dies. So it is written field by field, and the count, which says that the rest
//! is there, goes last.

use std::ptr::NonNull;
use std::sync::atomic::{Ordering::Release, compiler_fence};

use traces::progress::Polls;

/// See the module.
#[derive(Clone, Copy)]
pub struct PollRun(NonNull<Polls>);

impl PollRun {
    /// The run that is there.
    ///
    /// # Safety
    /// As long as it is asked or told anything, by one thread, and nothing refers to it but runs.
    pub unsafe fn at(place: NonNull<Polls>) -> PollRun {
        PollRun(place)
    }

    /// One more call of this signature asked in vain. `false` where the run is of others, or has no room for it.
    #[inline(always)]
    pub fn join(self, signature: u32, start: u64, end: u64) -> bool {
        let polls = self.0.as_ptr();
        let duration = end.wrapping_sub(start);
        // SAFETY: the caller of `at` has promised it.
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

    /// A run begins with this call. `false` where it took too long for one.
    pub fn begin(self, signature: u32, start: u64, end: u64) -> bool {
        let total = end.wrapping_sub(start);
        let Ok(duration) = u32::try_from(total) else { return false };
        let (gaps, durations) = ([u32::MAX, 0], [duration; 2]);
        let first = Polls { start, end, count: 0, total, gaps, durations, signature: signature as u64, last: start };
        // SAFETY: as in `join`.
        unsafe {
            self.0.write(first);
            compiler_fence(Release);
            (*self.0.as_ptr()).count = 1;
        }
        true
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        // SAFETY: as in `join`.
        unsafe { (*self.0.as_ptr()).count == 0 }
    }

    /// The run so far.
    pub fn read(self) -> Polls {
        // SAFETY: as in `join`.
        unsafe { self.0.read() }
    }

    /// The run is over.
    pub fn end(self) {
        // SAFETY: as in `join`.
        unsafe { (*self.0.as_ptr()).count = 0 };
    }
}

/// How long each of them took, as far as their sum tells: the last has what the mean leaves over.
pub fn durations(polls: &Polls) -> impl Iterator<Item = u64> {
    let (count, total) = (polls.count, polls.total);
    let mean = total.checked_div(count).unwrap_or(0);
    (1..=count).map(move |number| if number < count { mean } else { total - mean * (count - 1) })
}
