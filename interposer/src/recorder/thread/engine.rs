//! What a thread sees of the progress engine.
//!
//! Hooks count here at any moment, also where they interrupt the recorder at work. So nothing here is ever borrowed.

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use traces::progress::{Entries, INSIDE, LINES, LedgerLine, OUTSIDE};

/// See the module.
pub struct Engine {
    ledger: Ledger,
    /// [`NOT_ENTERED`], [`UNMEASURED`], or in an entry whose parts are measured, when the last of them ended.
    pub state: Cell<u64>,
    /// Grows whenever something is achieved.
    pub achieved: Cell<u64>,
    /// Entries inside MPI calls that stand behind a record already.
    pub reported: Cell<Entries>,
    /// What stood in the ledger at the end of the last call that asked in vain.
    pub at_poll: Cell<Entries>,
    /// When the last entry ended, in the file: whoever looks at a thread that waits sees by it that the thread lives.
    last: LastEntry,
    /// The same if it achieved nothing; else 0.
    pub read: Cell<u64>,
    /// The most productive entries that are told as one.
    pub most: Cell<u64>,
    /// Entries so far.
    turns: Cell<u64>,
    /// The line of the entry under way.
    outermost: Cell<u32>,
    /// The line of the part that has achieved something in an entry whose parts are not measured; 0 for none.
    pub achiever: Cell<u32>,
    /// Which parts are measured already.
    inside: [Cell<bool>; LINES],
}

/// No entry is under way.
pub const NOT_ENTERED: u64 = 0;
/// One is whose parts are not measured.
pub const UNMEASURED: u64 = 1;
/// The parts of one entry in so many are measured.
pub const SAMPLED: u64 = 8;

impl Engine {
    /// With its ledger in a thread's block.
    pub fn new(ledger: Ledger, last: LastEntry) -> Engine {
        let none = Entries::default();
        Engine {
            ledger,
            state: Cell::new(NOT_ENTERED),
            achieved: Cell::new(0),
            reported: Cell::new(none),
            at_poll: Cell::new(none),
            last,
            read: Cell::new(0),
            most: Cell::new(1),
            turns: Cell::new(0),
            outermost: Cell::new(0),
            achiever: Cell::new(0),
            inside: [const { Cell::new(false) }; LINES],
        }
    }

    /// A line of the ledger, if there is such a line.
    #[inline(always)]
    pub fn line(&self, line: usize) -> Option<Line> {
        self.ledger.line(line)
    }

    /// An entry begins.
    #[inline(always)]
    pub fn enters(&self, line: usize, start: u64) {
        let turns = self.turns.get() + 1;
        self.turns.set(turns);
        self.state.set(if turns.is_multiple_of(SAMPLED) { start.max(UNMEASURED) } else { UNMEASURED });
        self.outermost.set(line as u32);
    }

    /// A part is called that is to be measured. `false` where a call around it is.
    pub fn enters_part(&self, line: usize) -> bool {
        self.outermost.get() as usize != line && self.inside.get(line).is_some_and(|inside| !inside.replace(true))
    }

    /// That has returned.
    pub fn leaves_part(&self, line: usize) {
        if let Some(inside) = self.inside.get(line) {
            inside.set(false);
        }
    }

    /// The next part of the entry, if they are measured, is from here on.
    #[inline(always)]
    pub fn goes_on(&self, end: u64) {
        if self.state.get() > UNMEASURED {
            self.state.set(end.max(UNMEASURED));
        }
    }

    /// The entry took so long in which a part has achieved something.
    #[inline(always)]
    pub fn achiever_took(&self, ticks: u64) {
        let achiever = self.achiever.replace(0) as usize;
        if achiever != 0
            && let Some(line) = self.ledger.line(achiever)
        {
            line.took(ticks);
        }
    }

    /// The line of entries inside MPI calls, or outside.
    #[inline(always)]
    pub fn entries_line(&self, inside: bool) -> Line {
        if inside { self.ledger.of::<INSIDE>() } else { self.ledger.of::<OUTSIDE>() }
    }

    /// An entry ended.
    #[inline(always)]
    pub fn ended(&self, at: u64) {
        // SAFETY: a field of the block, which only atomic operations touch.
        unsafe { field(self.last.0.as_ptr()) }.store(at, Relaxed);
    }

    /// When the last entry ended.
    pub fn last_ended(&self) -> u64 {
        // SAFETY: as above.
        unsafe { field(self.last.0.as_ptr()) }.load(Relaxed)
    }

    /// All entries inside MPI calls so far.
    #[inline(always)]
    pub fn entries(&self) -> Entries {
        // SAFETY: its thread reads, and nobody else writes.
        unsafe { (&raw const (*self.ledger.of::<INSIDE>().0.as_ptr()).calls).read() }
    }

