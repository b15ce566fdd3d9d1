//! Open addressing, from a hash to a number. What the number stands for is the asker's: he says whether it is what he looks for.
//!
//! One thread adds while others look, or several add: whoever comes second to a slot sees what came first. Nothing is ever taken
//! out. Slots are twice as many as numbers at least, so a search ends soon.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::*;

use crate::orders::AtomicU32;

/// See the module.
pub struct Slots {
    /// Numbers, 0 where there is none.
    first: NonNull<AtomicU32>,
    /// How many there are, as a power of two.
    bits: u32,
}

// SAFETY: the slots are there as long as this is, and only atomic operations touch them.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    /// Empty ones, as many as 2 to the power of `bits`, which is not 0; `None` where memory ran out.
    pub fn new(bits: u32) -> Option<Slots> {
        Some(Slots { first: empty(1 << bits)?, bits })
    }

    /// Whether so many numbers leave half of the slots free.
    pub fn hold(&self, numbers: u32) -> bool {
        numbers as usize <= 1 << (self.bits - 1)
    }

    /// Has the system give their memory now.
    #[cfg(not(loom))]
    pub fn prepare(&self) {
        crate::memory::populate(self.first, 1 << self.bits);
    }

    /// The number with this hash that is the one.
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

    /// Adds a number that was not found, and returns it; the one that another thread has added meanwhile, if that is the one.
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

    /// Doubles them. `hash` is that of a number. `None` where memory ran out, and then they are as they were.
    pub fn grow(&mut self, hash: impl Fn(u32) -> u64) -> Option<()> {
        let larger = Slots::new(self.bits + 1)?;
        let numbers = (0..1 << self.bits).map(|place| self.slot(place).load(Relaxed));
        numbers.filter(|number| *number != 0).for_each(|number| _ = larger.add(hash(number), number, |_| false));
        let smaller = std::mem::replace(self, larger);
        give_back(smaller.first, 1 << smaller.bits);
        Some(())
    }

    #[inline(always)]
    fn slot(&self, place: usize) -> &AtomicU32 {
        // SAFETY: places are below the number of slots.
        unsafe { self.first.add(place).as_ref() }
    }

    /// The place that a hash prefers.
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
