//! What a recording knows of long gaps between calls, to say how much of them the thread was on a processor.

use std::cell::Cell;

#[derive(Default)]
pub struct LongGaps {
    /// The signature of the call before the last long gap.
    pub before: Cell<u64>,
    /// Calls until another long gap is no longer expected behind a call of that signature.
    pub left: Cell<u32>,
    /// The start and the end, in ticks, of a call after which the thread's processor time was read, and that time in nanoseconds.
    pub read_after: Cell<u64>,
    pub read_at: Cell<u64>,
    pub time: Cell<u64>,
    /// The start, in ticks, of a call that ended a long gap, and the thread's processor time in that gap.
    pub ended_by: Cell<u64>,
    pub on_processor: Cell<u64>,
}
