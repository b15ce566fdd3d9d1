//! mpi4py: the extension module through which Python calls MPI.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What the module defines.
pub const PROOF: &CStr = c"PyInit_MPI";

/// Where it lies.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// The module lies there.
pub fn found(range: Range<usize>) {
    BEGIN.store(range.start, Relaxed);
    END.store(range.end, Relaxed);
}

/// Whether an address is in it.
pub fn holds(address: usize) -> bool {
    (BEGIN.load(Relaxed)..END.load(Relaxed)).contains(&address)
}
