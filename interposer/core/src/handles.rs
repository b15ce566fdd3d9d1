//! A table from MPI handles to a value: constant time, no lock, and no allocation while it has room.
//!
//! Eight keys share a cache line, a bucket. A handle takes its preferred slot if that is free, so the usual look-up
//! reads one slot; a full bucket overflows into a larger level. Memory grows with the handles that live at once, not
//! with those that ever lived.
//!
//! A handle is found, inserted and removed while it lives, and MPI lets no two threads do that to one handle at the
//! same time. So a reader never meets a value that is being written. A table has either one writer, the thread that
//! owns it and calls [`insert`](Handles::insert), or many, which call [`share`](Handles::share): if two of them meet
//! the same handle for the first time, the table holds it twice until it is removed.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::*;

use crate::orders::{AtomicPtr, AtomicU64, Cell};
use crate::spread::spread;

#[cfg(not(loom))]
mod sizes {
    //! Eight keys fill a cache line, and the first level is large enough for most programs.
    pub const KEYS: usize = 8;
    pub const FIRST_BITS: u32 = 8;
    /// log2 of a level's buckets over the level before it.
    pub const STEP_BITS: u32 = 3;
}

#[cfg(loom)]
mod sizes {
    //! Small enough that loom's threads collide in every possible way.
    pub const KEYS: usize = 2;
    pub const FIRST_BITS: u32 = 0;
    pub const STEP_BITS: u32 = 1;
}

use sizes::{FIRST_BITS, KEYS, STEP_BITS};

const LEVELS: usize = 6;

/// Decides if a handle stays in the table.
pub enum Keep {
    Yes,
    No,
}

pub struct Handles<V> {
    levels: [AtomicPtr<Bucket<V>>; LEVELS],
}

#[repr(C, align(64))]
struct Bucket<V> {
    keys: [AtomicU64; KEYS],
    values: [Cell<MaybeUninit<V>>; KEYS],
}

struct Slot<'a, V> {
    bucket: &'a Bucket<V>,
    /// Index of the key, modulo [`KEYS`].
    at: usize,
}

impl<V: Copy> Default for Handles<V> {
    fn default() -> Handles<V> {
        Handles::new()
    }
}

impl<V: Copy> Handles<V> {
    #[cfg(not(loom))]
    pub const fn new() -> Handles<V> {
        Handles { levels: [const { AtomicPtr::new(null_mut()) }; LEVELS] }
    }

    #[cfg(loom)]
    pub fn new() -> Handles<V> {
        Handles { levels: std::array::from_fn(|_| AtomicPtr::new(null_mut())) }
    }

    /// The handle's value; always `None` for 0, which is no handle.
    #[inline(always)]
    pub fn get(&self, handle: u64) -> Option<V> {
        Some(self.find(handle)?.read())
    }

    /// Removes the handle, wherever it is, and returns its value.
    pub fn remove(&self, handle: u64) -> Option<V> {
        let known = self.visit(handle, |_| Keep::No);
        if known.is_some() {
            while self.visit(handle, |_| Keep::No).is_some() {}
        }
        known
    }

    /// Passes the handle's value to `visit`, which may change it and decides whether to keep it. Returns the value as
    /// it was before.
    #[inline(always)]
    pub fn visit(&self, handle: u64, visit: impl FnOnce(&mut V) -> Keep) -> Option<V> {
        let slot = self.find(handle)?;
        let (before, keep) = slot.change(|value| (*value, visit(value)));
        if let Keep::No = keep {
            slot.key().store(0, Release);
        }
        Some(before)
    }

    /// Adds a handle; `false` if memory ran out. If the table still has the handle, say of a request that completed
    /// unseen, look-ups find the new value until [`visit`](Self::visit) drops it; [`remove`](Self::remove) drops both.
    ///
    /// # Safety
    /// No other thread may be in `insert` or `share` of this table.
    #[inline(always)]
    pub unsafe fn insert(&self, handle: u64, value: V) -> bool {
        match self.preferred(handle) {
            Some(slot) if slot.key().load(Relaxed) == 0 => {
                slot.write(handle, value);
                true
            }
            _ => self.insert_elsewhere(handle, value),
        }
    }

    #[inline(never)]
    fn insert_elsewhere(&self, handle: u64, value: V) -> bool {
        let mut free = None;
        for slot in self.slots(handle) {
            match slot.key().load(Relaxed) {
                known if known == handle => {
                    slot.write(handle, value);
                    return true;
                }
                0 if free.is_none() => free = Some(slot),
                _ => {}
            }
        }
        if let Some(slot) = free {
            slot.write(handle, value);
            return true;
        }
        self.grow(handle, value)
    }

    /// Adds a handle that the table does not have, while other threads do the same; `false` if memory ran out.
    pub fn share(&self, handle: u64, value: V) -> bool {
        for (level, first) in self.levels.iter().enumerate() {
            let mut buckets = first.load(Acquire);
            if buckets.is_null() {
                let Some(fresh) = Bucket::empty(level) else { return false };
                buckets = match first.compare_exchange(buckets, fresh, AcqRel, Acquire) {
                    Ok(_) => fresh,
                    Err(others) => {
                        Bucket::give_back(fresh, level);
                        others
                    }
                };
            }
            // SAFETY: the level has this many buckets.
            let bucket = unsafe { &*buckets.add(place(handle, level)) };
            if let Some(slot) = bucket.around(handle).find(Slot::claim) {
                slot.write(handle, value);
                return true;
            }
        }
        false
    }

