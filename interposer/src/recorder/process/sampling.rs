//! The settings of sampling: on or off, period, and signal.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::*};

static ON: AtomicBool = AtomicBool::new(false);
static PERIOD: AtomicU64 = AtomicU64::new(0);
static SIGNAL: AtomicI32 = AtomicI32::new(0);

pub fn begin(period: u64, signal: i32) {
    PERIOD.store(period, Relaxed);
    SIGNAL.store(signal, Relaxed);
    ON.store(true, Release);
}

pub fn end() {
    ON.store(false, Release);
}

#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Acquire)
}

/// The processor time between two samples of a thread, in nanoseconds.
pub fn period() -> u64 {
    PERIOD.load(Relaxed)
}

/// The signal that a thread gets when a period has ended; 0 if none was ever chosen.
pub fn signal() -> i32 {
    SIGNAL.load(Relaxed)
}
