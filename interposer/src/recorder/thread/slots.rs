//! The recordings of a process's threads, and who takes over those whose threads have ended.
//!
//! A recording is large and holds pages of the file, so there are no more than threads were alive at once. The thread that
//! takes one over goes on with its number, its dictionary and its requests: what the one before began may still be
//! completed, by any thread.

use std::ffi::c_void;
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

use traces::file::{Mode, Stop};

use super::current;
use super::recording::{Listed, Thread};
use super::request::{Message, Request};
use crate::recorder::file::pages::Output;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::guard::spent;
use crate::recorder::process::forked;
use recorder_core::handles::Handles;

static THREADS: AtomicPtr<Thread> = AtomicPtr::new(null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);

/// How often a thread is asked that turns its page meanwhile.
const TRIES: u32 = 100;

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
pub fn join() -> Option<&'static Thread> {
    if forked::is_recording() { begin_thread() } else { None }
}

/// The calling thread's recording begins. `None` where there is no memory for it.
pub fn begin_thread() -> Option<&'static Thread> {
    let begun = guard::run(|| {
        let output = shared::output()?;
        match occupy(output, BEGUN.get()?) {
            Ok(thread) => current::set(thread),
            Err(stop) => shared::stopped(stop),
        }
        current::thread()
    });
    begun.flatten()
}

/// A recording for the calling thread, which has none.
fn occupy(output: &Output, begun: &ForAllThreads) -> Result<&'static Thread, Stop> {
    let thread = match vacant() {
        Some(thread) => thread,
        None => add(Thread::begin(output, COUNT.fetch_add(1, Relaxed), begun.mode).ok_or(Stop::NoMemory)?),
    };
    output.header().threads(COUNT.load(Relaxed).into());
    // SAFETY: never freed, and not listed as vacant any more, so it is this thread's.
    let own: &'static Thread = unsafe { thread.as_ref() };
    own.live();
    spent::keep_in(own.block.off_line());
    if let Some(key) = begun.ends {
        // SAFETY: the key was made and is never deleted.
        unsafe { libc::pthread_setspecific(key, thread.as_ptr().cast()) };
    }
    Ok(own)
}

/// Numbers and request tables of all recordings.
pub fn tables() -> impl Iterator<Item = (u32, &'static Handles<Request>)> {
    all().map(listed).map(|thread| (thread.number, thread.requests))
}

/// Messages that threads have probed for and not received.
pub fn messages() -> impl Iterator<Item = &'static Handles<Message>> {
    all().map(listed).map(|thread| thread.messages)
}

/// The most words of records and calls in profiles that all threads together have; what they are adding now may be
/// missing.
pub fn calls() -> u64 {
    let words = |thread: NonNull<Thread>| {
        // SAFETY: threads are never freed, and any may ask this one how much was written.
        let written = unsafe { &(*thread.as_ptr()).events.pages.cursor.written };
        (0..TRIES).find_map(|_| written.words()).unwrap_or(0)
    };
    all().map(|thread| words(thread) + listed(thread).profiled.load(Relaxed)).sum()
}

/// Ticks that all threads together spent off the straight line.
pub fn off_line() -> u64 {
    all().map(|thread| listed(thread).off_line.load(Relaxed)).sum()
}

/// Entries into the progress engine that all threads together have made.
pub fn entries() -> u64 {
    all().map(|thread| listed(thread).ledger.all_entries()).sum()
}

/// What any thread may ask of a recording.
fn listed(thread: NonNull<Thread>) -> &'static Listed {
    // SAFETY: threads are never freed, and nobody borrows this of one to change it.
    unsafe { &(*thread.as_ptr()).listed }
}

fn all() -> impl Iterator<Item = NonNull<Thread>> {
    let mut next = THREADS.load(Acquire);
    std::iter::from_fn(move || {
        let thread = NonNull::new(next)?;
        next = listed(thread).next.load(Relaxed);
        Some(thread)
    })
}

/// The recording of a thread that has ended.
fn vacant() -> Option<NonNull<Thread>> {
    all().find(|thread| listed(*thread).vacancy.take())
}

fn add(thread: NonNull<Thread>) -> NonNull<Thread> {
    let mut head = THREADS.load(Relaxed);
    loop {
        listed(thread).next.store(head, Relaxed);
        match THREADS.compare_exchange(head, thread.as_ptr(), Release, Relaxed) {
            Ok(_) => return thread,
            Err(other) => head = other,
        }
    }
}

/// A thread ends. What calls MPI after this, when other libraries clean up, takes a recording again, and the system comes
/// here once more.
unsafe extern "C" fn ended(thread: *mut c_void) {
    // In a forked child it is its parent's, whose file is none of the child's business.
    if !forked::is_recording() || !std::ptr::eq(current::address(), thread.cast()) {
        return;
    }
    if let Some(thread) = current::thread() {
        guard::run(|| thread.end());
        spent::keep_in(null_mut());
        current::set(null());
        thread.listed.vacancy.open();
    }
}
