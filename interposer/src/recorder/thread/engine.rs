//! What a thread sees of the progress engine.

use traces::progress::{Entries, INSIDE, LINES, LedgerLine, OUTSIDE};

/// See the module.
pub struct Engine {
    ledger: *mut LedgerLine,
    /// Calls of the engine inside each other.
    pub depth: u32,
    /// Grows whenever something is achieved.
    pub achieved: u64,
    /// What of the thread's entries inside MPI calls stands behind a record already.
    pub reported: Entries,
    /// What stood in the ledger at the end of the last call that asked in vain.
    pub at_poll: Entries,
    /// When the last entry ended.
    pub last: u64,
    /// When the clock was last read in an entry.
    pub read: u64,
    /// The most productive entries that are told as one.
    pub most: u64,
    /// How often a component is inside itself.
    pub inside: [u32; LINES],
}

impl Engine {
    /// With its ledger in a thread's block.
    pub fn new(ledger: *mut LedgerLine) -> Engine {
        let none = Entries::default();
        Engine {
            ledger,
            depth: 0,
            achieved: 0,
            reported: none,
            at_poll: none,
            last: 0,
            read: 0,
            most: 1,
            inside: [0; LINES],
        }
    }

    /// All entries inside MPI calls so far.
    #[inline(always)]
    pub fn entries(&self) -> Entries {
        // SAFETY: the ledger has that line, and is this thread's own.
        unsafe { (*self.ledger.add(INSIDE)).calls }
    }

    /// Whatever the thread was in will not return.
    pub fn leave_all(&mut self) {
        (self.depth, self.inside) = (0, [0; LINES]);
    }

    /// What a component says of itself.
    pub fn set(&mut self, line: usize, calls: Entries) {
        self.line(line).calls = calls;
    }

    /// All entries so far, inside MPI calls and outside.
    pub fn all_entries(&self) -> u64 {
        // SAFETY: as above.
        unsafe { (*self.ledger.add(INSIDE)).calls.entries + (*self.ledger.add(OUTSIDE)).calls.entries }
    }

    /// What a component has come to.
    #[inline(always)]
    pub fn line(&mut self, component: usize) -> &mut LedgerLine {
        debug_assert!(component < LINES);
        // SAFETY: as above.
        unsafe { &mut *self.ledger.add(component) }
    }
}
