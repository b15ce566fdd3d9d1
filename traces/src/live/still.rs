//! Copies of data that must have been in memory together, of memory that another process writes.

use std::sync::atomic::Ordering::Acquire;

use crate::orders::fence;

/// A call takes some fifty nanoseconds at least, and two copies take as long, or ten times that if both processes use
/// one cache line: a few attempts are enough unless the writer's memory is very far away.
#[cfg(not(loom))]
const TRIES: usize = 1000;
/// Each attempt multiplies the orders that loom tries.
#[cfg(loom)]
const TRIES: usize = 1;

/// Copies until two copies in a row are equal, and returns them, or the last two if none were.
///
/// Equal copies show the memory as it was at one moment, provided that all stores to it are Release, `copy` only loads,
/// and a store that brings an old value back has another beside it that brings a new one. For then the latest store
/// that the first copy saw has all stores before it visible to the second copy.
pub(super) fn copies<T: PartialEq>(copy: impl Fn() -> T) -> (T, T) {
    let mut before = copy();
    for _ in 1..TRIES {
        fence(Acquire);
        let now = copy();
        if now == before {
            return (before, now);
        }
        before = now;
    }
    fence(Acquire);
    (before, copy())
}

/// The copies, if they are equal; nothing if the memory was never still.
pub(crate) fn still<T: PartialEq + Default>(copy: impl Fn() -> T) -> T {
    let (before, now) = copies(copy);
    if before == now { now } else { T::default() }
}
