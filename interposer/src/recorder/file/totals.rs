//! Counts and times by function that all threads share, for calls without room elsewhere.
//!
//! The entries are in front of the file's first page and exist before anything is recorded, so neither a limit nor a
//! full disk affects them. Threads count in them without a lock: such a call costs some atomic additions.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::*};

use traces::calls::Call;
use traces::file::{ANY_CALL, ANY_SIGNATURE, SHARED_ENTRIES};

use super::entry::{Change, Entry};
use super::shared;

/// The index of a function's entry plus one; 0 if it has none yet.
static PLACES: [AtomicU8; Call::LIMIT] = [const { AtomicU8::new(0) }; Call::LIMIT];
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// The entry that further functions share once all others are taken.
const REST: usize = SHARED_ENTRIES - 1;
const _: () = assert!(SHARED_ENTRIES < u8::MAX as usize);

/// Adds to the entry of a function.
pub fn count(call: u16, change: &Change) {
    if let Some(entry) = entry(call) {
        entry.add(change);
    }
}

/// Counts a call of a thread that has no recording.
#[cold]
pub fn lost() {
    if let Some(output) = shared::output() {
        output.header().lost();
    }
}

/// Resets all entries. A call that a thread is in at this moment may still count.
pub fn forget() {
    for entry in (0..SHARED_ENTRIES).filter_map(nth).filter(|entry| entry.is_used()) {
        entry.forget(u64::MAX);
    }
}

fn nth(at: usize) -> Option<Entry> {
    let first = shared::output()?.shared_totals();
    // SAFETY: there are `SHARED_ENTRIES` entries.
    (at < SHARED_ENTRIES).then(|| unsafe { Entry::at(first.add(at)) })
}

fn entry(call: u16) -> Option<Entry> {
    let place = PLACES.get(call as usize)?;
    let at = match place.load(Acquire) {
        0 => take(call, place)?,
        taken => taken as usize - 1,
    };
    nth(at)
}

/// Takes an entry for a function. Two threads may each take one for the same function: readers add the two.
#[cold]
#[inline(never)]
fn take(call: u16, place: &AtomicU8) -> Option<usize> {
    let next = TAKEN.try_update(Relaxed, Relaxed, |taken| Some((taken + 1).min(REST as u32))).ok()? as usize;
    let at = next.min(REST);
    // The shared last entry may be begun repeatedly, with the same values; `begin_min` keeps a shortest duration.
    let entry = nth(at)?;
    entry.begin_min(u64::MAX);
    entry.begin(ANY_SIGNATURE, if at == REST { ANY_CALL } else { call }.into());
    place.store(at as u8 + 1, Release);
    Some(at)
}
