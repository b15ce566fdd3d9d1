//! Leads the calls of the C library's functions to ours, by the slots of the program and its libraries: of all that is loaded but MPI's
//! objects and the C library.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use super::library_functions::LibraryFunction;
use super::{file_functions, files, library_calls, sleep_functions};
use crate::loaded::{self, LoadedObject, Settled};
use crate::real;
use crate::recorder::guard;

/// The number of the last object that was there when MPI began to be initialized.
static BEFORE: AtomicU64 = AtomicU64::new(0);
static IS_INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Notes what is loaded before MPI is initialized.
pub fn begin() {
    guard::run(|| {
        loaded::with_settled(&[], |settled| {
            let _ = BEFORE.compare_exchange(0, settled.last(), Relaxed, Relaxed);
        });
    });
}

/// Begins to record calls, now that MPI is initialized.
pub fn initialized() {
    guard::run(find);
    IS_INITIALIZED.store(true, Relaxed);
    ready();
    if let Some(code) = loaded::program() {
        files::begin();
        library_calls::begin(&code);
    }
}

fn all() -> impl Iterator<Item = &'static LibraryFunction> {
    file_functions::FUNCTIONS.iter().chain(sleep_functions::FUNCTIONS)
}

/// Finds the real functions before any slot leads to ours.
fn find() {
    for function in all() {
        function.real();
    }
    sleep_functions::find();
}

/// The function with this name, if the process has it.
fn named(name: &CStr) -> Option<&'static LibraryFunction> {
    all().find(|function| function.name == name.to_bytes_with_nul() && function.real() != 0)
}

/// Patches the objects that were loaded since the last time; none before MPI is initialized, which loads objects of its own.
pub fn ready() {
    static LAST: AtomicU64 = AtomicU64::new(0);
    if IS_INITIALIZED.load(Relaxed) {
        guard::run(|| loaded::with_settled(&[], |settled| patch_new(settled, &LAST)));
    }
}

fn patch_new(settled: &Settled, last: &AtomicU64) {
    let mpi = real::library().map_or(0, |library| library.base);
    let own = settled.objects().iter().find(|object| object.is_own()).map(|own| own.range.clone()).unwrap_or_default();
    let before = BEFORE.load(Relaxed);
    let names: Vec<&[u8]> = all().map(|function| function.name).collect();
    for object in settled.after(last.load(Relaxed)) {
        if !object.is_own() && !object.is_of_the_c_library() && !loaded::is_of_mpi(settled, object, mpi, before) {
            patch(object, &names, &own);
        }
    }
    last.store(settled.last(), Relaxed);
}

/// Leads the slots of an object to ours, if they lead to the function that ours call, be it by another of our own functions.
fn patch(object: &LoadedObject, names: &[&[u8]], own_code: &Range<usize>) {
    let mut ours = |name: &CStr, held: usize| {
        let function = named(name)?;
        if own_code.contains(&held) {
            if !object.is_program() {
                function.listens(held);
            }
            return Some(function.own());
        }
        // SAFETY: the object is loaded, and the loader is held.
        let is_late = object.range.contains(&held) && unsafe { object.defines(name) }.is_none();
        (held == function.real() || is_late).then_some(function.own())
    };
    // SAFETY: the object is relocated, and the loader is held.
    unsafe { object.patch_some(names, &mut ours) };
}
