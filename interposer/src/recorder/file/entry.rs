//! An entry of a profile in the file: what calls come to that are only counted.
//!
//! Any thread may set it back while its owner counts, and the totals are counted by all. So its fields are atomics.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use traces::file::ProfileEntry;
use traces::progress::Entries;

/// See the module.
#[derive(Clone, Copy)]
pub struct Entry(NonNull<ProfileEntry>);

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
    /// The entry that is there.
    ///
    /// # Safety
    /// As long as the process lives, and nothing refers to it but entries.
    pub unsafe fn at(place: NonNull<ProfileEntry>) -> Entry {
        Entry(place)
    }

    /// Has it count for a signature, or a function. The signature says that the entry is in use, so it goes last.
    pub fn begin(self, signature: u32, call: u64) {
        word!(self, call).store(call, Relaxed);
        half!(self, signature).store(signature, Release);
    }

    /// Whether it is in use.
    pub fn is_used(self) -> bool {
        half!(self, signature).load(Acquire) != 0
    }

    /// Adds where no other thread does.
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

    /// Adds where other threads do, too.
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

    /// The shortest call was so long, if none is known.
    pub fn begin_min(self, min: u64) {
        let _ = word!(self, min).compare_exchange(0, min, Relaxed, Relaxed);
    }

    /// Sets it back to nothing, and the shortest call to this. What says which calls they are stays.
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
