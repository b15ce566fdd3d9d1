//! The activity of the MPI library's progress engine, in a ledger for each thread.
//!
//! In: calls of the engine's own functions, intercepted by [`openmpi`], [`ucx`] and [`libfabric`], and the system calls
//! made inside MPI, intercepted by [`sockets`]. Out: a line for each component in the thread's block, a record of the
//! activity during each MPI call behind the call's record, and events for entries.
//!
//! An entry is the outermost of these calls: `opal_progress`, the UCX worker that it progresses, or a bare `epoll_wait`
//! if nothing else of the engine can be intercepted. It is productive if a component reported events or bytes moved.

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
use crate::recorder::thread::engine::{Engine, Line, NOT_ENTERED, SAMPLED, UNMEASURED};
use crate::recorder::thread::slots;

/// The depth that the user asked for, as a number of [`Depth`].
static ASKED: AtomicU32 = AtomicU32::new(Depth::Off as u32);
static LINES_TAKEN: AtomicU32 = AtomicU32::new(FIRST_COMPONENT as u32);

/// Begins to record the engine at the depth that the user asked for.
pub fn begin(depth: Depth) {
    shared::define(&Definition::Progress(depth as u32));
    ASKED.store(depth as u32, Release);
    HERE.depth.store(depth as u32, Release);
    if depth != Depth::Off {
        sockets::begin();
    }
}

/// Also intercepts the components that MPI has loaded while it was initialized.
pub fn ready() {
    if is_on() {
        sockets::begin();
        openmpi::ready();
        ucx::ready();
    }
}

/// Does work of the recorder without recording the engine's activity meanwhile.
pub fn unheard<R>(work: impl FnOnce() -> R) -> R {
    HERE.depth.store(Depth::Off as u32, Release);
    let result = work();
    HERE.depth.store(ASKED.load(Acquire), Release);
    result
}

/// Makes `times` empty entries of this many parts each, inside a call, to measure the cost of counting them. Returns the
/// ticks of all.
#[inline(never)]
pub fn rehearse(thread: &Thread, times: u32, parts: u64) -> u64 {
    let begin = thread.enter(0);
    for _ in 0..times {
        rehearse_entry(thread, parts, 0);
    }
    let ticks = clock::now() - begin;
    thread.left_to_program();
    ticks
}

/// Makes an entry of this many parts, which achieves as many `events`.
#[inline(never)]
pub fn rehearse_entry(thread: &Thread, parts: u64, events: u64) {
    let heard = Heard { thread, depth: ASKED.load(Relaxed) };
    let part = || entry(heard, FIRST_COMPONENT + 1, || std::hint::black_box(()), |_| Achieved::events(0));
    let all = || (0..std::hint::black_box(parts)).for_each(|_| part());
    entry(heard, FIRST_COMPONENT, all, |_| Achieved::events(events));
}

pub fn is_on() -> bool {
    ASKED.load(Relaxed) != Depth::Off as u32
}

/// An intercepted component. It gets a line in the ledgers when it is first called.
pub struct Listener {
    line: AtomicU32,
}

impl Listener {
    /// A component without a line yet.
    pub const fn new() -> Listener {
        Listener { line: AtomicU32::new(0) }
    }

    /// The number of its line; `None` if all lines are taken.
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

/// The result of a call of a component.
pub struct Achieved {
    /// Events, completions or bytes that it reported.
    pub events: u64,
    /// Descriptors ready to receive and to send.
    pub ready: (u64, u64),
    /// True if the call makes the entry around it productive. A socket that is ready has not moved a byte yet.
    pub counts: bool,
}

impl Achieved {
    /// A number of events, which make the entry around productive.
    #[inline(always)]
    pub fn events(events: u64) -> Achieved {
        Achieved { events, ready: (0, 0), counts: events > 0 }
    }
}

/// A thread whose engine is recorded.
#[derive(Clone, Copy)]
pub struct Heard<'a> {
    thread: &'a Thread,
    /// A number of [`Depth`], above [`Off`](Depth::Off).
    depth: u32,
}

impl Heard<'_> {
    #[inline(always)]
    fn is_timed(self) -> bool {
        self.depth >= Depth::Time as u32
    }

    /// True if the thread is inside an entry whose parts are not timed.
    #[inline(always)]
    pub fn is_unmeasured(self) -> bool {
        self.thread.engine.state.get() == UNMEASURED
    }
}

/// The calling thread, if its engine is recorded. The recording of a thread that has not called MPI begins here.
#[inline(always)]
pub fn heard() -> Option<Heard<'static>> {
    let depth = HERE.depth.load(Relaxed);
    if depth == Depth::Off as u32 {
        return None;
    }
    let thread = match current::thread() {
        None => joined(),
        thread => thread,
    };
    thread.map(|thread| Heard { thread, depth })
}

#[cold]
#[inline(never)]
fn joined() -> Option<&'static Thread> {
    slots::join()
}

/// The calling thread, if its engine is recorded and it is inside MPI or the engine.
#[inline(always)]
pub fn heard_inside() -> Option<Heard<'static>> {
    let thread = current::thread().filter(|thread| thread.nested() || thread.engine.state.get() != NOT_ENTERED)?;
    let depth = HERE.depth.load(Relaxed);
    (depth != Depth::Off as u32).then_some(Heard { thread, depth })
}

/// Makes a call of the engine or of a part of it, which is an entry if it is the outermost one.
#[inline(always)]
pub fn entry<R>(heard: Heard, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    match heard.thread.engine.state.get() {
        NOT_ENTERED => outermost(heard, line, true, real, came),
        UNMEASURED => inner(heard, line, real, came),
        start => timed_inner(heard, line, SAMPLED, start, real, came),
    }
}

