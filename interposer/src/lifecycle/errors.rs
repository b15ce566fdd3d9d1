//! Errors of MPI that the program handles itself, which leave some arrivals unknown.

use std::sync::atomic::{AtomicBool, Ordering::*};

use traces::calls::{Call, Class};

use super::run::READY;
use crate::real;
use crate::recorder::file::shared::WarningOnce;

/// True if the call sets an error handler.
pub fn takes_handler(call: Call) -> bool {
    call.has(traces::calls::ArgumentKind::Errhandler) && call.class() != Class::Query
}

/// Set if the program has set an error handler, so that an error of MPI may not end it.
static HANDLES_ERRORS: AtomicBool = AtomicBool::new(false);

#[inline(always)]
pub fn handles_errors() -> bool {
    HANDLES_ERRORS.load(Relaxed)
}

pub fn set_handles_errors() {
    HANDLES_ERRORS.store(true, Relaxed);
}

/// Warns that requests are about to be completed without statuses, so what arrives stays unknown.
#[cold]
pub fn arrivals_unseen() {
    static UNSEEN: WarningOnce = WarningOnce::new(
        "the program handles errors of MPI itself: of receives that MPI_Waitall, MPI_Waitsome, MPI_Testall or MPI_Testsome \
         completed without statuses, the bytes are those posted",
    );
    UNSEEN.say();
}

/// The class of an error code; 0 if MPI cannot be asked.
pub fn class(code: i32) -> u16 {
    let mut class = 0i32;
    if READY.load(Relaxed) {
        // SAFETY: MPI is initialized, and writes one int.
        unsafe { real::invoke(Call::Error_class, [code as usize, &raw mut class as usize]) };
    }
    class as u16
}
