//! Regions: parts of its run that the program names, by `overhear_begin` and `overhear_end` or by NVTX.
//!
//! In: a name, on the thread that enters a region. Out: a record in the thread's page, and a definition when the name
//! is new. Regions are recorded once MPI is initialized, and only while the thread has room for events, not in
//! profiles.

mod names;
pub mod nvtx;

use std::ffi::{CStr, c_char};

use crate::recorder::thread::Thread;
use crate::recorder::thread::current;
use crate::recorder::thread::slots;

/// The owner of `overhear_begin`'s regions; an NVTX domain never has this number.
const OWN: usize = usize::MAX;

/// Enters a region.
///
/// # Safety
/// The name must be null or end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn overhear_begin(name: *const c_char) {
    if !name.is_null() {
        // SAFETY: the caller's promise.
        let name = unsafe { CStr::from_ptr(name) };
        recorded(|thread| thread.enter_region(OWN, names::number(name.to_bytes())));
    }
}

/// Leaves the region that this thread entered last.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn overhear_end() {
    recorded(|thread| thread.leave_region(OWN));
}

/// Does `work` with the calling thread's recording, if it has one. If a signal handler has interrupted the recorder at
/// work, its regions are not recorded.
#[inline(always)]
fn recorded<R>(work: impl FnOnce(&Thread) -> R) -> Option<R> {
    let thread = current::thread().or_else(slots::join);
    let thread = thread.filter(|thread| !thread.is_over() && !thread.is_at_work())?;
    thread.work(true);
    let result = work(thread);
    thread.work(false);
    Some(result)
}
