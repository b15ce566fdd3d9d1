//! A run of polls: calls such as MPI_Test that repeatedly find nothing complete, counted in the thread's block of the
//! file.
//!
//! A reader must find the run there whenever the process dies. So it is written field by field, and the count, which
//! says that the rest is there, goes last.

use std::ptr::NonNull;
use std::sync::atomic::{Ordering::Release, compiler_fence};

use traces::progress::Polls;

#[derive(Clone, Copy)]
pub struct PollRun(NonNull<Polls>);

impl PollRun {
    /// The run at `place`.
    ///
    /// # Safety
    /// The place stays valid while the run is used, one thread at a time uses it, and only by `PollRun`s.
    pub unsafe fn at(place: NonNull<Polls>) -> PollRun {
        PollRun(place)
    }

    /// Adds an unsuccessful poll of this signature; times in ticks. `false` if the run is empty, has another signature,
    /// or cannot hold the call's times.
    #[inline(always)]
    pub fn join(self, signature: u32, start: u64, end: u64) -> bool {
        let polls = self.0.as_ptr();
        let duration = end.wrapping_sub(start);
        // SAFETY: promised by the caller of `at`.
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

    /// Begins a run with this call. `false` if the call took too long for one.
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

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        // SAFETY: as in `join`.
        unsafe { (*self.0.as_ptr()).count == 0 }
    }

    pub fn read(self) -> Polls {
        // SAFETY: as in `join`.
        unsafe { self.0.read() }
    }

    pub fn end(self) {
        // SAFETY: as in `join`.
        unsafe { (*self.0.as_ptr()).count = 0 };
    }
}

/// A duration for each poll, in ticks, by their total alone: all get the mean, and the last gets the remainder too.
pub fn durations(polls: &Polls) -> impl Iterator<Item = u64> {
    let (count, total) = (polls.count, polls.total);
    let mean = total.checked_div(count).unwrap_or(0);
    (1..=count).map(move |number| if number < count { mean } else { total - mean * (count - 1) })
}
