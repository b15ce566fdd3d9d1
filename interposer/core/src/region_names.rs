//! Names of regions by what they say, each with a number: any thread finds and adds them, without a lock. None is forgotten.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::memory;
use crate::slots::Slots;

/// Slots for names, as a power of two.
const BITS: u32 = 12;
/// A program that makes up ever new names must not fill memory with them: when there are so many, others share one number.
const MOST: u32 = (1 << BITS) / 2;
/// Bytes of a name that count.
const LONGEST: usize = 255;
/// What all further names are called, and the number of that.
const OTHERS: &[u8] = b"(other regions)";
const OTHERS_NUMBER: u32 = MOST + 1;

/// See the module.
pub struct RegionNames {
    slots: Slots,
    /// By number.
    names: NonNull<RegionName>,
    /// Numbers that were taken.
    taken: AtomicU32,
}

// SAFETY: a name that others can find does not change but by atomic operations, and is never freed.
unsafe impl Send for RegionNames {}
// SAFETY: as above.
unsafe impl Sync for RegionNames {}

/// A name that was met.
pub struct RegionName {
    number: u32,
    is_told: AtomicBool,
    length: u8,
    text: [u8; LONGEST],
}

impl RegionNames {
    /// None but that for names without room; `None` where memory ran out.
    pub fn new() -> Option<RegionNames> {
        let names = memory::zeroed(OTHERS_NUMBER as usize + 1)?;
        let all = RegionNames { slots: Slots::new(BITS)?, names, taken: AtomicU32::new(0) };
        all.write(OTHERS_NUMBER, OTHERS);
        all.slots.add(hash(OTHERS), OTHERS_NUMBER, |_| false);
        Some(all)
    }

    /// The name that says this, which is new if nobody has asked before.
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
        // If another thread was faster with the same name, the number stays without one.
        self.name(self.slots.add(hash, number, |other| self.name(other).text() == text))
    }

    /// Writes a name that no other thread knows.
    fn write(&self, number: u32, said: &[u8]) {
        let mut text = [0; LONGEST];
        text.iter_mut().zip(said).for_each(|(place, byte)| *place = *byte);
        let name = RegionName { number, is_told: AtomicBool::new(false), length: said.len() as u8, text };
        // SAFETY: there are as many names, and this one was given to nobody else.
        unsafe { self.names.add(number as usize).write(name) };
    }

    fn name(&self, number: u32) -> &RegionName {
        // SAFETY: numbers in slots have names.
        unsafe { self.names.add(number as usize).as_ref() }
    }
}

impl RegionName {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What it says, as far as that counts.
    pub fn text(&self) -> &[u8] {
        self.text.get(..self.length as usize).unwrap_or(&self.text)
    }

    /// Whether it has to be told: to the first that asks, and never again.
    pub fn is_untold(&self) -> bool {
        !self.is_told.load(Relaxed) && !self.is_told.swap(true, Relaxed)
    }
}

/// FNV-1a, of which the upper bits are the better ones.
fn hash(text: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.iter().fold(0xcbf2_9ce4_8422_2325, add)
}
