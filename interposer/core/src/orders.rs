//! What threads share words by: the standard library's, or where loom tries all orders in which threads can meet, loom's.

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell as Cell,
    sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence},
};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

/// As loom's: a value that whoever may lends out.
#[cfg(not(loom))]
pub struct Cell<V>(std::cell::UnsafeCell<V>);

#[cfg(not(loom))]
impl<V> Cell<V> {
    /// Lends the value out to be read.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(*const V) -> R) -> R {
        work(self.0.get())
    }

    /// Lends it out to be changed.
    #[inline(always)]
    pub fn with_mut<R>(&self, work: impl FnOnce(*mut V) -> R) -> R {
        work(self.0.get())
    }
}
