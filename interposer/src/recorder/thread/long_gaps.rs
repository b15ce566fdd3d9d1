//! A recording's data on long gaps between calls, from which it tells how much of a gap the thread was on a processor.

use std::cell::Cell;

#[derive(Default)]
pub struct LongGaps {
    /// The signature of the call before the last long gap.
    pub before: Cell<u64>,
    /// Calls left in which a long gap is expected after a call of that signature.
    pub left: Cell<u32>,
    /// The start and the end, in ticks, of a call after which the thread's processor time was read, and that time in nanoseconds.
    pub read_after: Cell<u64>,
    pub read_at: Cell<u64>,
    pub time: Cell<u64>,
    /// The start, in ticks, of a call that ended a long gap, and the thread's processor time in that gap.
    pub ended_by: Cell<u64>,
    pub on_processor: Cell<u64>,
}
