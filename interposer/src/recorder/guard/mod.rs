//! Runs work that is off the straight line, so that the program does not notice it.

pub mod borrowed;
mod cancellation;
pub mod spent;

use std::panic::{self, AssertUnwindSafe};

use crate::notes;
use crate::signals::put_off;
use borrowed::BorrowedState;
use cancellation::Cancellation;

/// Runs `work`. The program sees neither a panic nor a changed errno or floating-point environment, and gets its
/// signals and its thread's cancellation afterwards. `None` if the work panicked.
pub fn run<R>(work: impl FnOnce() -> R) -> Option<R> {
    let result = uncancelled(|| {
        let undisturbed = put_off::begin();
        let result = run_unseen(work);
        put_off::end(undisturbed);
        result
    });
    // Last, since a handler may leave from here by longjmp.
    put_off::send_waiting();
    result
}

/// Like [`run`], but without putting signals off: for work that takes no lock, or that may wait for other ranks.
pub fn run_waiting<R>(work: impl FnOnce() -> R) -> Option<R> {
    uncancelled(|| run_unseen(work))
}

/// Runs and measures `work`, with nothing to drop in this frame: the thread may be cancelled at its end.
fn uncancelled<R>(work: impl FnOnce() -> R) -> R {
    let cancellation = Cancellation::hold();
    let result = spent::measured(work);
    cancellation.give_back();
    result
}

fn run_unseen<R>(work: impl FnOnce() -> R) -> Option<R> {
    let _state = BorrowedState::keep();
    let result = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    if result.is_none() {
        notes::add("a defect in the recorder: the program continued, but part of its recording is missing");
    }
    result
}
