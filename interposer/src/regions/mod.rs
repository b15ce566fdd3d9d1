//! Parts of its run that the program names: by `overhear_begin` and `overhear_end`, and by NVTX.
//!
//! In: a name, on the thread that enters a region. Out: a record in the thread's page, and a definition of the name when it is
//! first met. Nothing is recorded before MPI is initialised, nor where only totals are.

mod names;
pub mod nvtx;
mod open;

use std::ffi::{CStr, c_char};

use traces::progress;
use traces::record::{self, Kind};

use crate::clock;
use crate::recorder::current;
use crate::recorder::run;
use crate::recorder::thread::Thread;
pub use open::Open;

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
        recorded(|thread| enter(thread, OWN, names::number(name.to_bytes())));
    }
}

/// It leaves the region that it entered last.
#[unsafe(no_mangle)]
pub extern "C" fn overhear_end() {
    recorded(|thread| leave(thread, OWN));
}

/// Does this on the calling thread, if its records are kept. A signal handler may have interrupted the recorder at work: what
/// it enters then is not seen.
#[inline(always)]
fn recorded<R>(what: impl FnOnce(&mut Thread) -> R) -> Option<R> {
    let thread = current::thread().or_else(run::join);
    let thread = thread.filter(|thread| !thread.events.is_over() && !thread.is_at_work())?;
    thread.work(true);
    let result = what(thread);
    thread.work(false);
    Some(result)
}

/// Enters a region that the next [`leave`] of its owner leaves. Returns how deep that was.
fn enter(thread: &mut Thread, owner: usize, number: u32) -> i32 {
    let depth = thread.regions.depth_of(owner);
    if thread.regions.push(owner, number) {
        mark(thread, Kind::RegionBegin, number);
    }
    depth
}

/// Leaves the region that its owner entered last, if there is one. Returns how deep that was.
fn leave(thread: &mut Thread, owner: usize) -> Option<i32> {
    let left = thread.regions.pop(owner)?;
    left.number.into_iter().for_each(|number| mark(thread, Kind::RegionEnd, number));
    Some(thread.regions.depth_of(owner))
}

/// The thread ends: leaves all regions that it is in.
pub fn leave_all(thread: &mut Thread) {
    while let Some(left) = thread.regions.pop_innermost() {
        left.number.into_iter().for_each(|number| mark(thread, Kind::RegionEnd, number));
    }
}

/// Writes down that a region begins or ends here.
fn mark(thread: &mut Thread, kind: Kind, number: u32) {
    let now = clock::now();
    // Calls that asked in vain are counted together only as long as they are in one region.
    thread.end_polls();
    let (skip, gap) = progress::skip(thread.events.last, now);
    if let Some(word) = skip {
        thread.write(&[word]);
        thread.events.last = now;
    }
    if thread.write(&[record::region(kind, gap, number)]) {
        thread.events.last = now;
    }
}
