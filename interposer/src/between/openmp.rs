//! Parallel regions of programs that gcc has compiled: calls of libgomp's entry points.
//!
//! In: the call that starts a team, and those in which a thread waits inside a region. Out: the region's time, and each
//! thread's work and waits. A region is recorded if the thread that starts it is recorded, and in no other region. What
//! cannot be recorded runs as it is.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

use super::openmp_runtime;
use super::team_threads::{self, Body, InnerTeam, Team};
use crate::call_site::CallSite;
use crate::loaded::{self, LoadedObject, Settled};
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::thread::team_places::BegunTeam;
use crate::recorder::thread::{Thread, abandoned, current};

/// The beginnings of the names of libgomp's functions that are replaced.
const NAMES: [&[u8]; 2] = [b"GOMP_", b"omp_set_"];

/// Patches the objects that were loaded since the last time, if the process has an OpenMP runtime.
pub fn ready() {
    static LAST: AtomicU64 = AtomicU64::new(0);
    guard::run(|| loaded::with_settled(&[], |settled| patch_new(settled, &LAST)));
}

/// Records no more regions.
pub fn end() {
    IS_OVER.store(true, Relaxed);
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

fn patch_new(settled: &Settled, last: &AtomicU64) {
    let Some((runtime, has_others)) = openmp_runtime::find(settled, find_real) else { return };
    for object in settled.after(last.load(Relaxed)) {
        let is_outside = !object.is_own() && object.base != runtime.base;
        if is_outside && (!has_others || openmp_runtime::is_called_by(runtime, object, &NAMES)) {
            // SAFETY: the object is relocated, and the loader is held.
            unsafe { object.patch(&NAMES, &mut replacement) };
        }
    }
    last.store(settled.last(), Relaxed);
}

/// One of libgomp's functions: its name, ours that replaces it, and its address.
struct Entry {
    name: &'static CStr,
    own: unsafe extern "C-unwind" fn(),
    real: &'static AtomicUsize,
}

fn replacement(name: &CStr) -> Option<usize> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name)?;
    (entry.real.load(Relaxed) != 0).then_some(entry.own as usize)
}

/// Finds the runtime's functions before any slot leads to ours.
fn find_real(runtime: &LoadedObject) {
    for entry in ENTRIES {
        // SAFETY: the object is loaded, and the loader is held.
        let address = unsafe { runtime.defines(entry.name) };
        entry.real.store(address.unwrap_or(0), Relaxed);
    }
}

/// As many words as the functions that start a team have at most.
type Start = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;
/// As many words as the functions that make tasks have at most, and one more.
type MakeTask = unsafe extern "C-unwind" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> usize;
type Wait = unsafe extern "C-unwind" fn(usize, usize) -> usize;

/// Functions that start a team: `function(body, data, threads, ...)`. GOMP_parallel_reductions is none of them: it reads what
/// `data` points to. All pass on eight words, since reading further ones of the caller's stack does no harm.
macro_rules! starts {
    ($($own:ident)*) => {$(
        #[allow(non_snake_case)]
        mod $own {
            use super::*;

            pub static REAL: AtomicUsize = AtomicUsize::new(0);

            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C-unwind" fn entry(
                a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize, h: usize,
            ) -> usize {
                start([a, b, c, d, e, f, g, h], &REAL)
            }
        }
    )*};
}

/// Functions in which a thread may wait: for its team, or for its turn.
macro_rules! waits {
    ($($field:ident: $($own:ident)*;)*) => {$($(
        #[allow(non_snake_case)]
        mod $own {
            use super::*;

            pub static REAL: AtomicUsize = AtomicUsize::new(0);

            pub unsafe extern "C-unwind" fn entry(a: usize, b: usize) -> usize {
                // SAFETY: the address is the function's, which takes at most these words and returns at most one.
                let real = || unsafe { std::mem::transmute::<usize, Wait>(REAL.load(Relaxed))(a, b) };
                team_threads::waiting(|place| &place.$field, real)
            }
        }
    )*)*};
}

/// Functions that make tasks, which any thread of the team may execute in its waits.
macro_rules! tasks {
    ($($own:ident)*) => {$(
        #[allow(non_snake_case)]
        mod $own {
            use super::*;

            pub static REAL: AtomicUsize = AtomicUsize::new(0);

            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C-unwind" fn entry(
                a: usize, b: usize, c: usize, d: usize, e: usize, f: usize,
                g: usize, h: usize, i: usize, j: usize, k: usize, l: usize,
            ) -> usize {
                if let Some(place) = team_threads::place() {
                    place.mixed.store(1, Relaxed);
                }
                // SAFETY: as above.
                unsafe { std::mem::transmute::<usize, MakeTask>(REAL.load(Relaxed))(a, b, c, d, e, f, g, h, i, j, k, l) }
            }
        }
    )*};
}

