//! Counts and times by function that all threads share: the last resort of calls without room elsewhere.
//!
//! The room is in front of the file's first page, and there before anything is recorded. So neither a limit nor a full disk takes
//! it away. Threads count in it together, without a lock: a call that ends here costs some atomic additions.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::*};

use traces::calls::Call;
use traces::file::{ANY_CALL, ANY_SIGNATURE, SHARED_ENTRIES};

use super::entry::{Change, Entry};
use super::shared;

/// The place of a function's entry, and one more; 0 where it has none yet.
static PLACES: [AtomicU8; Call::LIMIT] = [const { AtomicU8::new(0) }; Call::LIMIT];
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// The entry for functions that come when all others are taken.
const REST: usize = SHARED_ENTRIES - 1;
const _: () = assert!(SHARED_ENTRIES < u8::MAX as usize);

/// Adds to what is known of a function.
pub fn count(call: u16, change: &Change) {
    entry(call).into_iter().for_each(|entry| entry.add(change));
}

/// A call was made that cannot even be counted here.
#[cold]
pub fn lost() {
    shared::output().into_iter().for_each(|output| output.header().lost());
}

/// Sets all back to nothing. A call that a thread is in may still count.
pub fn forget() {
    let entries = (0..SHARED_ENTRIES).filter_map(nth);
    entries.filter(|entry| entry.is_used()).for_each(|entry| entry.forget(u64::MAX));
}

fn nth(at: usize) -> Option<Entry> {
    let first = shared::output()?.shared_totals();
    // SAFETY: there are so many entries.
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

/// Two threads may each take an entry for one function: the two add up.
#[cold]
#[inline(never)]
fn take(call: u16, place: &AtomicU8) -> Option<usize> {
    let next = TAKEN.try_update(Relaxed, Relaxed, |taken| Some((taken + 1).min(REST as u32))).ok()? as usize;
    let at = next.min(REST);
    // The last one may be begun more than once, by the same values; a shortest call that was there stays the shortest.
    let entry = nth(at)?;
    entry.begin_min(u64::MAX);
    entry.begin(ANY_SIGNATURE, if at == REST { ANY_CALL } else { call }.into());
    place.store(at as u8 + 1, Release);
    Some(at)
}
