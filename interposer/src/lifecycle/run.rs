//! How far the recording of this process has come.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use crate::abi::Family;
use crate::config::Config;
use crate::layers::Wrappers;

/// What the wrappers, which lie above, hand down.
pub struct HandedDown {
    /// All of them.
    pub wrappers: Wrappers,
    /// Records so many calls that do next to nothing, and returns the ticks that took.
    pub rehearse: fn(&Family, u32) -> u64,
}

/// What the recording knows of itself once it has begun.
pub struct RunContext {
    /// What the user asked for.
    pub config: Config,
    /// The conventions of the MPI library.
    pub family: &'static Family,
    /// See [`HandedDown`].
    pub handed: &'static HandedDown,
}

/// Set when the recording begins.
pub static RUN: OnceLock<RunContext> = OnceLock::new();
/// MPI can be asked.
pub static READY: AtomicBool = AtomicBool::new(false);
/// Recording was wanted and failed, here; other ranks may be recording.
pub static FAILED: AtomicBool = AtomicBool::new(false);
/// How many sessions are open.
pub static SESSIONS: AtomicU32 = AtomicU32::new(0);
/// Between MPI_Init and MPI_Finalize.
pub static WORLD: AtomicBool = AtomicBool::new(false);
/// This rank is the first of those that record together, and speaks for them.
pub static FIRST: AtomicBool = AtomicBool::new(false);

/// Whether this process says at the end what was recorded: it is the first, and no command in front of the launcher does.
pub fn speaks_at_end() -> bool {
    FIRST.load(Acquire) && RUN.get().is_some_and(|run| run.config.run.is_none())
}
