//! Counts and times by function that all threads share: what a call comes to that has room nowhere else.
//!
//! The room is in front of the file's first page, and there before anything is recorded. So neither a limit nor a full disk takes
//! it away. Threads count in it together, without a lock: a call that ends here costs some atomic additions.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::*};

use traces::calls::Call;
use traces::file::{ANY_CALL, ANY_SIGNATURE, ProfileEntry, SHARED_ENTRIES};
use traces::progress::Entries;
use zerocopy::FromZeros;

use super::shared;

/// What is added to an entry. Bytes wrap, so that they can be taken back.
#[derive(Default)]
pub struct Change {
    /// Calls: one or none.
    pub calls: u64,
    /// How long it took.
    pub duration: u64,
    /// Calls that returned an error.
    pub failed: u32,
    /// Bytes handed out.
    pub sent: u64,
    /// Bytes that came.
    pub received: u64,
    /// What the progress engine did.
    pub engine: Entries,
}

impl Change {
    /// A call that took so long and hands out and receives so many bytes.
    pub fn of_call(duration: u64, (sent, received): (u64, u64)) -> Change {
        Change { calls: 1, duration, sent, received, ..Change::default() }
    }
}

/// The place of a function's entry, and one more; 0 where it has none yet.
static PLACES: [AtomicU8; Call::LIMIT] = [const { AtomicU8::new(0) }; Call::LIMIT];
static TAKEN: AtomicU32 = AtomicU32::new(0);
/// The entry for functions that come when all others are taken.
const REST: usize = SHARED_ENTRIES - 1;
const _: () = assert!(SHARED_ENTRIES < u8::MAX as usize);

/// Adds to what is known of a function.
pub fn count(call: u16, change: &Change) {
    let Some(entry) = entry(call) else { return };
    let entry = entry.as_ptr();
    let add = |field: *mut u64, by: u64| {
        if by != 0 {
            // SAFETY: a field of an entry, which only atomic operations touch.
            unsafe { AtomicU64::from_ptr(field) }.fetch_add(by, Relaxed);
        }
    };
    // SAFETY: addresses of fields of an entry that lives as long as the process.
    unsafe {
        if change.calls != 0 {
            AtomicU64::from_ptr(&raw mut (*entry).min).fetch_min(change.duration, Relaxed);
            AtomicU64::from_ptr(&raw mut (*entry).max).fetch_max(change.duration, Relaxed);
        }
        if change.failed != 0 {
            AtomicU32::from_ptr(&raw mut (*entry).failed).fetch_add(change.failed, Relaxed);
        }
        add(&raw mut (*entry).count, change.calls);
        add(&raw mut (*entry).total, change.duration);
        add(&raw mut (*entry).sent, change.sent);
        add(&raw mut (*entry).received, change.received);
        add(&raw mut (*entry).engine.entries, change.engine.entries);
        add(&raw mut (*entry).engine.productive, change.engine.productive);
        add(&raw mut (*entry).engine.ticks, change.engine.ticks);
    }
}

/// A call was made that cannot even be counted here.
#[cold]
pub fn lost() {
    let Some(output) = shared::output() else { return };
    // SAFETY: a field of the header, which only atomic operations touch.
    unsafe { AtomicU64::from_ptr(&raw mut output.header().lost) }.fetch_add(1, Relaxed);
}

/// Sets all back to nothing. A call that a thread is in may still count.
pub fn forget() {
    let Some(entries) = entries() else { return };
    for at in 0..SHARED_ENTRIES {
        // SAFETY: there are so many entries; what says which calls they are stays.
        unsafe {
            let entry = entries.add(at);
            let ProfileEntry { signature, call, .. } = entry.read();
            if signature != 0 {
                entry.write(ProfileEntry { signature, call, min: u64::MAX, ..ProfileEntry::new_zeroed() });
            }
        }
    }
}

fn entries() -> Option<NonNull<ProfileEntry>> {
    Some(shared::output()?.shared_totals())
}

fn entry(call: u16) -> Option<NonNull<ProfileEntry>> {
    let place = PLACES.get(call as usize)?;
    let at = match place.load(Acquire) {
        0 => take(call, place)?,
        taken => taken as usize - 1,
    };
    // SAFETY: there are so many entries.
    Some(unsafe { entries()?.add(at) })
}

/// Two threads may each take an entry for one function: the two add up.
#[cold]
#[inline(never)]
fn take(call: u16, place: &AtomicU8) -> Option<usize> {
    let next = TAKEN.fetch_update(Relaxed, Relaxed, |taken| Some((taken + 1).min(REST as u32))).ok()? as usize;
    let at = next.min(REST);
    // SAFETY: there are so many entries. The last one may be begun more than once, by the same values; a shortest call that was
    // there stays the shortest.
    unsafe {
        let entry = entries()?.add(at).as_ptr();
        let call = if at == REST { ANY_CALL } else { call };
        let _ = AtomicU64::from_ptr(&raw mut (*entry).min).compare_exchange(0, u64::MAX, Relaxed, Relaxed);
        AtomicU64::from_ptr(&raw mut (*entry).call).store(call as u64, Relaxed);
        AtomicU32::from_ptr(&raw mut (*entry).signature).store(ANY_SIGNATURE, Release);
    }
    place.store(at as u8 + 1, Release);
    Some(at)
}
