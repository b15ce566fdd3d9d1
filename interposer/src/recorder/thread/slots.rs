//! The recordings of a process's threads, and who takes over those whose threads have ended.
//!
//! A recording is large and holds pages of the file, so there are no more than threads were alive at once. The thread that
//! takes one over goes on with its number, its dictionary and its requests: what the one before began may still be
//! completed, by any thread.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use traces::file::{Mode, Stop};

use super::current;
use super::profile::Profile;
use super::recording::Thread;
use super::request::{Message, Request};
use crate::recorder::file::pages::Output;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::guard::spent;
use crate::recorder::process::forked;
use recorder_core::handles::Handles;

static THREADS: AtomicPtr<Thread> = AtomicPtr::new(null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);

/// What holds for all threads.
struct ForAllThreads {
    mode: Mode,
    /// What has the system tell us when a thread ends. `None` where it has no more of these: then nothing is taken over.
    ends: Option<libc::pthread_key_t>,
}

static BEGUN: OnceLock<ForAllThreads> = OnceLock::new();

/// Recording begins.
pub fn begin(mode: Mode) {
    BEGUN.get_or_init(|| {
        let mut key = 0;
        // SAFETY: makes a key, into `key`.
        let made = unsafe { libc::pthread_key_create(&mut key, Some(ended)) };
        ForAllThreads { mode, ends: (made == 0).then_some(key) }
    });
}

/// The recording of a thread that has not called MPI and does its work.
pub fn join() -> Option<&'static mut Thread> {
    if forked::is_recording() { begin_thread() } else { None }
}

/// The calling thread's recording begins. `None` where there is no memory for it.
pub fn begin_thread() -> Option<&'static mut Thread> {
    let begun = guard::run(|| {
        let output = shared::output()?;
        match occupy(output, BEGUN.get()?) {
            Ok(thread) => current::set(thread.as_ptr()),
            Err(stop) => shared::stopped(stop),
        }
        current::thread()
    });
    begun.flatten()
}

/// A recording for the calling thread, which has none.
fn occupy(output: &Output, begun: &ForAllThreads) -> Result<NonNull<Thread>, Stop> {
    let thread = match vacant() {
        Some(thread) => thread,
        None => add(Thread::begin(output, COUNT.fetch_add(1, Relaxed), begun.mode).ok_or(Stop::NoMemory)?),
    };
    // SAFETY: a field of the header, which only atomic operations touch.
    unsafe { AtomicU64::from_ptr(&raw mut output.header().threads) }.fetch_max(COUNT.load(Relaxed).into(), Relaxed);
    // SAFETY: the thread is not listed as vacant any more, so it is this one's alone.
    unsafe {
        (*thread.as_ptr()).live();
        spent::keep_in((*thread.as_ptr()).off_line());
    }
    if let Some(key) = begun.ends {
        // SAFETY: the key was made and is never deleted.
        unsafe { libc::pthread_setspecific(key, thread.as_ptr().cast()) };
    }
    Ok(thread)
}

/// Numbers and request tables of all recordings.
pub fn tables() -> impl Iterator<Item = (u32, &'static Handles<Request>)> {
    // SAFETY: threads are never freed, and neither their number nor the place of their table ever changes.
    all().map(|thread| unsafe { &*thread.as_ptr() }).map(|thread| (thread.number, thread.requests))
}

/// Messages that threads have probed for and not received.
pub fn messages() -> impl Iterator<Item = &'static Handles<Message>> {
    // SAFETY: threads are never freed, and the place of their table never changes.
    all().map(|thread| unsafe { &*thread.as_ptr() }).map(|thread| thread.messages)
}

/// The most words of records and calls in profiles that all threads together have; what they are adding now may be
/// missing.
pub fn calls() -> u64 {
    // SAFETY: threads are never freed; a count that is being changed is read before or after.
    all().map(|thread| unsafe { &*thread.as_ptr() }).map(|thread| thread.calls()).sum()
}

/// Ticks that all threads together spent off the straight line.
pub fn off_line() -> u64 {
    // SAFETY: as above; blocks live as long as the process.
    all().map(|thread| unsafe { AtomicU64::from_ptr((*thread.as_ptr()).off_line()).load(Relaxed) }).sum()
}

/// Sets the profiles of all threads back to nothing.
pub fn forget_profiles() {
    // SAFETY: as above.
    all().filter_map(|thread| unsafe { &*thread.as_ptr() }.profile.as_ref()).for_each(Profile::forget);
}

/// Entries into the progress engine that all threads together have made.
pub fn entries() -> u64 {
    // SAFETY: as above.
    all().map(|thread| unsafe { &*thread.as_ptr() }).map(|thread| thread.engine.all_entries()).sum()
}

fn all() -> impl Iterator<Item = NonNull<Thread>> {
    let mut next = THREADS.load(Acquire);
    std::iter::from_fn(move || {
        let thread = NonNull::new(next)?;
        // SAFETY: threads are never freed, and `next` is set before a thread is listed.
        next = unsafe { (*next).slot.next };
        Some(thread)
    })
}

/// The recording of a thread that has ended.
fn vacant() -> Option<NonNull<Thread>> {
    let takes = |thread: &NonNull<Thread>| {
        // SAFETY: threads are never freed.
        let vacant = unsafe { &(*thread.as_ptr()).slot.vacant };
        vacant.compare_exchange(true, false, Acquire, Relaxed).is_ok()
    };
    all().find(takes)
}

fn add(thread: NonNull<Thread>) -> NonNull<Thread> {
    let mut head = THREADS.load(Relaxed);
    loop {
        // SAFETY: just made, and known to nobody else yet.
        unsafe { (*thread.as_ptr()).slot.next = head };
        match THREADS.compare_exchange(head, thread.as_ptr(), Release, Relaxed) {
            Ok(_) => return thread,
            Err(other) => head = other,
        }
    }
}

/// A thread ends. What calls MPI after this, when other libraries clean up, takes a recording again, and the system comes
/// here once more.
unsafe extern "C" fn ended(thread: *mut c_void) {
    let thread = thread.cast::<Thread>();
    // In a forked child it is its parent's, whose file is none of the child's business.
    if !forked::is_recording() || !std::ptr::eq(current::address(), thread) {
        return;
    }
    // SAFETY: threads are never freed, and this one is the caller's own until it is vacant.
    unsafe {
        guard::run(|| (*thread).end());
        spent::keep_in(null_mut());
        current::set(null_mut());
        (*thread).slot.vacant.store(true, Release);
    }
}
