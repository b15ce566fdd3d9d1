//! The tree of call paths: from a return address, and the number of the site that called its function, to the site's number.
//!
//! One thread at a time adds and forgets; any thread may look up meanwhile, also in a signal handler that has interrupted the one that
//! adds. So an entry's number is written last, and a table that has become too small stays for those who are reading it.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::*;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use crate::memory;
use crate::spread::spread;

/// log2 of the places in the first table: 16 KiB.
const FIRST_BITS: u32 = 10;
/// Limit on the entries.
pub const MOST: usize = 1 << 17;
/// The address of a forgotten entry, which is in no program.
const FORGOTTEN: u64 = u64::MAX;

pub struct PathNumbers {
    table: AtomicPtr<PathTable>,
    used: AtomicUsize,
}

struct PathTable {
    bits: u32,
    /// The first of the places, which are behind this in memory.
    places: *const PathPlace,
}

struct PathPlace {
    address: AtomicU64,
    caller: AtomicU32,
    /// 0 for a free place.
    number: AtomicU32,
}

impl PathNumbers {
    /// An empty tree; `None` if memory ran out.
    pub fn new() -> Option<PathNumbers> {
        let table = AtomicPtr::new(PathTable::new(FIRST_BITS)?.as_ptr());
        Some(PathNumbers { table, used: AtomicUsize::new(0) })
    }

    /// Entries so far, forgotten ones among them.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// The number of the site with this return address, in a function that `caller` has called.
    pub fn find(&self, caller: u32, address: u64) -> Option<u32> {
        for place in self.table().way(caller, address) {
            let number = place.number.load(Acquire);
            if number == 0 {
                return None;
            }
            if place.address.load(Relaxed) == address && place.caller.load(Relaxed) == caller {
                return Some(number);
            }
        }
        None
    }

    /// Adds a site that is not there, with a number other than 0. `false` if there is no room.
    pub fn add(&self, caller: u32, address: u64, number: u32) -> bool {
        // Half of the places stay free, so that a look-up takes few steps.
        if self.used() == MOST || self.used() >= self.table().places().len() / 2 && !self.grow() {
            return false;
        }
        self.table().add(caller, address, number);
        self.used.fetch_add(1, Relaxed);
        true
    }

    /// Forgets the sites whose addresses satisfy `is_gone`. Their places stay in use, so that look-ups find others
    /// behind them.
    pub fn forget(&self, is_gone: impl Fn(u64) -> bool) {
        for place in self.table().places().iter().filter(|place| place.number.load(Relaxed) != 0) {
            if is_gone(place.address.load(Relaxed)) {
                place.address.store(FORGOTTEN, Relaxed);
            }
        }
    }

    fn grow(&self) -> bool {
        let small = self.table();
        let Some(large) = PathTable::new(small.bits + 1) else { return false };
        // SAFETY: a table that was just made, and is never freed.
        let table = unsafe { large.as_ref() };
        for place in small.places().iter().filter(|place| place.number.load(Relaxed) != 0) {
            let (caller, address) = (place.caller.load(Relaxed), place.address.load(Relaxed));
            table.add(caller, address, place.number.load(Relaxed));
        }
        self.table.store(large.as_ptr(), Release);
        true
    }

    fn table(&self) -> &'static PathTable {
        // SAFETY: there is a table from the begin, and tables are never freed.
        unsafe { &*self.table.load(Acquire) }
    }
}

impl PathTable {
    fn new(bits: u32) -> Option<NonNull<PathTable>> {
        const { assert!(size_of::<PathTable>() <= size_of::<PathPlace>()) }
        let memory = memory::zeroed::<PathPlace>(1 + (1 << bits))?;
        // SAFETY: fresh memory, with room for the table in front of the places.
        unsafe {
            let table = memory.cast::<PathTable>();
            table.write(PathTable { bits, places: memory.add(1).as_ptr() });
            Some(table)
        }
    }

    fn places(&self) -> &[PathPlace] {
        // SAFETY: the table was made with this many places.
        unsafe { std::slice::from_raw_parts(self.places, 1 << self.bits) }
    }

    fn add(&self, caller: u32, address: u64, number: u32) {
        if let Some(free) = self.way(caller, address).find(|place| place.number.load(Relaxed) == 0) {
            free.address.store(address, Relaxed);
            free.caller.store(caller, Relaxed);
            free.number.store(number, Release);
        }
    }

    /// All places that an entry may have, the preferred one first.
    fn way(&self, caller: u32, address: u64) -> impl Iterator<Item = &PathPlace> {
        let first = (spread(address ^ u64::from(caller).rotate_left(40)) >> (u64::BITS - self.bits)) as usize;
        let (behind, from) = self.places().split_at(first);
        from.iter().chain(behind)
    }
}
