//! Calls of the C library's functions between calls of MPI: when they are recorded, and by which call path.
//!
//! Threads that have not called MPI are not recorded.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};

use crate::call_site::CallSite;
use crate::clock;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::thread::kept_accesses::LibraryAccess;
use crate::recorder::thread::{Thread, current};

static IS_ON: AtomicBool = AtomicBool::new(false);

/// The program's own code.
static PROGRAM: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Begins to record calls; `program` is the program's own code.
pub fn begin(program: &Range<usize>) {
    PROGRAM[0].store(program.start, Relaxed);
    PROGRAM[1].store(program.end, Relaxed);
    IS_ON.store(true, Relaxed);
}

/// True for an address in the program's own code.
pub fn is_in_program(address: usize) -> bool {
    (PROGRAM[0].load(Relaxed)..PROGRAM[1].load(Relaxed)).contains(&address)
}

/// Records no more calls.
pub fn end() {
    IS_ON.store(false, Relaxed);
}

/// The start of a call in ticks; `None` if it is not recorded.
#[inline(always)]
pub fn begins() -> Option<u64> {
    let thread = current::thread()?;
    (IS_ON.load(Relaxed) && thread.may_access()).then(clock::now)
}

/// Records a call that was made from this return address. The recorder must be at work.
#[inline(always)]
pub fn record(thread: &Thread, access: &LibraryAccess, site: usize) {
    let site = CallSite::from_word(site);
    let address = match thread.on_known_path(site) {
        Some(known) => known.address() as u64,
        None => new_path(thread, site),
    };
    thread.accessed(access, address);
    thread.rest_outside();
}

#[cold]
#[inline(never)]
fn new_path(thread: &Thread, site: CallSite) -> u64 {
    let find = || thread.unwind(&mut shared::lock(), site, |_| None).address() as u64;
    guard::run(find).unwrap_or(0)
}
