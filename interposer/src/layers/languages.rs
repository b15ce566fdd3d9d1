//! The languages that MPI was called from.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use traces::definitions::Language;

/// One bit for each language that MPI was called from.
static SEEN: AtomicU8 = AtomicU8::new(0);
/// One bit for each language that [`new`] has returned.
static TOLD: AtomicU8 = AtomicU8::new(0);

#[inline(always)]
pub fn seen(language: Language) {
    let bit = 1 << language as u8;
    if SEEN.load(Relaxed) & bit == 0 {
        SEEN.fetch_or(bit, Relaxed);
    }
}

/// The languages that MPI was called from for the first time since the last call of this function.
pub fn new() -> impl Iterator<Item = Language> {
    let seen = SEEN.load(Relaxed);
    let new = seen & !TOLD.fetch_or(seen, Relaxed);
    let all = [Language::C, Language::Fortran, Language::Fortran2008, Language::Python];
    all.into_iter().filter(move |language| new >> *language as u8 & 1 != 0)
}
