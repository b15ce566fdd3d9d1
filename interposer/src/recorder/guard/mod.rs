//! Runs what is off the straight line, so that the program notices nothing of it.

pub mod borrowed;
pub mod spent;

use std::panic::{self, AssertUnwindSafe};

use crate::messages;
use borrowed::{BorrowedState, Signals};
use spent::Spending;

/// Runs it. The program sees neither a panic nor a changed errno or floating-point environment, and its signals come when it
/// is done.
pub fn run<R>(work: impl FnOnce() -> R) -> Option<R> {
    let _spending = Spending::begin();
    let _signals = Signals::hold();
    run_waiting(work)
}

/// The same for what takes no lock, and for what may wait for other ranks: meanwhile signals come as ever.
pub fn run_waiting<R>(work: impl FnOnce() -> R) -> Option<R> {
    let _spending = Spending::begin();
    let _state = BorrowedState::keep();
    let result = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    if result.is_none() {
        messages::once("a defect in the recorder; the program continues, but this part of its recording is missing");
    }
    result
}
