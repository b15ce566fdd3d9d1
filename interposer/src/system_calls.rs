//! Tells if the program may have forbidden system calls to itself. It says so by a seccomp filter, which may end a process for
//! any call that it does not know; so from the first one on the recorder makes only those calls that it cannot do without
//! (docs/guide/limits.md).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static FILTERED: AtomicBool = AtomicBool::new(false);

/// Notes that the program sets a filter.
#[cfg(not(feature = "archive"))]
pub fn filter() {
    FILTERED.store(true, Relaxed);
}

/// True once the program has set a filter, or has tried to.
#[inline(always)]
pub fn are_filtered() -> bool {
    FILTERED.load(Relaxed)
}
