//! What the progress engine did: one ledger for each thread, filled by the ways in.
//!
//! In: calls of the engine's own functions, seen by [`openmpi`], [`ucx`] and [`libfabric`], and the system calls made
//! inside MPI, seen by [`sockets`]. Out: a line for each component in the thread's block, what happened during each MPI
//! call behind its record, and entries over time as events.
//!
//! An entry is the outermost of these calls: `opal_progress`, the UCX worker it turns, or a bare `epoll_wait` where
//! nothing else of the engine can be seen. It was productive if a component reported events or bytes moved.

pub mod intel;
pub mod libfabric;
pub mod openmpi;
pub mod sockets;
pub mod ucx;

use std::sync::atomic::{AtomicU32, Ordering::*};

use traces::definitions::{Component, Definition, Interception};
use traces::progress::{Depth, FIRST_COMPONENT, LINES};

use crate::clock;
use crate::recorder::file::shared;
use crate::recorder::guard;
use crate::recorder::process::forked::HERE;
use crate::recorder::thread::Thread;
use crate::recorder::thread::current;
use crate::recorder::thread::slots;

/// How much was asked for, as a number of [`Depth`].
static ASKED: AtomicU32 = AtomicU32::new(Depth::Off as u32);
static LINES_TAKEN: AtomicU32 = AtomicU32::new(FIRST_COMPONENT as u32);

/// Begins to listen, as much as was asked for.
pub fn begin(depth: Depth) {
    shared::define(&Definition::Progress(depth as u32));
    ASKED.store(depth as u32, Release);
    HERE.depth.store(depth as u32, Release);
    if depth != Depth::Off {
        sockets::begin();
    }
}

/// MPI was initialized: what it has loaded meanwhile is listened to as well.
pub fn ready() {
    if is_on() {
        sockets::begin();
        openmpi::ready();
        ucx::ready();
    }
}

/// Does what the engine may be turned for that is not the program's doing.
pub fn unheard<R>(work: impl FnOnce() -> R) -> R {
    HERE.depth.store(Depth::Off as u32, Release);
    let result = work();
    HERE.depth.store(ASKED.load(Acquire), Release);
    result
}

/// Makes `times` entries that do nothing, to measure what listening costs. Returns ticks.
#[inline(never)]
pub fn rehearse(thread: &Thread, times: u32) -> u64 {
    let begin = clock::now();
    for _ in 0..times {
        entry(thread, FIRST_COMPONENT, || std::hint::black_box(()), |_| Achieved::events(0));
    }
    clock::now() - begin
}

/// Whether anything is to be recorded.
pub fn is_on() -> bool {
    ASKED.load(Relaxed) != Depth::Off as u32
}

/// Something that is listened to. It gets a line in the ledgers when it is first called.
pub struct Listener {
    line: AtomicU32,
}

impl Listener {
    /// Without a line yet.
    pub const fn new() -> Listener {
        Listener { line: AtomicU32::new(0) }
    }

    /// The number of its line; `None` where all are taken.
    #[inline(always)]
    pub fn line(&self, describe: impl FnOnce() -> (Interception, String)) -> Option<usize> {
        match self.line.load(Relaxed) as usize {
            0 => self.take(describe),
            line if line < LINES => Some(line),
            _ => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn take(&self, describe: impl FnOnce() -> (Interception, String)) -> Option<usize> {
        guard::run(|| {
            let mut shared = shared::lock();
            // Another thread may have been here meanwhile.
            if self.line.load(Relaxed) == 0 {
                let number = LINES_TAKEN.load(Relaxed).min(LINES as u32);
                if number < LINES as u32 {
                    let (way, name) = describe();
                    shared.define(&Definition::Component(Component { number, way, name }));
                    LINES_TAKEN.store(number + 1, Relaxed);
                }
                self.line.store(number, Relaxed);
            }
        });
        Some(self.line.load(Relaxed) as usize).filter(|line| (1..LINES).contains(line))
    }
}

/// What a call of a component came to.
pub struct Achieved {
    /// What it reported: events, completions, bytes.
    pub events: u64,
    /// Descriptors ready to receive and to send.
    pub ready: (u64, u64),
    /// Whether it achieved something for the call of the engine around it. A socket that is ready has not moved a
    /// byte yet.
    pub counts: bool,
}

impl Achieved {
    /// So many events, each of which counts.
    #[inline(always)]
    pub fn events(events: u64) -> Achieved {
        Achieved { events, ready: (0, 0), counts: events > 0 }
    }
}

/// The thread whose engine this is; of a thread that has not called MPI, its recording begins here.
#[inline(always)]
pub fn engine_thread() -> Option<&'static Thread> {
    if HERE.depth.load(Relaxed) == Depth::Off as u32 {
        return None;
    }
    match current::thread() {
        None => joined(),
        thread => thread,
    }
}

#[cold]
#[inline(never)]
fn joined() -> Option<&'static Thread> {
    slots::join()
}

