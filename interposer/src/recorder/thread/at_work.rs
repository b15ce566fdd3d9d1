//! Values of a recording that only the recorder uses, and only while it is at work.

use std::cell::UnsafeCell;

/// Lends a value for one statement.
///
/// A thread uses only the values of its own recording, and only while the recorder is [at work](super::Thread::work): a
/// signal handler or a hook in the MPI library that comes in between sees this, and uses none. Never hold the reference
/// past the statement, and never lend the same value twice in it.
pub struct AtWork<T>(UnsafeCell<T>);

impl<T> AtWork<T> {
    pub const fn new(value: T) -> AtWork<T> {
        AtWork(UnsafeCell::new(value))
    }

    /// A reference instead of a `with` that takes a closure, since closures are not inlined into the wrappers.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn lend(&self) -> &mut T {
        // SAFETY: by the rule above there is no other reference now. A cell is not Sync, so no other thread has one.
        unsafe { &mut *self.0.get() }
    }
}
