//! A table from MPI handles to what is known of them: constant time, no allocation while it has room, no lock to read.
//!
//! Eight keys share a cache line. A handle takes the one it prefers if that is free, which is all that is looked at in
//! the usual case; a full bucket overflows into a larger level. So memory grows with the handles that live at once, not
//! with those that ever lived.
//!
//! A handle is found, inserted and removed while it lives, and MPI lets no two threads do that to one handle at the
//! same time. So a reader never meets a value that is being written. A table has one writer, the thread that owns it and
//! [`insert`](Handles::insert)s, or many, which [`share`](Handles::share): two may meet the same handle for the first time,
//! and then it is there twice until it is removed.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

use crate::recorder::memory;

const KEYS: usize = 8;
const LEVELS: usize = 6;
const FIRST_BITS: u32 = 8;
/// Each level has this many more bits of buckets than the one before.
const STEP_BITS: u32 = 3;

/// Whether a handle stays known.
pub enum Keep {
    Yes,
    No,
}

/// See the module.
pub struct Handles<V> {
    levels: [AtomicPtr<Bucket<V>>; LEVELS],
}

#[repr(C, align(64))]
struct Bucket<V> {
    keys: [AtomicU64; KEYS],
    values: [UnsafeCell<V>; KEYS],
}

impl<V: Copy> Handles<V> {
    /// An empty table.
    pub const fn new() -> Handles<V> {
        Handles { levels: [const { AtomicPtr::new(null_mut()) }; LEVELS] }
    }

    /// What is known of the handle.
    #[inline(always)]
    pub fn get(&self, handle: u64) -> Option<V> {
        let (bucket, at) = self.find(handle)?;
        // SAFETY: the handle lives, so its value is not being written; see the module.
        Some(unsafe { *bucket.values[at].get() })
    }

    /// Forgets the handle, and says what was known of it.
    pub fn remove(&self, handle: u64) -> Option<V> {
        let known = self.visit(handle, |_| Keep::No);
        if known.is_some() {
            while self.visit(handle, |_| Keep::No).is_some() {}
        }
        known
    }

    /// Shows what is known of the handle to `visit`, which may change it and says whether to keep it. Returns it as it
    /// was before.
    #[inline(always)]
    pub fn visit(&self, handle: u64, visit: impl FnOnce(&mut V) -> Keep) -> Option<V> {
        let (bucket, at) = self.find(handle)?;
        // SAFETY: the handle lives, so its value is not being written; see the module.
        let value = unsafe { &mut *bucket.values[at].get() };
        let before = *value;
        if let Keep::No = visit(value) {
            bucket.keys[at].store(0, Release);
        }
        Some(before)
    }

