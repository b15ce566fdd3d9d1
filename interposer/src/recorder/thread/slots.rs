//! The list of all recordings of a process, and the handover of those whose threads have ended.
//!
//! A recording is large and holds pages of the file, so there are no more than threads were alive at once. A thread
//! that takes one over keeps its number, its dictionary and its requests: any thread may still complete requests of the
//! one before.

use std::ffi::c_void;
use std::ptr::{NonNull, null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

use traces::file::{Mode, Stop};
use traces::progress::Entries;

use super::current;
use super::recording::{Listed, Thread};
use super::request::{Message, Request};
use super::samples;
use crate::recorder::file::pages::Output;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::guard::{borrowed, spent};
use crate::recorder::process::{forked, sampling};
use recorder_core::handles::Handles;

static THREADS: AtomicPtr<Thread> = AtomicPtr::new(null_mut());
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Attempts to read the words of a thread that is turning its page.
const TRIES: u32 = 100;

struct ForAllThreads {
    mode: Mode,
    /// The key whose destructor runs when a thread ends. `None` if the system has no more keys: then no recording is
    /// taken over.
    ends: Option<libc::pthread_key_t>,
}

static BEGUN: OnceLock<ForAllThreads> = OnceLock::new();

pub fn begin(mode: Mode) {
    BEGUN.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes `key`.
        let made = unsafe { libc::pthread_key_create(&mut key, Some(ended)) };
        ForAllThreads { mode, ends: (made == 0).then_some(key) }
    });
}

/// Begins the recording of a thread that works for MPI, or names regions, without having called MPI.
pub fn join() -> Option<&'static Thread> {
    if forked::is_recording() { begin_thread() } else { None }
}

/// Begins the calling thread's recording; `None` if there is no memory for it.
pub fn begin_thread() -> Option<&'static Thread> {
    let begun = guard::run(|| {
        let output = shared::output()?;
        match occupy(output, BEGUN.get()?) {
            Ok(thread) => current::set(thread),
            Err(stop) => shared::stopped(stop),
        }
        current::thread()
    });
    if sampling::is_on() {
        // The thread may have been created with all signals blocked. They come as soon as none is held.
        borrowed::unblock(sampling::signal());
    }
    begun.flatten()
}

/// Ends the sampling of all threads.
pub fn end_samples() {
    sampling::end();
    for thread in all() {
        listed(thread).timer.stop();
    }
}

/// Ends the sampling of all threads, since the program uses the signal. It may do so in a signal handler.
pub fn samples_give_way() {
    guard::run(end_samples);
    samples::GIVEN_WAY.say_later();
    if let Some(thread) = current::thread() {
        thread.has_more();
    }
}

/// Takes over a vacant recording for the calling thread, or makes one.
fn occupy(output: &Output, begun: &ForAllThreads) -> Result<&'static Thread, Stop> {
    let thread = match vacant() {
        Some(thread) => thread,
        None => add(Thread::begin(output, COUNT.fetch_add(1, Relaxed), begun.mode).ok_or(Stop::NoMemory)?),
    };
    output.header().threads(COUNT.load(Relaxed).into());
    // SAFETY: it is never freed, and no longer vacant, so only this thread has it.
    let own: &'static Thread = unsafe { thread.as_ref() };
    own.live();
    spent::keep_in(own.listed.off_line.as_ptr());
    if let Some(key) = begun.ends {
        // SAFETY: the key was made and is never deleted.
        unsafe { libc::pthread_setspecific(key, thread.as_ptr().cast()) };
    }
    Ok(own)
}

pub fn tables() -> impl Iterator<Item = (u32, &'static Handles<Request>)> {
    all().map(listed).map(|thread| (thread.number, thread.requests))
}

pub fn messages() -> impl Iterator<Item = &'static Handles<Message>> {
    all().map(listed).map(|thread| thread.messages)
}

/// Words of records of all threads: an upper bound of recorded calls, except for calls being added now.
pub fn words() -> u64 {
    let words = |thread: NonNull<Thread>| {
        // SAFETY: recordings are never freed, and any thread may read how much was written.
        let written = unsafe { &(*thread.as_ptr()).events.pages.cursor.written };
        (0..TRIES).find_map(|_| written.words()).unwrap_or(0)
    };
    all().map(words).sum()
}

/// Calls that the profiles of all threads have counted.
pub fn profiled() -> u64 {
    all().map(|thread| listed(thread).profiled.load(Relaxed)).sum()
}

/// Unsuccessful polls of all threads between which the program did nothing else.
pub fn idle_polls() -> u64 {
    all().map(|thread| listed(thread).idle_polls.load(Relaxed)).sum()
}

/// Ticks that all threads have spent off the straight line.
pub fn off_line() -> u64 {
    all().map(|thread| listed(thread).off_line.load(Relaxed)).sum()
}

/// Entries into the progress engine of all threads.
pub fn entries() -> Entries {
    let mut all_entries = Entries::default();
    for thread in all() {
        all_entries += listed(thread).ledger.all_entries();
    }
    all_entries
}

fn listed(thread: NonNull<Thread>) -> &'static Listed {
    // SAFETY: recordings are never freed, and this part of them is never borrowed mutably.
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

/// Takes the recording of a thread that has ended, if there is one.
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

/// Ends the recording of a thread that ends. If another library's cleanup calls MPI after this, the thread takes a
/// recording again, and the system calls this once more.
unsafe extern "C" fn ended(thread: *mut c_void) {
    // In a forked child the recording is its parent's.
    if !forked::is_recording() || !std::ptr::eq(current::address(), thread.cast()) {
        return;
    }
    if let Some(thread) = current::thread() {
        let is_whole = guard::run(|| thread.end()) == Some(true);
        spent::keep_in(null_mut());
        current::set(null());
        if is_whole {
            thread.listed.vacancy.open();
        }
    }
}
