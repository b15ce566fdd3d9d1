//! Open addressing, from a hash to a number. The caller knows what a number stands for, and says whether it is the
//! right one.
//!
//! One thread adds while others look up, or several add: the second to reach a slot sees the number of the first.
//! Numbers are never removed. There are at least twice as many slots as numbers, so a search is short.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::*;

use crate::orders::AtomicU32;

pub struct Slots {
    /// Numbers; 0 is a free slot.
    first: NonNull<AtomicU32>,
    /// log2 of the number of slots.
    bits: u32,
}

// SAFETY: the slots live as long as this does, and only atomic operations touch them.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    /// 2^`bits` empty slots, where `bits` is not 0; `None` if memory ran out.
    pub fn new(bits: u32) -> Option<Slots> {
        Some(Slots { first: empty(1 << bits)?, bits })
    }

    /// True if this many numbers leave half of the slots free.
    pub fn hold(&self, numbers: u32) -> bool {
        numbers as usize <= 1 << (self.bits - 1)
    }

    /// Populates their memory now.
    #[cfg(not(loom))]
    pub fn prepare(&self) {
        crate::memory::populate(self.first, 1 << self.bits);
    }

    /// The number with this hash for which `is_it` holds.
    #[inline(always)]
    pub fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut place = self.preferred(hash);
        loop {
            match self.slot(place).load(Acquire) {
                0 => return None,
                number if is_it(number) => return Some(number),
                _ => place = self.behind(place),
            }
        }
    }

    /// Adds a number that was not found, and returns it; or returns the one for which `is_it` holds, if another thread
    /// has added it meanwhile.
    pub fn add(&self, hash: u64, number: u32, is_it: impl Fn(u32) -> bool) -> u32 {
        let mut place = self.preferred(hash);
        loop {
            match self.slot(place).compare_exchange(0, number, AcqRel, Acquire) {
                Ok(_) => return number,
                Err(other) if is_it(other) => return other,
                Err(_) => place = self.behind(place),
            }
        }
    }

    /// Doubles the slots; `hash` gives the hash of a number. `None` if memory ran out; the slots are then unchanged.
    pub fn grow(&mut self, hash: impl Fn(u32) -> u64) -> Option<()> {
        let larger = Slots::new(self.bits + 1)?;
        for place in 0..1 << self.bits {
            let number = self.slot(place).load(Relaxed);
            if number != 0 {
                larger.add(hash(number), number, |_| false);
            }
        }
        let smaller = std::mem::replace(self, larger);
        give_back(smaller.first, 1 << smaller.bits);
        Some(())
    }

    #[inline(always)]
    fn slot(&self, place: usize) -> &AtomicU32 {
        // SAFETY: places are below the number of slots.
        unsafe { self.first.add(place).as_ref() }
    }

    /// The first slot that a search for a hash looks at.
    #[inline(always)]
    fn preferred(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    #[inline(always)]
    fn behind(&self, place: usize) -> usize {
        (place + 1) & ((1 << self.bits) - 1)
    }
}

#[cfg(not(loom))]
fn empty(count: usize) -> Option<NonNull<AtomicU32>> {
    crate::memory::zeroed(count)
}

#[cfg(not(loom))]
fn give_back(slots: NonNull<AtomicU32>, count: usize) {
    crate::memory::give_back(slots.as_ptr(), count);
}

#[cfg(loom)]
fn empty(count: usize) -> Option<NonNull<AtomicU32>> {
    let slots: Box<[AtomicU32]> = (0..count).map(|_| AtomicU32::new(0)).collect();
    Some(NonNull::from(Box::leak(slots)).cast())
}

#[cfg(loom)]
fn give_back(_: NonNull<AtomicU32>, _: usize) {}
