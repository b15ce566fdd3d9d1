//! The languages that MPI was called from.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use traces::definitions::Language;

/// A bit for each that was seen, and for each that was told.
static SEEN: AtomicU8 = AtomicU8::new(0);
static TOLD: AtomicU8 = AtomicU8::new(0);

/// MPI was called from this one.
#[inline(always)]
pub fn seen(language: Language) {
    let bit = 1 << language as u8;
    if SEEN.load(Relaxed) & bit == 0 {
        SEEN.fetch_or(bit, Relaxed);
    }
}

/// Those that were seen since the last time.
pub fn new() -> impl Iterator<Item = Language> {
    let seen = SEEN.load(Relaxed);
    let new = seen & !TOLD.fetch_or(seen, Relaxed);
    let all = [Language::C, Language::Fortran, Language::Fortran2008, Language::Python];
    all.into_iter().filter(move |language| new >> *language as u8 & 1 != 0)
}
