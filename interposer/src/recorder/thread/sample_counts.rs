//! A recording's counts of its samples. The signal handler changes them at any moment.

use std::cell::Cell;

use traces::record::Unsampled;

#[derive(Default)]
pub struct Samples {
    /// The upper end of the stack that the handler runs on; 0 if there is none.
    pub stack: Cell<usize>,
    pub is_on: Cell<bool>,
    /// The thread's processor time when sampling began, in nanoseconds, and the periods that have ended since.
    pub since: Cell<u64>,
    pub ended: Cell<u64>,
    /// Periods that ended inside the call that began then, in ticks.
    pub in_call: Cell<u64>,
    pub call: Cell<u64>,
    /// Periods that ended inside polls of the run in the block.
    pub in_polls: Cell<u64>,
    pub without: Cell<Unsampled>,
}
