//! Names of regions by what they say, each with a number. Found without a lock, and never forgotten.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering::*};

use traces::definitions::{Definition, Region};

use crate::recorder::file::shared;
use crate::recorder::guard;

/// A name that was met.
pub struct RegionName {
    number: u32,
    text: Box<[u8]>,
    /// It is in the file.
    defined: AtomicBool,
}

/// Places for names: a power of two, twice what may be taken.
const SLOTS: usize = 1 << 12;
/// A program that makes up ever new names must not fill memory with them: when there are so many, others share one number.
const MOST: u32 = SLOTS as u32 / 2;
/// Bytes of a name that count.
const LONGEST: usize = 255;
/// What all further names are called.
const OTHERS: &[u8] = b"(other regions)";

static NAMES: [AtomicPtr<RegionName>; SLOTS] = [const { AtomicPtr::new(null_mut()) }; SLOTS];
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The number of a name, which is in the file from here on.
pub fn number(text: &[u8]) -> u32 {
    find(text).map_or(0, RegionName::number)
}

/// A name; `None` where memory ran out.
pub fn find(text: &[u8]) -> Option<&'static RegionName> {
    let text = &text[..text.len().min(LONGEST)];
    let mut slot = hash(text);
    loop {
        // SAFETY: names are never freed, nor changed.
        match unsafe { NAMES[slot].load(Acquire).as_ref() } {
            Some(name) if *name.text == *text => return Some(name),
            Some(_) => slot = (slot + 1) % SLOTS,
            None if COUNT.load(Relaxed) >= MOST && text != OTHERS => return find(OTHERS),
            None => return add(text),
        }
    }
}

#[cold]
fn add(text: &[u8]) -> Option<&'static RegionName> {
    guard::run(|| {
        let _shared = shared::lock();
        let mut slot = hash(text);
        // Another thread may have been here meanwhile.
        // SAFETY: as above.
        while let Some(name) = unsafe { NAMES[slot].load(Relaxed).as_ref() } {
            if *name.text == *text {
                return name;
            }
            slot = (slot + 1) % SLOTS;
        }
        let number = COUNT.fetch_add(1, Relaxed) + 1;
        let name: &RegionName =
            Box::leak(Box::new(RegionName { number, text: text.into(), defined: AtomicBool::new(false) }));
        NAMES[slot].store(std::ptr::from_ref(name).cast_mut(), Release);
        name
    })
}

impl RegionName {
    /// Its number. The name is in the file from here on.
    pub fn number(&self) -> u32 {
        if !self.defined.load(Relaxed) {
            self.define();
        }
        self.number
    }

    #[cold]
    fn define(&self) {
        if !self.defined.swap(true, Relaxed) {
            let name = String::from_utf8_lossy(&self.text).into_owned();
            guard::run(|| shared::define(&Definition::Region(Region { number: self.number, name })));
        }
    }
}

/// FNV-1a, of which the upper bits are the better ones.
fn hash(text: &[u8]) -> usize {
    let hash = text
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash >> (64 - SLOTS.ilog2())) as usize
}
