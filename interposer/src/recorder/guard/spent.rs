//! Time the recorder spends off the straight line: new signatures, objects, page turns, start and end. Measured where it is
//! spent, and kept in the thread's block.
//!
//! A thread without a recording yet adds what it spent once it has one. Waiting for other ranks is not counted:
//! they would wait for each other without the recorder, too.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::clock;
use crate::thread_words::thread_words;

thread_words!("overhear_spent", 32);

/// What the words of a thread are.
#[repr(C)]
struct Spent {
    /// How many measurements inside each other.
    depth: usize,
    /// Since when.
    since: u64,
    /// Ticks that are in no block yet.
    pending: u64,
    /// The block's field, 0 where there is no block.
    field: *mut u64,
}

fn own() -> *mut Spent {
    words().cast()
}

/// Measures until it is dropped.
pub struct Spending(());

impl Spending {
    /// Begins to measure, unless that has begun.
    pub fn begin() -> Spending {
        // SAFETY: this thread's own words; what interrupts this leaves them as it found them.
        unsafe {
            let own = own();
            if (*own).depth == 0 {
                (*own).since = clock::now();
            }
            (*own).depth += 1;
        }
        Spending(())
    }
}

impl Drop for Spending {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            let own = own();
            (*own).depth = (*own).depth.saturating_sub(1);
            if (*own).depth == 0 {
                add_spent(own);
            }
        }
    }
}

/// Adds what was spent since the measurement began.
///
/// # Safety
/// These are the thread's own words.
unsafe fn add_spent(own: *mut Spent) {
    // SAFETY: by the contract; the field is in a block, which lives as long as the process.
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

/// Does what may wait for other ranks: that is not counted.
pub fn waiting<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: as above.
    unsafe {
        let own = own();
        let depth = std::mem::take(&mut (*own).depth);
        if depth > 0 {
            add_spent(own);
        }
        let result = work();
        ((*own).depth, (*own).since) = (depth, clock::now());
        result
    }
}

/// From here on the thread's time is kept in this field, or nowhere where it is null.
pub fn keep_in(field: *mut u64) {
    // SAFETY: as above.
    unsafe { (*own()).field = field };
}

/// The thread has left whatever it was measuring.
pub fn abandon() {
    // SAFETY: as above.
    unsafe { (*own()).depth = 0 };
}
