//! An entry of a profile in the file: counts, times and bytes of calls of one signature or function.
//!
//! Its fields are atomics, since any thread may reset an entry while its owner counts, and all threads count the
//! totals.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use traces::file::ProfileEntry;
use traces::progress::Entries;

#[derive(Clone, Copy)]
pub struct Entry(NonNull<ProfileEntry>);

/// A change to an entry. Bytes wrap, so that they can be subtracted.
#[derive(Default)]
pub struct Change {
    /// Calls: 1 or 0.
    pub calls: u64,
    /// Duration of the call in ticks.
    pub duration: u64,
    pub failed: u32,
    pub sent: u64,
    pub received: u64,
    /// Entries into the progress engine.
    pub engine: Entries,
}

impl Change {
    /// One call, with its duration in ticks and its bytes.
    pub fn of_call(duration: u64, (sent, received): (u64, u64)) -> Change {
        Change { calls: 1, duration, sent, received, ..Change::default() }
    }
}

macro_rules! word {
    ($entry:expr, $($field:tt)+) => {
        // SAFETY: a field of an entry, which only atomic operations touch.
        unsafe { AtomicU64::from_ptr(&raw mut (*$entry.0.as_ptr()).$($field)+) }
    };
}

macro_rules! half {
    ($entry:expr, $field:ident) => {
        // SAFETY: as above.
        unsafe { AtomicU32::from_ptr(&raw mut (*$entry.0.as_ptr()).$field) }
    };
}

impl Entry {
    /// The entry at `place`.
    ///
    /// # Safety
    /// The place must stay valid while the process lives, and be used only by `Entry`s.
    pub unsafe fn at(place: NonNull<ProfileEntry>) -> Entry {
        Entry(place)
    }

    /// Assigns the entry to a signature, or to a function. The signature marks the entry as used, so it is written
    /// last.
    pub fn begin(self, signature: u32, call: u64) {
        word!(self, call).store(call, Relaxed);
        half!(self, signature).store(signature, Release);
    }

    /// The signature, and the count that the next call makes.
    #[inline(always)]
    pub fn next(self) -> (u32, u64) {
        (half!(self, signature).load(Relaxed), word!(self, count).load(Relaxed) + 1)
    }

    pub fn is_used(self) -> bool {
        half!(self, signature).load(Acquire) != 0
    }

    /// Adds a change, if no other thread adds to this entry.
    #[inline(always)]
    pub fn add_alone(self, change: &Change) {
        let add = |field: &AtomicU64, by: u64| {
            let sum = field.load(Relaxed).wrapping_add(by);
            field.store(sum, Relaxed);
            sum
        };
        if change.calls != 0 {
            let (first, duration) = (add(word!(self, count), change.calls) == 1, change.duration);
            add(word!(self, total), duration);
            if first || duration < word!(self, min).load(Relaxed) {
                word!(self, min).store(duration, Relaxed);
            }
            if duration > word!(self, max).load(Relaxed) {
                word!(self, max).store(duration, Relaxed);
            }
        }
        if change.failed != 0 {
            let failed = half!(self, failed);
            failed.store(failed.load(Relaxed) + change.failed, Relaxed);
        }
        if change.sent | change.received != 0 {
            add(word!(self, sent), change.sent);
            add(word!(self, received), change.received);
        }
        if change.engine.entries != 0 {
            add(word!(self, engine.entries), change.engine.entries);
            add(word!(self, engine.productive), change.engine.productive);
            add(word!(self, engine.ticks), change.engine.ticks);
        }
    }

    /// Adds a change while other threads may, too.
    pub fn add(self, change: &Change) {
        let add = |field: &AtomicU64, by: u64| {
            if by != 0 {
                field.fetch_add(by, Relaxed);
            }
        };
        if change.calls != 0 {
            word!(self, min).fetch_min(change.duration, Relaxed);
            word!(self, max).fetch_max(change.duration, Relaxed);
        }
        if change.failed != 0 {
            half!(self, failed).fetch_add(change.failed, Relaxed);
        }
        add(word!(self, count), change.calls);
        add(word!(self, total), change.duration);
        add(word!(self, sent), change.sent);
        add(word!(self, received), change.received);
        add(word!(self, engine.entries), change.engine.entries);
        add(word!(self, engine.productive), change.engine.productive);
        add(word!(self, engine.ticks), change.engine.ticks);
    }

    /// Sets the shortest duration, unless there is one.
    pub fn begin_min(self, min: u64) {
        let _ = word!(self, min).compare_exchange(0, min, Relaxed, Relaxed);
    }

    /// Resets all counts, and the shortest duration to `min`. Signature and function stay.
    pub fn forget(self, min: u64) {
        half!(self, failed).store(0, Relaxed);
        word!(self, min).store(min, Relaxed);
        for field in [
            word!(self, count),
            word!(self, total),
            word!(self, max),
            word!(self, sent),
            word!(self, received),
            word!(self, engine.entries),
            word!(self, engine.productive),
            word!(self, engine.ticks),
        ] {
            field.store(0, Relaxed);
        }
    }
}
