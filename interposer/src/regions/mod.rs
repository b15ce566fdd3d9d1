//! Parts of its run that the program names: by `overhear_begin` and `overhear_end`, and by NVTX.
//!
//! In: a name, on the thread that enters a region. Out: a record in the thread's page, and a definition of the name when it is
//! first met. Nothing is recorded before MPI is initialized, nor where only totals are.

mod names;
pub mod nvtx;

use std::ffi::{CStr, c_char};

use crate::recorder::thread::Thread;
use crate::recorder::thread::current;
use crate::recorder::thread::slots;

/// Whose regions those of `overhear_begin` are, which NVTX knows nothing of.
const OWN: usize = usize::MAX;

/// The program enters a region.
///
/// # Safety
/// The name is null, or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn overhear_begin(name: *const c_char) {
    if !name.is_null() {
        // SAFETY: the caller's promise.
        let name = unsafe { CStr::from_ptr(name) };
        recorded(|thread| thread.enter_region(OWN, names::number(name.to_bytes())));
    }
}

/// It leaves the region that it entered last.
#[unsafe(no_mangle)]
pub extern "C" fn overhear_end() {
    recorded(|thread| thread.leave_region(OWN));
}

/// Does this on the calling thread, if its records are kept. A signal handler may have interrupted the recorder at work: what
/// it enters then is not seen.
#[inline(always)]
fn recorded<R>(what: impl FnOnce(&Thread) -> R) -> Option<R> {
    let thread = current::thread().or_else(slots::join);
    let thread = thread.filter(|thread| !thread.is_over() && !thread.is_at_work())?;
    thread.work(true);
    let result = what(thread);
    thread.work(false);
    Some(result)
}
