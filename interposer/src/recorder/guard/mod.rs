//! Runs work that is off the straight line, so that the program does not notice it.

pub mod borrowed;
pub mod spent;

use std::panic::{self, AssertUnwindSafe};

use crate::messages;
use borrowed::{BorrowedState, Signals};
use spent::Spending;

/// Runs `work`. The program sees neither a panic nor a changed errno or floating-point environment, and gets its
/// signals afterwards. `None` if the work panicked.
pub fn run<R>(work: impl FnOnce() -> R) -> Option<R> {
    let _spending = Spending::begin();
    let _signals = Signals::hold();
    run_waiting(work)
}

/// Like [`run`], but without blocking signals: for work that takes no lock, or that may wait for other ranks.
pub fn run_waiting<R>(work: impl FnOnce() -> R) -> Option<R> {
    let _spending = Spending::begin();
    let _state = BorrowedState::keep();
    let result = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    if result.is_none() {
        messages::once("a defect in the recorder; the program continues, but this part of its recording is missing");
    }
    result
}
