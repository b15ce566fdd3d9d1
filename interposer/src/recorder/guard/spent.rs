//! The time that the recorder spends off the straight line: new signatures, objects, page turns, begin and end. It is
//! measured where it is spent, and kept in the thread's block.
//!
//! A thread without a recording adds its time once it has one. Waiting for other ranks is not counted: they would wait
//! for each other without the recorder, too.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock;
use crate::thread_words::thread_words;

thread_words!("overhear_spent", 40);

/// The thread-local words.
#[repr(C)]
struct Spent {
    /// Number of nested measurements.
    depth: usize,
    /// Ticks when the outermost measurement began.
    since: u64,
    /// Spent ticks that are in no block yet.
    pending: u64,
    /// The field in the thread's block; null if it has no block.
    field: *mut u64,
    /// Ticks of waiting for other ranks.
    waited: u64,
}

fn own() -> *mut Spent {
    words().cast()
}

/// Runs `work` and measures it. Measurements may be nested.
///
/// Nothing is dropped here: where a thread lets itself be cancelled at any instruction, the C library's unwinder passes
/// callers of this, and cannot run Rust's cleanup.
pub fn measured<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: this thread's own words; a signal handler leaves them as it found them.
    unsafe {
        let own = own();
        if (*own).depth == 0 {
            (*own).since = clock::now();
        }
        (*own).depth += 1;
        let result = work();
        (*own).depth = (*own).depth.saturating_sub(1);
        if (*own).depth == 0 {
            add_spent(own);
        }
        result
    }
}

/// Adds the time since the measurement began.
///
/// # Safety
/// `own` must be this thread's words.
unsafe fn add_spent(own: *mut Spent) {
    // SAFETY: by the contract; the field is in a block, which stays mapped.
    unsafe {
        let spent = (*own).pending.wrapping_add(clock::now().wrapping_sub((*own).since));
        if (*own).field.is_null() {
            (*own).pending = spent;
        } else {
            (*own).pending = 0;
            let field = AtomicU64::from_ptr((*own).field);
            field.store(field.load(Relaxed).wrapping_add(spent), Relaxed);
        }
    }
}

/// True if the calling thread's time is being measured now.
pub fn is_measured() -> bool {
    // SAFETY: as above.
    unsafe { (*own()).depth > 0 }
}

/// Runs `work`, which may wait for other ranks, without counting its time.
pub fn waiting<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: as above.
    unsafe {
        let own = own();
        let depth = std::mem::take(&mut (*own).depth);
        if depth > 0 {
            add_spent(own);
        }
        let begin = clock::now();
        let result = work();
        let end = clock::now();
        (*own).waited = (*own).waited.wrapping_add(end.wrapping_sub(begin));
        ((*own).depth, (*own).since) = (depth, end);
        result
    }
}

/// Runs `work`, and returns its result with the ticks that were measured inside it. Those ticks count only for the
/// enclosing measurement.
pub fn apart<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let mut inside = 0u64;
    // SAFETY: as above; the field lives until it is set back.
    unsafe {
        let own = own();
        let (depth, since, field) = ((*own).depth, (*own).since, (*own).field);
        ((*own).depth, (*own).field) = (0, &raw mut inside);
        let result = work();
        ((*own).depth, (*own).since, (*own).field) = (depth, since, field);
        (result, AtomicU64::from_ptr(&raw mut inside).load(Relaxed))
    }
}

/// Ticks for which this thread has waited for other ranks.
pub fn waited() -> u64 {
    // SAFETY: as above.
    unsafe { (*own()).waited }
}

/// Sets the field that the thread's time is added to; null for none.
pub fn keep_in(field: *mut u64) {
    // SAFETY: as above.
    unsafe { (*own()).field = field };
}

/// Drops this thread's measurements, which it has left by longjmp.
pub fn abandon() {
    // SAFETY: as above.
    unsafe { (*own()).depth = 0 };
}
