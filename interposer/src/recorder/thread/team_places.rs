//! Where the threads of a team note their work, and which region of OpenMP a thread is in.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::AtomicU64;

/// Threads of a team that have places. The work of a larger team is unknown.
pub const PLACES: usize = 1024;

/// Where a thread of a team notes its work; on a cache line of its own, since the others write to theirs meanwhile.
#[repr(C, align(128))]
pub struct TeamPlace {
    /// The start of the region that the thread has executed last, which tells whether it took part in this one.
    pub region: AtomicU64,
    /// Ticks from the begin of its work to the end, with all waits.
    pub busy: AtomicU64,
    pub barriers: AtomicU64,
    pub locks: AtomicU64,
    /// Not 0 if the thread made tasks or a team of its own: then others did its work, or it did theirs.
    pub mixed: AtomicU64,
}

/// The region that a thread is in, and the memory that its teams use.
pub struct TeamState {
    /// The start of the region, ticks; 0 for none.
    pub(super) start: Cell<u64>,
    pub(super) site: Cell<u32>,
    /// True if the region has a record, as the thread has called MPI in it.
    pub(super) is_told: Cell<bool>,
    pub(super) places: Cell<*mut TeamPlace>,
}

impl TeamState {
    pub const fn new() -> TeamState {
        TeamState { start: Cell::new(0), site: Cell::new(0), is_told: Cell::new(false), places: Cell::new(null_mut()) }
    }
}

/// A region that has begun.
#[derive(Clone, Copy)]
pub struct BegunTeam {
    /// Ticks.
    pub start: u64,
    pub places: &'static [TeamPlace],
}
