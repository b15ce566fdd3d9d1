//! The state of this process's recording.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

use crate::abi::Family;
use crate::config::{self, Config};
use crate::layers::Wrappers;

/// Functions of the wrappers, which are on a higher floor, for use by this one.
pub struct HandedDown {
    pub wrappers: Wrappers,
    /// Records a number of calls that do this work inside MPI, and returns the ticks of all.
    pub rehearse: fn(&Family, u32, &dyn Fn()) -> u64,
}

/// A recording that has begun.
pub struct RunContext {
    pub config: Config,
    pub family: &'static Family,
    pub handed: &'static HandedDown,
}

pub static RUN: OnceLock<RunContext> = OnceLock::new();
/// Set once MPI was initialized.
pub static READY: AtomicBool = AtomicBool::new(false);
/// Set if the recording was wanted but could not begin; other ranks may be recording.
pub static FAILED: AtomicBool = AtomicBool::new(false);
pub static SESSIONS: AtomicU32 = AtomicU32::new(0);
/// Set between MPI_Init and MPI_Finalize.
pub static WORLD: AtomicBool = AtomicBool::new(false);
/// Set if this rank is the first of those that record together.
pub static FIRST: AtomicBool = AtomicBool::new(false);

/// True if this process prints the lines at the start and the end.
pub fn speaks() -> bool {
    FIRST.load(Acquire) && !config::must_be_silent()
}