    #[cold]
    fn grow(&self, handle: u64, value: V) -> bool {
        let Some((level, first)) = self.levels.iter().enumerate().find(|(_, first)| first.load(Relaxed).is_null())
        else {
            return false;
        };
        let Some(buckets) = Bucket::empty(level) else { return false };
        // SAFETY: the level has this many buckets.
        let bucket = unsafe { &*buckets.add(place(handle, level)) };
        bucket.preferred(handle).write(handle, value);
        first.store(buckets, Release);
        true
    }

    #[inline(always)]
    fn find(&self, handle: u64) -> Option<Slot<'_, V>> {
        match self.preferred(handle) {
            // A free slot has the key 0, and no value.
            Some(slot) if slot.key().load(Acquire) == handle && handle != 0 => Some(slot),
            _ => self.find_elsewhere(handle),
        }
    }

    #[inline(never)]
    fn find_elsewhere(&self, handle: u64) -> Option<Slot<'_, V>> {
        if handle == 0 { None } else { self.slots(handle).find(|slot| slot.key().load(Acquire) == handle) }
    }

    /// The slot that a handle takes if it is free; `None` if the table has no level yet.
    #[inline(always)]
    fn preferred(&self, handle: u64) -> Option<Slot<'_, V>> {
        let buckets = self.levels[0].load(Acquire);
        if buckets.is_null() {
            return None;
        }
        // SAFETY: the level has this many buckets.
        Some(unsafe { &*buckets.add(place(handle, 0)) }.preferred(handle))
    }

    /// All slots that a handle may have, the preferred one first.
    fn slots(&self, handle: u64) -> impl Iterator<Item = Slot<'_, V>> {
        let buckets = self.levels.iter().map(|first| first.load(Acquire)).take_while(|buckets| !buckets.is_null());
        // SAFETY: the level has this many buckets.
        buckets
            .enumerate()
            .flat_map(move |(level, buckets)| unsafe { &*buckets.add(place(handle, level)) }.around(handle))
    }
}

impl<V> Slot<'_, V> {
    #[expect(clippy::indexing_slicing, reason = "the compiler sees that the remainder is below the length")]
    #[inline(always)]
    fn key(&self) -> &AtomicU64 {
        &self.bucket.keys[self.at % KEYS]
    }

    #[expect(clippy::indexing_slicing, reason = "as above")]
    #[inline(always)]
    fn value(&self) -> &Cell<MaybeUninit<V>> {
        &self.bucket.values[self.at % KEYS]
    }

    #[inline(always)]
    fn write(&self, handle: u64, value: V) {
        // SAFETY: the slot is free, or holds this very handle; see the module.
        self.value().with_mut(|place| unsafe { (*place).write(value) });
        self.key().store(handle, Release);
    }

    #[inline(always)]
    fn change<R>(&self, change: impl FnOnce(&mut V) -> R) -> R {
        // SAFETY: as in `read`, and no other thread uses the handle meanwhile.
        self.value().with_mut(|value| change(unsafe { (*value).assume_init_mut() }))
    }

    /// Reserves the slot if it is free, so that other writers leave it alone.
    fn claim(&self) -> bool {
        self.key().load(Relaxed) == 0 && self.key().compare_exchange(0, CLAIMED, Acquire, Relaxed).is_ok()
    }
}

impl<V: Copy> Slot<'_, V> {
    #[inline(always)]
    fn read(&self) -> V {
        // SAFETY: the handle lives, so its value was written and is not being written; see the module.
        self.value().with(|value| unsafe { (*value).assume_init() })
    }
}

impl<V> Bucket<V> {
    /// The slot that a handle takes if it is free. It depends on bits of the hash that `place` uses last.
    #[inline(always)]
    fn preferred(&self, handle: u64) -> Slot<'_, V> {
        Slot { bucket: self, at: (spread(handle) >> 16) as usize % KEYS }
    }

    /// All slots of the bucket, the preferred one first.
    fn around(&self, handle: u64) -> impl Iterator<Item = Slot<'_, V>> {
        let first = self.preferred(handle).at;
        (first..first + KEYS).map(|at| Slot { bucket: self, at })
    }

    /// The empty buckets of a level; `None` if memory ran out.
    #[cfg(not(loom))]
    fn empty(level: usize) -> Option<*mut Bucket<V>> {
        // Zeroed memory is empty buckets: key 0 means free, and a free slot's value is never read.
        Some(crate::memory::zeroed(1 << bits(level))?.as_ptr())
    }

    /// Frees buckets that no other thread has seen.
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
}

// SAFETY: values are only touched by the thread that uses the handle; see the module.
unsafe impl<V: Copy + Send> Sync for Handles<V> {}

/// The key of a slot whose value is being written; no handle.
const CLAIMED: u64 = u64::MAX;

const fn bits(level: usize) -> u32 {
    FIRST_BITS + STEP_BITS * level as u32
}

#[inline(always)]
fn place(handle: u64, level: usize) -> usize {
    if bits(level) == 0 { 0 } else { (spread(handle) >> (64 - bits(level))) as usize }
}
