//! Counts and times by function that all threads share, for calls without room elsewhere.
//!
//! The entries are in front of the file's first page and exist before anything is recorded, so neither a limit nor a
//! full disk affects them. Threads count in them without a lock: such a call costs some atomic additions.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::*};

use traces::calls::Call;
use traces::file::{ANY_CALL, ANY_SIGNATURE, NESTED_CALLS, SHARED_ENTRIES};
use traces::signature::NESTED;

use super::entry::{Change, Entry};
use super::shared;

/// Calls that have a total: those of a function by the program, or those inside other calls.
#[derive(Clone, Copy)]
pub struct CountedCalls {
    call: u16,
    nested: bool,
}

impl CountedCalls {
    /// The calls that those of a signature are among, by its function and its flags.
    pub fn of(call: u16, flags: u16) -> CountedCalls {
        CountedCalls { call, nested: flags & NESTED != 0 }
    }
}

/// The index plus one of the entry of a function's calls by the program, and of those inside others; 0 if there is none yet.
static PLACES: [[AtomicU8; 2]; Call::LIMIT] = [const { [const { AtomicU8::new(0) }; 2] }; Call::LIMIT];
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// The entry that further functions share once all others are taken.
const REST: usize = SHARED_ENTRIES - 1;
const _: () = assert!(SHARED_ENTRIES < u8::MAX as usize);

/// Adds to the entry of these calls.
pub fn count(calls: CountedCalls, change: &Change) {
    if let Some(entry) = entry(calls) {
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

fn entry(calls: CountedCalls) -> Option<Entry> {
    let [of_program, nested] = PLACES.get(calls.call as usize)?;
    let place = if calls.nested { nested } else { of_program };
    let at = match place.load(Acquire) {
        0 => take(calls, place)?,
        taken => taken as usize - 1,
    };
    nth(at)
}

/// Takes an entry for these calls. Two threads may each take one for the same: readers add the two.
#[cold]
#[inline(never)]
fn take(calls: CountedCalls, place: &AtomicU8) -> Option<usize> {
    let next = TAKEN.try_update(Relaxed, Relaxed, |taken| Some((taken + 1).min(REST as u32))).ok()? as usize;
    let at = next.min(REST);
    // The shared last entry may be begun repeatedly, with the same values; `begin_min` keeps a shortest duration.
    let entry = nth(at)?;
    entry.begin_min(u64::MAX);
    let call = u64::from(calls.call) + if calls.nested { NESTED_CALLS } else { 0 };
    entry.begin(ANY_SIGNATURE, if at == REST { ANY_CALL.into() } else { call });
    place.store(at as u8 + 1, Release);
    Some(at)
}
