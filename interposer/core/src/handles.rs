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

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::*;

use crate::orders::{AtomicPtr, AtomicU64, Cell};

#[cfg(not(loom))]
mod sizes {
    //! Eight keys share a cache line, and the first level is as large as most programs need.
    pub const KEYS: usize = 8;
    pub const FIRST_BITS: u32 = 8;
    /// Each level has this many more bits of buckets than the one before.
    pub const STEP_BITS: u32 = 3;
}

#[cfg(loom)]
mod sizes {
    //! So few that threads meet in every way there is.
    pub const KEYS: usize = 2;
    pub const FIRST_BITS: u32 = 0;
    pub const STEP_BITS: u32 = 1;
}

use sizes::{FIRST_BITS, KEYS, STEP_BITS};

const LEVELS: usize = 6;

/// Whether a handle stays known.
pub enum Keep {
    /// It does.
    Yes,
    /// It is forgotten.
    No,
}

/// See the module.
pub struct Handles<V> {
    levels: [AtomicPtr<Bucket<V>>; LEVELS],
}

#[repr(C, align(64))]
struct Bucket<V> {
    keys: [AtomicU64; KEYS],
    values: [Cell<MaybeUninit<V>>; KEYS],
}

impl<V: Copy> Default for Handles<V> {
    fn default() -> Handles<V> {
        Handles::new()
    }
}

impl<V: Copy> Handles<V> {
    /// An empty table.
    #[cfg(not(loom))]
    pub const fn new() -> Handles<V> {
        Handles { levels: [const { AtomicPtr::new(null_mut()) }; LEVELS] }
    }

    /// An empty table.
    #[cfg(loom)]
    pub fn new() -> Handles<V> {
        Handles { levels: std::array::from_fn(|_| AtomicPtr::new(null_mut())) }
    }

    /// What is known of the handle.
    #[inline(always)]
    pub fn get(&self, handle: u64) -> Option<V> {
        let (bucket, at) = self.find(handle)?;
        Some(bucket.read(at))
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
        let (before, keep) = bucket.change(at, |value| (*value, visit(value)));
        if let Keep::No = keep {
            bucket.keys[at].store(0, Release);
        }
        Some(before)
    }

    /// Remembers a handle. `false` where memory ran out. Where it is known already, as from a request that was completed unseen,
    /// the new value is what is found, until [`visit`](Self::visit) forgets it; [`remove`](Self::remove) forgets both.
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
                let Some(fresh) = Bucket::empty(level) else { return false };
                buckets = match slot.compare_exchange(buckets, fresh, AcqRel, Acquire) {
                    Ok(_) => fresh,
                    Err(others) => {
                        Bucket::give_back(fresh, level);
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
                let Some(buckets) = Bucket::empty(level) else { return false };
                // SAFETY: the level has this many buckets.
                unsafe { &*buckets.add(place(handle, level)) }.write(0, handle, value);
                slot.store(buckets, Release);
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
        self.values[at].with_mut(|place| unsafe { (*place).write(value) });
        self.keys[at].store(handle, Release);
    }

    #[inline(always)]
    fn read(&self, at: usize) -> V {
        // SAFETY: the handle lives, so its value was written and is not being written; see the module.
        self.values[at].with(|value| unsafe { (*value).assume_init() })
    }

    #[inline(always)]
    fn change<R>(&self, at: usize, change: impl FnOnce(&mut V) -> R) -> R {
        // SAFETY: as in `read`, and nobody else uses the handle meanwhile.
        self.values[at].with_mut(|value| change(unsafe { (*value).assume_init_mut() }))
    }

    /// The buckets of a level, without a key; `None` where memory ran out.
    #[cfg(not(loom))]
    fn empty(level: usize) -> Option<*mut Bucket<V>> {
        // Zeroed memory is empty buckets: keys of zero, values that nobody reads.
        Some(crate::memory::zeroed(1 << bits(level))?.as_ptr())
    }

    /// Buckets that nobody has seen.
    #[cfg(not(loom))]
    fn give_back(buckets: *mut Bucket<V>, level: usize) {
        crate::memory::give_back(buckets, 1 << bits(level));
    }

    #[cfg(loom)]
    fn empty(level: usize) -> Option<*mut Bucket<V>> {
        let empty = || Bucket {
            keys: std::array::from_fn(|_| AtomicU64::new(0)),
            values: std::array::from_fn(|_| Cell::new(MaybeUninit::uninit())),
        };
        let buckets: Box<[Bucket<V>]> = (0..1usize << bits(level)).map(|_| empty()).collect();
        Some(Box::leak(buckets).as_mut_ptr())
    }

    #[cfg(loom)]
    fn give_back(_: *mut Bucket<V>, _: usize) {}

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

/// Multiplying by it spreads neighboring handles over the high bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn place(handle: u64, level: usize) -> usize {
    if bits(level) == 0 { 0 } else { (handle.wrapping_mul(SPREAD) >> (64 - bits(level))) as usize }
}
