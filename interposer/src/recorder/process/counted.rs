//! The switch that a program uses to stop, resume and reset the counting of calls in profiles.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of times that profiles were reset, plus one.
static GENERATION: AtomicU32 = AtomicU32::new(1);
/// [`GENERATION`], or 0 while profiles are stopped.
static COUNTED: AtomicU32 = AtomicU32::new(1);

/// A stamp of the current state, which a request keeps for [`is_counted`].
#[inline(always)]
pub fn counted() -> u32 {
    COUNTED.load(Relaxed)
}

#[inline(always)]
pub fn is_on() -> bool {
    counted() != 0
}

/// True if a request with this stamp is in the current profile.
#[inline(always)]
pub fn is_counted(counted: u32) -> bool {
    counted == GENERATION.load(Relaxed)
}

/// Stops profiles. Returns whether they were running.
pub fn stop() -> bool {
    COUNTED.swap(0, Relaxed) != 0
}

/// Resumes profiles. Returns whether they were stopped.
pub fn go_on() -> bool {
    COUNTED.swap(GENERATION.load(Relaxed), Relaxed) == 0
}

/// Begins a new generation, so that requests from before the reset do not count.
pub fn forget() {
    let generation = GENERATION.fetch_add(1, Relaxed) + 1;
    let _ = COUNTED.try_update(Relaxed, Relaxed, |counted| (counted != 0).then_some(generation));
}
