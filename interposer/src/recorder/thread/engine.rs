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
    /// An entry is under way.
    pub is_entered: Cell<bool>,
    /// Grows whenever something is achieved.
    pub achieved: Cell<u64>,
    /// What of the thread's entries inside MPI calls stands behind a record already.
    pub reported: Cell<Entries>,
    /// What stood in the ledger at the end of the last call that asked in vain.
    pub at_poll: Cell<Entries>,
    /// When the last entry ended.
    pub last: Cell<u64>,
    /// When the clock was last read in an entry.
    pub read: Cell<u64>,
    /// The most productive entries that are told as one.
    pub most: Cell<u64>,
    /// Whether a component is called.
    inside: [Cell<bool>; LINES],
}

/// Something that is listened to, as this thread sees it.
#[derive(Clone, Copy)]
pub struct ThreadComponent<'a> {
    /// Whether it is called already.
    pub inside: &'a Cell<bool>,
    /// What it has come to.
    pub line: Line,
}

impl Engine {
    /// With its ledger in a thread's block.
    pub fn new(ledger: Ledger) -> Engine {
        let none = Entries::default();
        Engine {
            ledger,
            is_entered: Cell::new(false),
            achieved: Cell::new(0),
            reported: Cell::new(none),
            at_poll: Cell::new(none),
            last: Cell::new(0),
            read: Cell::new(0),
            most: Cell::new(1),
            inside: [const { Cell::new(false) }; LINES],
        }
    }

    /// The component that has this line, if there is such a line.
    #[inline(always)]
    pub fn component(&self, line: usize) -> Option<ThreadComponent<'_>> {
        Some(ThreadComponent { inside: self.inside.get(line)?, line: self.ledger.line(line)? })
    }

    /// The line of entries inside MPI calls, or outside.
    #[inline(always)]
    pub fn entries_line(&self, inside: bool) -> Line {
        if inside { self.ledger.of::<INSIDE>() } else { self.ledger.of::<OUTSIDE>() }
    }

    /// All entries inside MPI calls so far.
    #[inline(always)]
    pub fn entries(&self) -> Entries {
        // SAFETY: its thread reads, and nobody else writes.
        unsafe { (&raw const (*self.ledger.of::<INSIDE>().0.as_ptr()).calls).read() }
    }

    /// Whatever the thread was in will not return, or later: each call knows itself whether it is the outermost.
    pub fn leave_all(&self) {
        self.is_entered.set(false);
        for inside in &self.inside {
            inside.set(false);
        }
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
    /// A call was made.
    #[inline(always)]
    pub fn count(self, productive: bool, ticks: u64) {
        let line = self.0.as_ptr();
        // SAFETY: fields of a line.
        unsafe {
            add(&raw mut (*line).calls.entries, 1);
            add(&raw mut (*line).calls.productive, productive as u64);
            add(&raw mut (*line).calls.ticks, ticks);
        }
    }

    /// So much was reported: events, and descriptors that are ready to receive and to send.
    #[inline(always)]
    pub fn reported(self, events: u64, ready: (u64, u64)) {
        let line = self.0.as_ptr();
        // SAFETY: as above.
        unsafe {
            add(&raw mut (*line).events, events);
            add(&raw mut (*line).ready_to_receive, ready.0);
            add(&raw mut (*line).ready_to_send, ready.1);
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