    /// Whatever the thread was in will not return, or later.
    pub fn leave_all(&self) {
        self.state.set(NOT_ENTERED);
        for inside in &self.inside {
            inside.set(false);
        }
    }
}

/// Where a thread's block says when the last entry ended.
#[derive(Clone, Copy)]
pub struct LastEntry(NonNull<u64>);

// SAFETY: as long as the process lives; its thread alone writes there, by atomic operations.
unsafe impl Send for LastEntry {}

impl LastEntry {
    /// In this field of a block.
    ///
    /// # Safety
    /// It is there as long as the process lives, and nothing else refers to it.
    pub unsafe fn at(field: NonNull<u64>) -> LastEntry {
        LastEntry(field)
    }
}

/// A thread's ledger in the file. Its thread alone changes it, and any may read it.
#[derive(Clone, Copy)]
pub struct Ledger(NonNull<LedgerLine>);

// SAFETY: as long as the process lives; what is read and written there is atomic.
unsafe impl Send for Ledger {}
// SAFETY: as above.
unsafe impl Sync for Ledger {}

impl Ledger {
    /// The ledger that begins here.
    ///
    /// # Safety
    /// So many [lines](LINES) are there as long as the process lives, and nothing refers to them but by ledgers.
    pub unsafe fn at(first: NonNull<LedgerLine>) -> Ledger {
        Ledger(first)
    }

    #[inline(always)]
    fn line(self, line: usize) -> Option<Line> {
        // SAFETY: there are so many.
        (line < LINES).then(|| Line(unsafe { self.0.add(line) }))
    }

    #[inline(always)]
    fn of<const LINE: usize>(self) -> Line {
        const { assert!(LINE < LINES) }
        // SAFETY: there are so many.
        Line(unsafe { self.0.add(LINE) })
    }

    /// All entries so far, inside MPI calls and outside.
    pub fn all_entries(self) -> u64 {
        self.of::<INSIDE>().entries() + self.of::<OUTSIDE>().entries()
    }
}

/// A line of a ledger.
#[derive(Clone, Copy)]
pub struct Line(NonNull<LedgerLine>);

impl Line {
    /// A call was made, and took so long.
    #[inline(always)]
    pub fn count(self, ticks: u64) {
        self.count_call();
        self.took(ticks);
    }

    /// A call was made.
    #[inline(always)]
    pub fn count_call(self) {
        // SAFETY: a field of a line.
        unsafe { add(&raw mut (*self.0.as_ptr()).calls.entries, 1) };
    }

    /// It achieved something.
    #[inline(always)]
    pub fn achieved(self) {
        // SAFETY: a field of a line.
        unsafe { add(&raw mut (*self.0.as_ptr()).calls.productive, 1) };
    }

    /// Calls of it took so much longer.
    #[inline(always)]
    fn took(self, ticks: u64) {
        // SAFETY: a field of a line.
        unsafe { add(&raw mut (*self.0.as_ptr()).calls.ticks, ticks) };
    }

    /// So much was reported: events, and descriptors that are ready to receive and to send.
    #[inline(always)]
    pub fn reported(self, events: u64, ready: (u64, u64)) {
        let line = self.0.as_ptr();
        // SAFETY: fields of a line.
        unsafe {
            add(&raw mut (*line).events, events);
            if ready != (0, 0) {
                add(&raw mut (*line).ready_to_receive, ready.0);
                add(&raw mut (*line).ready_to_send, ready.1);
            }
        }
    }

    /// What a component says of itself.
    pub fn set(self, calls: Entries) {
        let line = self.0.as_ptr();
        // SAFETY: as above.
        unsafe {
            field(&raw mut (*line).calls.entries).store(calls.entries, Relaxed);
            field(&raw mut (*line).calls.productive).store(calls.productive, Relaxed);
            field(&raw mut (*line).calls.ticks).store(calls.ticks, Relaxed);
        }
    }

    fn entries(self) -> u64 {
        // SAFETY: as above.
        unsafe { field(&raw mut (*self.0.as_ptr()).calls.entries).load(Relaxed) }
    }
}

/// # Safety
/// A field of a ledger.
#[inline(always)]
unsafe fn field<'a>(field: *mut u64) -> &'a AtomicU64 {
    // SAFETY: the caller's promise.
    unsafe { AtomicU64::from_ptr(field) }
}

/// One thread alone adds, so that two steps are enough.
///
/// # Safety
/// A field of a ledger.
#[inline(always)]
unsafe fn add(of: *mut u64, by: u64) {
    // SAFETY: the caller's promise.
    let field = unsafe { field(of) };
    field.store(field.load(Relaxed).wrapping_add(by), Relaxed);
}
