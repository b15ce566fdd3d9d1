//! The settings of sampling: on or off, period, signal, and its handler.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::*};

static ON: AtomicBool = AtomicBool::new(false);
static PERIOD: AtomicU64 = AtomicU64::new(0);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static HANDLER: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// `handler`: the code that the kernel enters.
pub fn begin(period: u64, signal: i32, handler: Range<usize>) {
    let [start, end] = &HANDLER;
    start.store(handler.start, Relaxed);
    end.store(handler.end, Relaxed);
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

/// True for the signal that threads are sampled by.
pub fn is_signal(number: i32) -> bool {
    number > 0 && number == signal()
}

/// The code of the signal's handler; empty if threads were never sampled.
pub fn handler() -> Range<usize> {
    let [start, end] = &HANDLER;
    start.load(Relaxed)..end.load(Relaxed)
}
