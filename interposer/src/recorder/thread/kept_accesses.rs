//! The runs of accesses to files, and of sleeps, that a thread keeps until its next call of MPI.

use traces::accesses::{Accesses, MOST_BYTES, Operation};

use crate::recorder::file::named_files::UNNAMED;

/// Runs that a thread keeps at once; a run that needs another's place ends it.
const RUNS: usize = 64;

/// A run, with the word of its call site.
pub(super) struct KeptRun {
    pub(super) address: u64,
    /// Without the number of its site, if that is still to be found.
    pub(super) accesses: Accesses,
}

/// The runs that a thread keeps. Those of a count of 0 are free.
pub struct KeptRuns {
    pub(super) runs: [KeptRun; RUNS],
    /// A bit for each that is not free.
    pub(super) used: u64,
}

impl KeptRun {
    /// Adds an access, if it is one of the run and there is room.
    pub(super) fn join(&mut self, address: u64, later: &Accesses) -> bool {
        let of = |accesses: &Accesses| (accesses.operation, accesses.file);
        let is_same = self.address == address && of(&self.accesses) == of(later) && self.accesses.count > 0;
        is_same && self.accesses.join(later)
    }
}

impl KeptRuns {
    /// Adds an access to its run, or begins one in a free place; `false` if there is none.
    pub(super) fn add(&mut self, address: u64, access: &LibraryAccess) -> bool {
        let later = access.run(0);
        let first = place(address, access);
        for at in (0..RUNS).map(|further| (first + further) % RUNS) {
            let Some(run) = self.runs.get_mut(at) else { return false };
            if run.join(address, &later) {
                return true;
            }
            if run.accesses.count == 0 {
                *run = KeptRun { address, accesses: later };
                self.used |= 1 << at;
                return true;
            }
        }
        false
    }
}

/// An access to a file that has ended, or a sleep.
#[derive(Clone, Copy)]
pub struct LibraryAccess {
    pub operation: Operation,
    /// [`UNNAMED`] for a file without a number, and for a sleep.
    pub file: u32,
    /// Ticks.
    pub start: u64,
    pub end: u64,
    /// `None` if it returned an error.
    pub bytes: Option<u64>,
    /// True if it began elsewhere in the file than where the one before had ended.
    pub is_elsewhere: bool,
}

impl LibraryAccess {
    pub(super) fn run(&self, site: u32) -> Accesses {
        let bytes = self.bytes.unwrap_or(0);
        let size = u32::try_from(bytes).unwrap_or(MOST_BYTES);
        let file = if self.file == UNNAMED { 0 } else { self.file };
        Accesses {
            bytes,
            smallest: size,
            largest: size,
            jumps: self.is_elsewhere.into(),
            failed: self.bytes.is_none().into(),
            ..Accesses::one(self.operation, site, file, [self.start, self.end])
        }
    }
}

/// The place of the run of an access.
pub(super) fn place(address: u64, access: &LibraryAccess) -> usize {
    let mixed = address ^ u64::from(access.file) << 20 ^ (access.operation as u64) << 52;
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}