/// Like [`entry`], for a system call: it takes longer than reading the clock, so it is always timed.
#[inline(always)]
pub fn system_entry<R>(heard: Heard, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    match heard.thread.engine.state.get() {
        NOT_ENTERED => outermost(heard, line, false, real, came),
        _ => timed_inner(heard, line, 1, if heard.is_timed() { clock::now() } else { 0 }, real, came),
    }
}

/// Makes the outermost call of the engine.
///
/// Reading the clock takes as long as a `brief` entry that finds nothing. So the end of such an entry inside a call is
/// not read: it lasts until the next entry, or until the call ends.
#[inline(always)]
fn outermost<R>(
    heard: Heard,
    line: usize,
    brief: bool,
    real: impl FnOnce() -> R,
    came: impl FnOnce(&R) -> Achieved,
) -> R {
    let Heard { thread, .. } = heard;
    let engine = &thread.engine;
    let Some(own) = engine.line(line) else { return real() };
    let before = engine.achieved.get();
    let start = match heard.is_timed() {
        false => 0,
        true if brief => thread.entry_begins(),
        true => {
            let now = clock::now();
            thread.end_entry(now);
            now
        }
    };
    engine.enters(line, start);
    let result = real();
    // If the stack was suspended meanwhile, other calls may have entered: restore the state from before this one.
    engine.state.set(NOT_ENTERED);
    let productive = has_achieved(engine, own, before, &came(&result));
    own.count_call();
    if brief && !productive && heard.is_timed() && thread.nested() && !thread.is_at_work() {
        engine.entries_line(true).count_call();
        engine.ended(start);
        engine.is_unended(start);
        thread.has_entries(true);
        return result;
    }
    let end = if heard.is_timed() { clock::now() } else { start };
    own.took(end.wrapping_sub(start));
    if productive {
        own.achieved();
        engine.achiever_took(end.wrapping_sub(start));
    }
    if !thread.is_at_work() {
        record_entry(heard, productive, start, end);
    }
    result
}

/// Makes a call of a part of the engine inside an entry whose parts are not timed. One entry of several is timed and
/// stands for the others; a productive part is given the time of the entry.
#[inline(always)]
pub fn inner<R>(heard: Heard, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    let engine = &heard.thread.engine;
    let Some(own) = engine.line(line) else { return real() };
    let before = engine.achieved.get();
    let result = real();
    own.count_call();
    if has_achieved(engine, own, before, &came(&result)) {
        own.achieved();
        engine.achiever.set(line as u32);
    }
    result
}

/// Makes a call of a part of the engine, timed from `start` on; the time of an unproductive one counts `times` times.
#[inline(always)]
pub fn timed_inner<R>(
    heard: Heard,
    line: usize,
    times: u64,
    start: u64,
    real: impl FnOnce() -> R,
    came: impl FnOnce(&R) -> Achieved,
) -> R {
    let engine = &heard.thread.engine;
    let Some(own) = engine.line(line) else { return real() };
    let before = engine.achieved.get();
    // Of nested calls only the outermost is timed.
    let first = engine.enters_part(line);
    let result = real();
    let end = if heard.is_timed() { clock::now() } else { start };
    let productive = has_achieved(engine, own, before, &came(&result));
    let ticks = if first { end.wrapping_sub(start) } else { 0 };
    own.count(if productive { ticks } else { ticks * times });
    if productive {
        own.achieved();
    }
    if first {
        engine.leaves_part(line);
    }
    engine.goes_on(end);
    result
}

/// True if a call of a component was productive, itself or by a call inside it.
#[inline(always)]
fn has_achieved(engine: &Engine, line: Line, before: u64, achieved: &Achieved) -> bool {
    if achieved.events > 0 {
        line.reported(achieved.events, achieved.ready);
        engine.achieved.set(engine.achieved.get() + achieved.counts as u64);
    }
    // Events count even if `counts` is false: around a bare wait for descriptors nothing could move the bytes.
    achieved.events > 0 || engine.achieved.get() != before
}

/// Counts an entry, and records the events that it makes.
#[inline(always)]
fn record_entry(Heard { thread, depth }: Heard, productive: bool, start: u64, end: u64) {
    let nested = thread.nested();
    let line = thread.engine.entries_line(nested);
    line.count(end.wrapping_sub(start));
    thread.has_entries(nested);
    thread.engine.ended(end);
    if productive {
        line.achieved();
        line.reported(end.wrapping_sub(start), (0, 0));
    }
    if depth >= Depth::Events as u32 && (productive || !nested) {
        thread.work(true);
        if productive {
            thread.achieved(start, end);
        }
        if !nested {
            thread.entered_outside(start, end);
        }
        thread.work(false);
    }
}

/// Makes a call that moves data, which is always part of an entry and never one itself.
#[inline(always)]
pub fn part<R>(heard: Heard, line: usize, real: impl FnOnce() -> R, came: impl FnOnce(&R) -> Achieved) -> R {
    let engine = &heard.thread.engine;
    let Some(own) = engine.line(line) else { return real() };
    let start = if heard.is_timed() { clock::now() } else { 0 };
    if engine.state.get() == NOT_ENTERED {
        heard.thread.end_entry(start);
    }
    let result = real();
    let ticks = if heard.is_timed() { clock::now().wrapping_sub(start) } else { 0 };
    own.count(ticks);
    let achieved = came(&result);
    if achieved.counts {
        own.achieved();
        own.reported(achieved.events, (0, 0));
        engine.achieved.set(engine.achieved.get() + 1);
    }
    result
}
