//! Names of regions, each with a number. Any thread finds and adds names, without a lock; none is ever removed.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::memory;
use crate::slots::Slots;

/// log2 of the number of slots.
const BITS: u32 = 12;
/// Limit on the names. All further ones share one number, so that a program that invents ever new names does not fill
/// memory.
const MOST: u32 = (1 << BITS) / 2;
/// Bytes of a name that are kept and compared.
const LONGEST: usize = 255;
/// The name that all further names share, and its number.
const OTHERS: &[u8] = b"(other regions)";
const OTHERS_NUMBER: u32 = MOST + 1;

pub struct RegionNames {
    slots: Slots,
    /// Indexed by number.
    names: NonNull<RegionName>,
    /// Numbers given out.
    taken: AtomicU32,
}

// SAFETY: a name that other threads can find changes only by atomic operations, and is never freed.
unsafe impl Send for RegionNames {}
// SAFETY: as above.
unsafe impl Sync for RegionNames {}

pub struct RegionName {
    number: u32,
    is_told: AtomicBool,
    length: u8,
    text: [u8; LONGEST],
}

impl RegionNames {
    /// A table with only the name of further names; `None` if memory ran out.
    pub fn new() -> Option<RegionNames> {
        let names = memory::zeroed(OTHERS_NUMBER as usize + 1)?;
        let all = RegionNames { slots: Slots::new(BITS)?, names, taken: AtomicU32::new(0) };
        all.write(OTHERS_NUMBER, OTHERS);
        all.slots.add(hash(OTHERS), OTHERS_NUMBER, |_| false);
        Some(all)
    }

    /// The name with this text, which is added if it is new.
    pub fn find(&self, text: &[u8]) -> &RegionName {
        let text = text.get(..LONGEST).unwrap_or(text);
        let hash = hash(text);
        match self.slots.find(hash, |number| self.name(number).text() == text) {
            Some(number) => self.name(number),
            None => self.add(hash, text),
        }
    }

    #[cold]
    fn add(&self, hash: u64, text: &[u8]) -> &RegionName {
        let next = |taken| (taken < MOST).then_some(taken + 1);
        let Ok(taken) = self.taken.try_update(Relaxed, Relaxed, next) else { return self.name(OTHERS_NUMBER) };
        let number = taken + 1;
        self.write(number, text);
        // If another thread has just added the same name, this number stays unused.
        self.name(self.slots.add(hash, number, |other| self.name(other).text() == text))
    }

    /// Writes a name that no other thread can find yet.
    fn write(&self, number: u32, said: &[u8]) {
        let mut text = [0; LONGEST];
        text.iter_mut().zip(said).for_each(|(place, byte)| *place = *byte);
        let name = RegionName { number, is_told: AtomicBool::new(false), length: said.len() as u8, text };
        // SAFETY: `names` has this many, and no other thread has this number.
        unsafe { self.names.add(number as usize).write(name) };
    }

    fn name(&self, number: u32) -> &RegionName {
        // SAFETY: the name of a number is written before the number is in a slot.
        unsafe { self.names.add(number as usize).as_ref() }
    }
}

impl RegionName {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The first 255 bytes of the name.
    pub fn text(&self) -> &[u8] {
        self.text.get(..self.length as usize).unwrap_or(&self.text)
    }

    /// True if the name still has to be written to the file: `true` for the first caller only.
    pub fn is_untold(&self) -> bool {
        !self.is_told.load(Relaxed) && !self.is_told.swap(true, Relaxed)
    }
}

/// FNV-1a. `Slots` use its upper bits, which are the better ones.
fn hash(text: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.iter().fold(0xcbf2_9ce4_8422_2325, add)
}