macro_rules! entries {
    ($($own:ident)*) => {
        static ENTRIES: &[Entry] = &[$(Entry {
            // SAFETY: a literal that ends with a zero.
            name: unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($own), "\0").as_bytes()) },
            // SAFETY: only the address is used.
            own: unsafe { std::mem::transmute::<*const (), unsafe extern "C-unwind" fn()>($own::entry as *const ()) },
            real: &$own::REAL,
        }),*];
    };
}

starts! {
    GOMP_parallel GOMP_parallel_sections GOMP_parallel_loop_static GOMP_parallel_loop_dynamic
    GOMP_parallel_loop_guided GOMP_parallel_loop_runtime GOMP_parallel_loop_nonmonotonic_dynamic
    GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_loop_nonmonotonic_runtime
    GOMP_parallel_loop_maybe_nonmonotonic_runtime
}

waits! {
    barriers: GOMP_barrier GOMP_barrier_cancel GOMP_loop_end GOMP_loop_end_cancel GOMP_sections_end
        GOMP_sections_end_cancel GOMP_single_copy_start;
    locks: GOMP_critical_start GOMP_critical_name_start GOMP_atomic_start GOMP_ordered_start omp_set_lock omp_set_nest_lock
        omp_set_lock_ omp_set_nest_lock_;
}

tasks! { GOMP_task GOMP_taskloop GOMP_taskloop_ull }

entries! {
    GOMP_parallel GOMP_parallel_sections GOMP_parallel_loop_static GOMP_parallel_loop_dynamic
    GOMP_parallel_loop_guided GOMP_parallel_loop_runtime GOMP_parallel_loop_nonmonotonic_dynamic
    GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_loop_nonmonotonic_runtime
    GOMP_parallel_loop_maybe_nonmonotonic_runtime GOMP_barrier GOMP_barrier_cancel GOMP_loop_end GOMP_loop_end_cancel
    GOMP_sections_end GOMP_sections_end_cancel GOMP_single_copy_start GOMP_critical_start GOMP_critical_name_start
    GOMP_atomic_start GOMP_ordered_start omp_set_lock omp_set_nest_lock omp_set_lock_ omp_set_nest_lock_ GOMP_task
    GOMP_taskloop GOMP_taskloop_ull
}

/// Starts a team, which executes the body that the program passes.
#[inline(always)]
fn start(words: [usize; 8], real: &AtomicUsize) -> usize {
    let [function, data, threads, rest @ ..] = words;
    // SAFETY: the address of the function that the program has called, which gets all words that it was passed.
    let call = |body: usize, data: usize| unsafe {
        let [d, e, f, g, h] = rest;
        std::mem::transmute::<usize, Start>(real.load(Relaxed))(body, data, threads, d, e, f, g, h)
    };
    // SAFETY: the first two words are the region's body and its data.
    let body = unsafe { Body::of(function, data) };
    if let Some(outer) = team_threads::place() {
        let team = InnerTeam { body, outer };
        return call(team_threads::execute_inside as *const () as usize, &raw const team as usize);
    }
    let recorded = current::thread().filter(|thread| thread.may_begin_team() && !IS_OVER.load(Relaxed));
    let Some((thread, begun)) = recorded.and_then(|thread| Some((thread, begin_region(thread, function)?))) else {
        return call(function, data);
    };
    let team = Team { body, begun, threads: AtomicUsize::new(0) };
    let result = call(team_threads::execute as *const () as usize, &raw const team as usize);
    end_region(thread, &team);
    result
}

/// Begins a region with this body. Inlined, since the frame is the wrapper's.
#[inline(always)]
fn begin_region(thread: &Thread, body: usize) -> Option<BegunTeam> {
    thread.work_from(abandoned::frame());
    // Sites are addresses behind an instruction. The body's first one is at the line of the region's begin; the call that
    // starts the team often has the line of what stands before it.
    let begun = site_number(thread, CallSite::from_word(body + 1)).and_then(|number| thread.begin_team(number));
    thread.rest_outside();
    begun
}

/// Ends a region. In a forked child, and where a call of MPI is open that was left by longjmp, nothing is recorded.
#[inline(always)]
fn end_region(thread: &Thread, team: &Team) {
    if thread.is_at_work() {
        return;
    }
    thread.work(true);
    thread.end_team(team.begun, team.threads.load(Relaxed));
    thread.work(false);
}

/// The number of a call site with its path.
#[inline(always)]
fn site_number(thread: &Thread, site: CallSite) -> Option<u32> {
    match thread.on_known_path(site) {
        Some(known) => shared::known_site(known.address() as u64).or_else(|| new_site(thread, site)),
        None => new_site(thread, site),
    }
}

#[cold]
#[inline(never)]
fn new_site(thread: &Thread, site: CallSite) -> Option<u32> {
    guard::run(|| {
        let mut shared = shared::lock();
        let on_path = match thread.on_known_path(site) {
            Some(known) => known,
            None => thread.unwind_from_outside(&mut shared, site),
        };
        let address = on_path.address() as u64;
        let known = shared::known_site(address);
        Some(known.unwrap_or_else(|| shared.add_site(address, |_| None)))
    })
    .flatten()
}
