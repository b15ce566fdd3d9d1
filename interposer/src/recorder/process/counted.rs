//! Whether what happens now is in the profiles: a program may stop them, let them go on, and set them back.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How often profiles were set back, and one more.
static GENERATION: AtomicU32 = AtomicU32::new(1);
/// The same, but 0 while they are stopped.
static COUNTED: AtomicU32 = AtomicU32::new(1);

/// What a request is to remember of when it was begun, for [`is_counted`].
#[inline(always)]
pub fn counted() -> u32 {
    COUNTED.load(Relaxed)
}

/// Whether profiles are not stopped.
#[inline(always)]
pub fn is_on() -> bool {
    counted() != 0
}

/// Whether what was begun when [`counted`] was this is in a profile.
#[inline(always)]
pub fn is_counted(counted: u32) -> bool {
    counted == GENERATION.load(Relaxed)
}

/// Stops profiles. Returns whether they were not stopped.
pub fn stop() -> bool {
    COUNTED.swap(0, Relaxed) != 0
}

/// Lets them go on. Returns whether they were stopped.
pub fn go_on() -> bool {
    COUNTED.swap(GENERATION.load(Relaxed), Relaxed) == 0
}

/// What was counted so far is in no profile.
pub fn forget() {
    let generation = GENERATION.fetch_add(1, Relaxed) + 1;
    let _ = COUNTED.try_update(Relaxed, Relaxed, |counted| (counted != 0).then_some(generation));
}
