//! Values of a recording that only the recorder uses, and only while it is at work.

#[cfg(debug_assertions)]
use std::cell::Cell;
use std::cell::UnsafeCell;

/// Lends a value for one statement.
///
/// A thread uses only the values of its own recording, and only while the recorder is [at work](super::Thread::work): a
/// signal handler or a hook in the MPI library that comes in between sees this, and uses none. Never hold the reference
/// past the statement, and never lend the same value twice in it: a build with debug assertions traps the second loan.
pub struct AtWork<T> {
    value: UnsafeCell<T>,
    #[cfg(debug_assertions)]
    lent: Cell<bool>,
}

impl<T> AtWork<T> {
    pub const fn new(value: T) -> AtWork<T> {
        AtWork {
            value: UnsafeCell::new(value),
            #[cfg(debug_assertions)]
            lent: Cell::new(false),
        }
    }

    /// A reference instead of a `with` that takes a closure, since closures are not inlined into the wrappers.
    #[cfg(not(debug_assertions))]
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn lend(&self) -> &mut T {
        // SAFETY: by the rule above there is no other reference now. A cell is not Sync, so no other thread has one.
        unsafe { &mut *self.value.get() }
    }

    /// Lends a value to a function that passes the reference on to its caller, for one statement of that caller. A
    /// debug build traps if an earlier loan is known to be active.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub(super) fn lend_out(&self) -> &mut T {
        #[cfg(debug_assertions)]
        if self.lent.get() {
            // SAFETY: as in `lend`.
            unsafe { libc::raise(libc::SIGTRAP) };
        }
        // SAFETY: as in `lend`.
        unsafe { &mut *self.value.get() }
    }

    #[cfg(debug_assertions)]
    pub(super) fn lend(&self) -> Loan<'_, T> {
        if self.lent.replace(true) {
            // SAFETY: ends the process here, without a panic's way through the program's frames.
            unsafe { libc::raise(libc::SIGTRAP) };
        }
        Loan(self)
    }
}

/// A reference that ends its loan when it is dropped.
#[cfg(debug_assertions)]
pub struct Loan<'a, T>(&'a AtWork<T>);

#[cfg(debug_assertions)]
impl<T> std::ops::Deref for Loan<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only loan.
        unsafe { &*self.0.value.get() }
    }
}

#[cfg(debug_assertions)]
impl<T> std::ops::DerefMut for Loan<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only loan.
        unsafe { &mut *self.0.value.get() }
    }
}

#[cfg(debug_assertions)]
impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        self.0.lent.set(false);
    }
}