    /// Remembers a handle. `false` where memory ran out. The handle may be known already; then it is overwritten.
    ///
    /// # Safety
    /// No other thread may be inserting into this table, or sharing.
    #[inline(always)]
    pub unsafe fn insert(&self, handle: u64, value: V) -> bool {
        let buckets = self.levels[0].load(Acquire);
        if !buckets.is_null() {
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, 0)) };
            let at = preferred(handle);
            if bucket.keys[at].load(Relaxed) == 0 {
                bucket.write(at, handle, value);
                return true;
            }
        }
        self.insert_elsewhere(handle, value)
    }

    #[inline(never)]
    fn insert_elsewhere(&self, handle: u64, value: V) -> bool {
        let mut free = None;
        for level in 0..LEVELS {
            let buckets = self.levels[level].load(Acquire);
            if buckets.is_null() {
                break;
            }
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, level)) };
            for at in around(preferred(handle)) {
                match bucket.keys[at].load(Relaxed) {
                    known if known == handle => {
                        bucket.write(at, handle, value);
                        return true;
                    }
                    0 if free.is_none() => free = Some((bucket, at)),
                    _ => {}
                }
            }
        }
        if let Some((bucket, at)) = free {
            bucket.write(at, handle, value);
            return true;
        }
        self.grow(handle, value)
    }

    /// Remembers a handle that is not known, while other threads do the same. `false` where memory ran out.
    pub fn share(&self, handle: u64, value: V) -> bool {
        for (level, slot) in self.levels.iter().enumerate() {
            let mut buckets = slot.load(Acquire);
            if buckets.is_null() {
                let Some(fresh) = memory::zeroed::<Bucket<V>>(1 << bits(level)) else { return false };
                buckets = match slot.compare_exchange(buckets, fresh.as_ptr(), AcqRel, Acquire) {
                    Ok(_) => fresh.as_ptr(),
                    Err(others) => {
                        memory::give_back(fresh.as_ptr(), 1 << bits(level));
                        others
                    }
                };
            }
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, level)) };
            if let Some(at) = around(preferred(handle)).find(|at| bucket.claim(*at)) {
                bucket.write(at, handle, value);
                return true;
            }
        }
        false
    }

    #[cold]
    fn grow(&self, handle: u64, value: V) -> bool {
        for (level, slot) in self.levels.iter().enumerate() {
            if slot.load(Relaxed).is_null() {
                let Some(buckets) = memory::zeroed::<Bucket<V>>(1 << bits(level)) else { return false };
                // SAFETY: zeroed memory is empty buckets: keys of zero, values nobody reads.
                unsafe { buckets.add(place(handle, level)).as_ref() }.write(0, handle, value);
                slot.store(buckets.as_ptr(), Release);
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn find(&self, handle: u64) -> Option<(&Bucket<V>, usize)> {
        let buckets = self.levels[0].load(Acquire);
        if !buckets.is_null() {
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, 0)) };
            let at = preferred(handle);
            if bucket.keys[at].load(Acquire) == handle {
                return Some((bucket, at));
            }
        }
        self.find_elsewhere(handle)
    }

    #[inline(never)]
    fn find_elsewhere(&self, handle: u64) -> Option<(&Bucket<V>, usize)> {
        if handle == 0 {
            return None;
        }
        for level in 0..LEVELS {
            let buckets = self.levels[level].load(Acquire);
            if buckets.is_null() {
                return None;
            }
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, level)) };
            let found = around(preferred(handle)).find(|at| bucket.keys[*at].load(Acquire) == handle);
            if let Some(at) = found {
                return Some((bucket, at));
            }
        }
        None
    }
}

impl<V: Copy> Bucket<V> {
    #[inline(always)]
    fn write(&self, at: usize, handle: u64, value: V) {
        // SAFETY: the slot is free, or holds this very handle; see the module.
        unsafe { *self.values[at].get() = value };
        self.keys[at].store(handle, Release);
    }

    /// Takes a free key away from other writers.
    fn claim(&self, at: usize) -> bool {
        self.keys[at].load(Relaxed) == 0 && self.keys[at].compare_exchange(0, CLAIMED, Acquire, Relaxed).is_ok()
    }
}

// SAFETY: values are only touched by the thread that uses the handle; see the module.
unsafe impl<V: Copy + Send> Sync for Handles<V> {}

/// No handle: a key whose value is being written.
const CLAIMED: u64 = u64::MAX;

const fn bits(level: usize) -> u32 {
    FIRST_BITS + STEP_BITS * level as u32
}

/// The key of a bucket that a handle takes if it can.
#[inline(always)]
fn preferred(handle: u64) -> usize {
    // Bits that `place` uses last.
    (handle.wrapping_mul(SPREAD) >> 16) as usize % KEYS
}

/// All keys of a bucket, from this one on.
fn around(first: usize) -> impl Iterator<Item = usize> {
    (0..KEYS).map(move |step| (first + step) % KEYS)
}

/// Multiplying by it spreads neighbouring handles over the high bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn place(handle: u64, level: usize) -> usize {
    (handle.wrapping_mul(SPREAD) >> (64 - bits(level))) as usize
}
