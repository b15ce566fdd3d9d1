//! What of a recording belongs to the recorder while it is at work.

use std::cell::UnsafeCell;

/// Lends a value for a moment.
///
/// A thread touches these of its own recording alone, and only while the recorder is [at work](super::Thread::work): what comes in
/// between, a signal handler or a hook in the MPI library, sees that it is and touches none. So a loan ends with the statement
/// that takes it, before MPI or the program goes on, and the statement lends the same value once.
pub struct AtWork<T>(UnsafeCell<T>);

impl<T> AtWork<T> {
    pub const fn new(value: T) -> AtWork<T> {
        AtWork(UnsafeCell::new(value))
    }

    /// Lends it. Closures, as `with` would take them, are not inlined into the wrappers.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn lend(&self) -> &mut T {
        // SAFETY: by the rule above nobody else has it now. It is no other thread's: the compiler shares no cells.
        unsafe { &mut *self.0.get() }
    }
}
