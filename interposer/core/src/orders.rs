//! Atomics and cells that threads share: the standard library's, or loom's, which tries all orders of their accesses.

#[cfg(loom)]
pub use loom::cell::UnsafeCell as Cell;
pub use traces::orders::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

/// An `UnsafeCell` with the interface of loom's.
#[cfg(not(loom))]
pub struct Cell<V>(std::cell::UnsafeCell<V>);

#[cfg(not(loom))]
impl<V> Cell<V> {
    /// Passes the value to `work`, which may read it.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(*const V) -> R) -> R {
        work(self.0.get())
    }

    /// Passes the value to `work`, which may change it.
    #[inline(always)]
    pub fn with_mut<R>(&self, work: impl FnOnce(*mut V) -> R) -> R {
        work(self.0.get())
    }
}
