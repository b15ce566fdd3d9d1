//! Lists of the bytes that calls such as MPI_Alltoallv send to each process. A list is defined once, and signatures of
//! all calls with the same list refer to its number.
//!
//! Programs that repeat an exchange repeat its list. A program with a new list in each call would fill the file, so the
//! size of all lists is bounded, together with the layouts of calls, which are numbered with them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::definitions::{Definition, EqualParts, Parts};

use super::shared;
use recorder_core::handles::Handles;

/// Limit on the bytes of all lists of a process.
const MOST_BYTES: usize = 1 << 20;

/// Numbers by [`hash`]. Two lists with the same hash get one number: with a million lists, in one of 30 million runs.
static NUMBERS: Handles<u32> = Handles::new();
/// Lists that were defined.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Bytes of the lists that were defined.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The hash of a list, which identifies it; never 0.
pub fn hash(parts: impl Iterator<Item = u64>) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(FACTOR).rotate_left(29);
    // One more multiplication, so that the last part reaches all bits.
    parts.fold(FACTOR, mix).wrapping_mul(FACTOR).max(1)
}

/// The number of a list that was defined before.
pub fn known(hash: u64) -> Option<u32> {
    NUMBERS.get(hash)
}

/// True if another list may be defined.
pub fn has_room() -> bool {
    BYTES.load(Relaxed) < MOST_BYTES
}

/// Defines a list, and returns its number; 0 if there is no room for it.
pub fn add(hash: u64, parts: impl Iterator<Item = u64>) -> u32 {
    let mut shared = shared::lock();
    if let Some(number) = known(hash) {
        return number;
    }
    let runs = in_runs(parts);
    let Some(number) = number(size_of_val(&runs[..])) else { return 0 };
    shared.define(&Definition::Parts(Parts { number, runs }));
    NUMBERS.share(hash, number);
    number
}

/// The number for another list of so many bytes; `None` if there is no room for it. [`shared`] must be locked.
pub fn number(bytes: usize) -> Option<u32> {
    if BYTES.load(Relaxed) + bytes > MOST_BYTES {
        BYTES.store(MOST_BYTES, Relaxed);
        return None;
    }
    BYTES.fetch_add(bytes, Relaxed);
    Some(COUNT.fetch_add(1, Relaxed) as u32 + 1)
}

fn in_runs(parts: impl Iterator<Item = u64>) -> Vec<EqualParts> {
    let mut runs: Vec<EqualParts> = Vec::new();
    for bytes in parts {
        match runs.last_mut() {
            Some(run) if run.bytes == bytes => run.count += 1,
            _ => runs.push(EqualParts { bytes, count: 1 }),
        }
    }
    runs
}
