//! Accesses of the program to files: the time of each, its bytes, and where it was made.
//!
//! In: the calls of the C library's functions by the program and its libraries, MPI's excepted. Out: runs of accesses among the thread's records. A call of a stream's function counts as one access, whatever it does below: the
//! C library's own calls pass through no slot. The run times of Fortran and C++ make system calls through slots of
//! their own, so there each of these counts.

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::accesses::Operation;

use super::library_calls::record;
use crate::clock;
use crate::open_files::{self, OpenFile};
use crate::recorder::file::named_files::{self, UNNAMED};
use crate::recorder::guard;
use crate::recorder::thread::kept_accesses::LibraryAccess;
use crate::recorder::thread::{abandoned, current};
use crate::system_calls;

/// The process that records: a child of `vfork` has the same memory, but other descriptors.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Notes which process records.
pub fn begin() {
    PROCESS.store(std::process::id(), Relaxed);
}

/// Where an access takes place in its file.
#[derive(Clone, Copy)]
pub enum Place {
    /// Where the access before ended.
    Next,
    /// So many bytes from the start.
    At(u64),
    /// The operation has no place.
    Nowhere,
}

/// Records an access through a descriptor that ends now, made from this return address. `bytes` is negative for an error.
#[inline(never)]
pub fn ended(operation: Operation, descriptor: c_int, place: Place, start: u64, bytes: i64, site: usize) {
    let end = clock::now();
    let Some(thread) = current::thread().filter(|thread| thread.may_access()) else { return };
    thread.work_from(abandoned::frame());
    let open = open_files::of(descriptor);
    let file = match open.map(|open| open.file.load(Relaxed)) {
        Some(0) => named(descriptor, || named_files::of_descriptor(descriptor)),
        Some(file) => file,
        None => UNNAMED,
    };
    let bytes = u64::try_from(bytes).ok();
    let is_elsewhere = open.is_some_and(|open| moves(open, place, bytes.unwrap_or(0)));
    let access = LibraryAccess { operation, file, start, end, bytes, is_elsewhere };
    record(thread, &access, site);
}

/// Records an access to a file that is being opened or closed; [`UNNAMED`] for one without a number.
#[inline(never)]
pub fn ended_at(operation: Operation, file: u32, [start, end]: [u64; 2], has_failed: bool, site: usize) {
    let Some(thread) = current::thread().filter(|thread| thread.may_access()) else { return };
    thread.work_from(abandoned::frame());
    let bytes = (!has_failed).then_some(0);
    record(thread, &LibraryAccess { operation, file, start, end, bytes, is_elsewhere: false }, site);
}

/// Moves a file's position behind an access. True if the access began elsewhere than there.
#[inline(always)]
fn moves(open: &OpenFile, place: Place, bytes: u64) -> bool {
    let before = open.position.load(Relaxed);
    let (begin, is_elsewhere) = match place {
        Place::Next if before == open_files::ELSEWHERE => (0, true),
        Place::Next => (before, false),
        Place::At(offset) => (offset, offset != before),
        Place::Nowhere => return false,
    };
    open.position.store(begin.wrapping_add(bytes), Relaxed);
    is_elsewhere
}

/// The number of the file that a descriptor stands for, found by `find` and remembered.
#[cold]
#[inline(never)]
fn named(descriptor: c_int, find: impl FnOnce() -> u32) -> u32 {
    let file = guard::run(find).unwrap_or(UNNAMED);
    if let Some(open) = open_files::of(descriptor) {
        open.file.store(file, Relaxed);
    }
    file
}

/// Records that a descriptor was opened by a path since `start`; where that is not recorded, only that it is another one now. It
/// is negative for an error.
pub fn opened(descriptor: c_int, path: Option<&CStr>, start: Option<u64>, site: usize) {
    open_files::forget(descriptor);
    let Some(start) = start else { return };
    let end = clock::now();
    // A child of vfork opens descriptors of its own.
    if !system_calls::are_filtered() && PROCESS.load(Relaxed) != std::process::id() {
        return;
    }
    let file = match path {
        _ if descriptor < 0 => UNNAMED,
        Some(path) => named(descriptor, || named_files::of_path(&path.to_string_lossy())),
        None => named(descriptor, || named_files::of_descriptor(descriptor)),
    };
    ended_at(Operation::Open, file, [start, end], descriptor < 0, site);
}

/// The number of the file behind a descriptor that is about to be closed, if anybody knows; the descriptor is then
/// forgotten.
pub fn closes(descriptor: c_int) -> Option<u32> {
    let file = open_files::of(descriptor).map(|open| open.file.load(Relaxed)).filter(|file| *file != 0);
    open_files::forget(descriptor);
    file
}

/// Notes that the next access through a descriptor begins at so many bytes from the start; `None` if it is not known.
pub fn sought(descriptor: c_int, offset: Option<u64>) {
    if let Some(open) = open_files::of(descriptor)
        && offset != Some(open.position.load(Relaxed))
    {
        open.position.store(open_files::ELSEWHERE, Relaxed);
    }
}
