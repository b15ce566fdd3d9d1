//! Calls in which the program sleeps: for a time, or until something comes.
//!
//! In: the calls of the C library's functions by the program and its libraries, MPI's excepted. Out: runs of sleeps among the thread's
//! records, as of accesses to files. A call that returns at once has not slept, and leaves nothing behind.

use traces::accesses::{Operation, Target};

use super::library_calls;
use crate::clock;
use crate::recorder::file::named_files::UNNAMED;
use crate::recorder::thread::kept_accesses::LibraryAccess;
use crate::recorder::thread::{abandoned, current};

/// Fewer ticks are no sleep: 2 to 4 microseconds where a tick is a cycle.
const SHORT: u64 = 1 << 13;

/// Records a sleep that ends now, made from this return address.
#[inline(always)]
pub fn ended(operation: Operation, start: u64, site: usize) {
    let end = clock::now();
    if end.wrapping_sub(start) >= SHORT {
        slept(operation, [start, end], site);
    }
}

#[inline(never)]
fn slept(operation: Operation, [start, end]: [u64; 2], site: usize) {
    let Some(thread) = current::thread().filter(|thread| thread.may_access()) else { return };
    thread.work_from(abandoned::frame());
    let sleep = LibraryAccess { operation, file: UNNAMED, start, end, bytes: Some(0), is_elsewhere: false };
    // Whoever holds a lock of the program must not wait for one of the recorder, the loader or the allocator: the thread that has that one may
    // wait for the program's.
    if matches!(operation.target(), Target::Lock | Target::Condition | Target::Semaphore) {
        thread.slept_for_lock(&sleep, site as u64);
        thread.rest_outside();
    } else {
        library_calls::record(thread, &sleep, site);
    }
}
