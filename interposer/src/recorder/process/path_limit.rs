//! The limit on the frames of a call's path that are recorded.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static LIMIT: AtomicU32 = AtomicU32::new(0);

pub fn choose(limit: u32) {
    LIMIT.store(limit, Relaxed);
}

/// The limit in frames; 0 if no paths are recorded.
pub fn frames() -> usize {
    LIMIT.load(Relaxed) as usize
}
