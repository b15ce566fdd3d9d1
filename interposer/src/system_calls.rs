//! Tells if the program may have forbidden system calls to itself. It says so by a seccomp filter, which may end a process for
//! any call that it does not know; so from the first one on the recorder makes only those calls that it cannot do without
//! (docs/guide/limits.md).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Set by [`mod@super::filters`], whose few instructions name it.
pub static FILTERED: AtomicBool = AtomicBool::new(false);

/// True once the program has set a filter, or has tried to.
#[inline(always)]
pub fn are_filtered() -> bool {
    FILTERED.load(Relaxed)
}