/// Makes a call of the engine, or of a part of it that is an entry where nothing else of it is around.
#[inline(always)]
pub fn entry<R>(thread: &Thread, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    timed_entry::<R, false>(thread, line, real, came)
}

/// The same of a part that the engine calls before it does anything else, or right behind another: it begins when the clock was
/// last read. Reading it takes as long as a part that finds nothing.
#[inline(always)]
pub fn next_entry<R>(thread: &Thread, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    timed_entry::<R, true>(thread, line, real, came)
}

#[inline(always)]
fn timed_entry<R, const FOLLOWS: bool>(
    thread: &Thread,
    line: usize,
    real: impl FnOnce() -> R,
    came: impl FnOnce(&R) -> Achieved,
) -> R {
    let engine = &thread.engine;
    let Some(component) = engine.component(line) else { return real() };
    let depth = HERE.depth.load(Relaxed);
    let timed = depth >= Depth::Time as u32;
    let before = engine.achieved.get();
    // An entry whose stack is suspended ends as it began, whatever has been entered meanwhile.
    let (outermost, first) = (!engine.is_entered.replace(true), !component.inside.replace(true));
    let follows = FOLLOWS && !outermost;
    let start = if timed && !follows { clock::now() } else { engine.read.get() };
    engine.read.set(start);
    let result = real();
    let end = if timed { clock::now() } else { start };
    engine.read.set(end);
    if first {
        component.inside.set(false);
    }
    if outermost {
        engine.is_entered.set(false);
    }
    let ticks = end.wrapping_sub(start);
    let achieved = came(&result);
    component.line.reported(achieved.events, achieved.ready);
    engine.achieved.set(engine.achieved.get() + achieved.counts as u64);
    let moved = engine.achieved.get() != before;
    // A bare wait for descriptors has nothing around it that could move the bytes.
    let productive = moved || achieved.events > 0;
    component.line.count(productive, if first { ticks } else { 0 });
    if outermost && !thread.is_at_work() {
        thread.work(true);
        outermost_entry(thread, productive, start, end, depth);
        thread.work(false);
    }
    result
}

#[inline(always)]
fn outermost_entry(thread: &Thread, productive: bool, start: u64, end: u64, depth: u32) {
    let nested = thread.nested();
    let line = thread.engine.entries_line(nested);
    let ticks = end.wrapping_sub(start);
    line.count(productive, ticks);
    if productive {
        line.reported(ticks, (0, 0));
    }
    thread.has_more();
    thread.engine.last.set(end);
    if depth >= Depth::Events as u32 {
        if productive {
            thread.achieved(start, end);
        }
        if !nested {
            thread.entered_outside(start, end);
        }
    }
}

/// Makes a call that is part of an entry but none itself: data that moves.
#[inline(always)]
pub fn part<R>(thread: &Thread, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    let Some(component) = thread.engine.component(line) else { return real() };
    let timed = HERE.depth.load(Relaxed) >= Depth::Time as u32;
    let start = if timed { clock::now() } else { 0 };
    let result = real();
    let ticks = if timed { clock::now().wrapping_sub(start) } else { 0 };
    let achieved = came(&result);
    thread.engine.achieved.set(thread.engine.achieved.get() + achieved.counts as u64);
    component.line.reported(achieved.events, (0, 0));
    component.line.count(achieved.counts, ticks);
    result
}

/// The calling thread, where it is inside MPI or its engine and that is not to be left [`unheard`].
#[inline(always)]
pub fn thread_inside() -> Option<&'static Thread> {
    let thread = current::thread().filter(|thread| thread.nested() || thread.engine.is_entered.get())?;
    (HERE.depth.load(Relaxed) != Depth::Off as u32).then_some(thread)
}
