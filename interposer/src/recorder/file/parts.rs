//! What calls such as MPI_Alltoallv hand to each process: said once, and called by a number in the signatures of all calls that hand
//! out the same.
//!
//! Programs that repeat an exchange hand out the same parts again and again; those whose parts are new each time would fill the
//! file with them, so what is said of parts is bounded.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::definitions::{Definition, EqualParts, Parts};

use super::shared;
use recorder_core::handles::Handles;

/// Bytes that a process says of parts at most.
const MOST_BYTES: usize = 1 << 20;

/// Numbers by [`hash`]. Of two lists with one hash the second is taken for the first: of a million lists that happens in one run
/// of 30 million.
static NUMBERS: Handles<u32> = Handles::new();
/// Lists that were said.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// And their bytes.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// What a list of parts is known by, never 0.
pub fn hash(parts: impl Iterator<Item = u64>) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(FACTOR).rotate_left(29);
    // One more multiplication, so that the last part reaches all bits.
    parts.fold(FACTOR, mix).wrapping_mul(FACTOR).max(1)
}

/// The number of a list that was said before.
pub fn known(hash: u64) -> Option<u32> {
    NUMBERS.get(hash)
}

/// Whether there is room to say more.
pub fn has_room() -> bool {
    BYTES.load(Relaxed) < MOST_BYTES
}

/// Says what a list is, and returns its number; 0 where there is no room for it.
pub fn add(hash: u64, parts: impl Iterator<Item = u64>) -> u32 {
    let mut shared = shared::lock();
    if let Some(number) = known(hash) {
        return number;
    }
    let runs = in_runs(parts);
    let bytes = size_of_val(&runs[..]);
    if BYTES.load(Relaxed) + bytes > MOST_BYTES {
        BYTES.store(MOST_BYTES, Relaxed);
        return 0;
    }
    BYTES.fetch_add(bytes, Relaxed);
    let number = COUNT.fetch_add(1, Relaxed) as u32 + 1;
    shared.define(&Definition::Parts(Parts { number, runs }));
    NUMBERS.share(hash, number);
    number
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
