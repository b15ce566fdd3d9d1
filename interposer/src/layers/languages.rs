//! The languages that MPI was called from.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use traces::definitions::{Definition, Language};

use crate::recorder::shared::Shared;

/// A bit for each that was seen, and for each that stands in the file.
static SEEN: AtomicU8 = AtomicU8::new(0);
static DEFINED: AtomicU8 = AtomicU8::new(0);

/// MPI was called from this one.
#[inline(always)]
pub fn seen(language: Language) {
    let bit = 1 << language as u8;
    if SEEN.load(Relaxed) & bit == 0 {
        SEEN.fetch_or(bit, Relaxed);
    }
}

/// Writes down those that were seen since the last time.
pub fn define(shared: &mut Shared) {
    let seen = SEEN.load(Relaxed);
    let new = seen & !DEFINED.fetch_or(seen, Relaxed);
    let all = [Language::C, Language::Fortran, Language::Fortran2008, Language::Python];
    for language in all.into_iter().filter(|language| new >> *language as u8 & 1 != 0) {
        shared.define(&Definition::Language(language));
    }
}
