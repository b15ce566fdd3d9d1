//! A run of polls: calls such as MPI_Test that repeatedly find nothing complete, counted in the thread's block of the
//! file.
//!
//! A reader must find the run there whenever the process dies, and as it was at one moment while the process runs. So
//! it is written field by field, and the count, which says that the rest is there, goes last.

use std::sync::atomic::Ordering::{Relaxed, Release};

use traces::live::{LivePolls, halves};
use traces::progress::Polls;

#[derive(Clone, Copy)]
pub struct PollRun<'a>(pub &'a LivePolls);

impl PollRun<'_> {
    /// Adds an unsuccessful poll of this signature; times in ticks. `false` if the run is empty, has another signature,
    /// or cannot hold the call's times.
    #[inline(always)]
    pub fn join(self, signature: u32, start: u64, end: u64) -> bool {
        let polls = self.0;
        let duration = end.wrapping_sub(start);
        let gap = start.wrapping_sub(polls.end.load(Relaxed));
        let count = polls.count.load(Relaxed);
        let is_other = count == 0 || polls.signature.load(Relaxed) != signature as u64;
        if is_other || (gap | duration | count) >> 32 != 0 {
            return false;
        }
        polls.end.store(end, Release);
        polls.total.store(polls.total.load(Relaxed).wrapping_add(duration), Release);
        polls.gaps.store(widened(polls.gaps.load(Relaxed), gap as u32), Release);
        polls.durations.store(widened(polls.durations.load(Relaxed), duration as u32), Release);
        polls.last.store(start, Release);
        polls.count.store(count + 1, Release);
        true
    }

    /// Begins a run with this call. `false` if the call took too long for one.
    pub fn begin(self, signature: u32, start: u64, end: u64) -> bool {
        let (polls, total) = (self.0, end.wrapping_sub(start));
        let Ok(duration) = u32::try_from(total) else { return false };
        polls.start.store(start, Release);
        polls.end.store(end, Release);
        polls.total.store(total, Release);
        polls.gaps.store(u32::MAX.into(), Release);
        polls.durations.store(u64::from(duration) << 32 | u64::from(duration), Release);
        polls.signature.store(signature.into(), Release);
        polls.last.store(start, Release);
        polls.count.store(1, Release);
        true
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0.count.load(Relaxed) == 0
    }

    pub fn read(self) -> Polls {
        self.0.read()
    }

    pub fn end(self) {
        self.0.count.store(0, Release);
    }
}

/// The shortest in the lower half and the longest in the upper, with another time.
#[inline(always)]
fn widened(range: u64, by: u32) -> u64 {
    let [least, most] = halves(range);
    u64::from(most.max(by)) << 32 | u64::from(least.min(by))
}

/// A duration for each poll, in ticks, by their total alone: all get the mean, and the last gets the remainder too.
pub fn durations(polls: &Polls) -> impl Iterator<Item = u64> {
    let (count, total) = (polls.count, polls.total);
    let mean = total.checked_div(count).unwrap_or(0);
    (1..=count).map(move |number| if number < count { mean } else { total - mean * (count - 1) })
}
