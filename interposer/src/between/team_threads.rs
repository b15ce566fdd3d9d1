//! The threads of a team: each executes the program's region between two readings of the clock, in its place of the team.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

use super::openmp_runtime;
use crate::clock;
use crate::recorder::thread::team_places::{BegunTeam, TeamPlace};
use crate::thread_words::thread_words;

thread_words!("overhear_team_place", 8);

/// The body of a parallel region, with its data.
#[derive(Clone, Copy)]
pub struct Body {
    function: Function,
    data: *mut c_void,
}

type Function = unsafe extern "C-unwind" fn(*mut c_void);

impl Body {
    /// The body by the two words that the program passes.
    ///
    /// # Safety
    /// The first must be the address of a function that takes the second.
    #[inline(always)]
    pub unsafe fn of(function: usize, data: usize) -> Body {
        // SAFETY: the caller's promise.
        Body { function: unsafe { std::mem::transmute::<usize, Function>(function) }, data: data as *mut c_void }
    }

    #[inline(always)]
    fn run(self) {
        // SAFETY: the program has passed both to the runtime, for the team's threads to call.
        unsafe { (self.function)(self.data) }
    }
}

/// A team that executes a region that is recorded. It is on the stack of the thread that has started it.
pub struct Team {
    pub body: Body,
    pub begun: BegunTeam,
    /// The number of threads, as the first of them knows it.
    pub threads: AtomicUsize,
}

/// The place of the calling thread, if it executes a region that is recorded.
#[inline(always)]
pub fn place() -> Option<&'static TeamPlace> {
    // SAFETY: the word is null or the address of a place, which is never freed.
    unsafe { words().cast::<*const TeamPlace>().read().as_ref() }
}

fn set_place(place: *const TeamPlace) {
    // SAFETY: this thread's word.
    unsafe { words().cast::<*const TeamPlace>().write(place) };
}

/// What each thread of a recorded team runs in place of the region's body.
pub unsafe extern "C-unwind" fn execute(team: *mut c_void) {
    // SAFETY: the wrapper has passed its team, which stays until all threads have returned from here.
    let team = unsafe { &*team.cast::<Team>() };
    let number = openmp_runtime::thread_number();
    if number == 0 {
        team.threads.store(openmp_runtime::team_size(), Relaxed);
    }
    let Some(own) = team.begun.places.get(number) else { return team.body.run() };
    for field in [&own.barriers, &own.locks, &own.mixed] {
        field.store(0, Relaxed);
    }
    set_place(own);
    let begin = clock::now();
    team.body.run();
    own.busy.store(clock::now().wrapping_sub(begin), Relaxed);
    set_place(std::ptr::null());
    own.region.store(team.begun.start, Release);
}

/// A team inside another.
pub struct InnerTeam {
    pub body: Body,
    pub outer: &'static TeamPlace,
}

/// What each thread of a team inside another runs in place of the region's body.
pub unsafe extern "C-unwind" fn execute_inside(team: *mut c_void) {
    // SAFETY: as above.
    let team = unsafe { &*team.cast::<InnerTeam>() };
    // A team of one thread is the outer team's thread at work.
    if openmp_runtime::thread_number() == 0 && openmp_runtime::team_size() > 1 {
        team.outer.mixed.store(1, Relaxed);
    }
    team.body.run();
}

/// Makes a call in which the calling thread may wait, and adds its time to this field of its place.
#[inline(always)]
pub fn waiting<R>(field: impl FnOnce(&TeamPlace) -> &AtomicU64, real: impl FnOnce() -> R) -> R {
    let Some(own) = place() else { return real() };
    let field = field(own);
    let begin = clock::now();
    let result = real();
    field.store(field.load(Relaxed).wrapping_add(clock::now().wrapping_sub(begin)), Relaxed);
    result
}
