//! A thread's dictionary: from what repeats about a call to its signature's number, in a few loads.
//!
//! Open addressing from a hash of the whole key to a number, and the keys by number. It is sized for the most
//! signatures there can be and untouched where it is not used, so it never grows and never allocates.

use std::ptr::NonNull;

use traces::record::MAX_SIGNATURE;
use traces::signature::{STARTS, Signature, moves, peer, tag};

use super::memory;

const SLOTS: usize = 1 << 16;
/// Keys that memory is prepared for.
const PREPARED: usize = 512;

/// Everything about a call that repeats, as it is looked up: a [`Signature`] without its number and site.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key {
    pub address: u64,
    pub call: u16,
    pub flags: u16,
    pub object: u32,
    pub peer: i32,
    pub tag: i32,
    pub source: i32,
    pub source_tag: i32,
    pub sent: u64,
    pub received: u64,
    pub requests: u32,
    pub reserved: u32,
}

impl Key {
    /// Bytes that one call hands out and receives; that one start does, of persistent requests it creates.
    #[inline(always)]
    pub fn moves(&self) -> (u64, u64) {
        moves(self.peer, self.source, self.sent, self.received)
    }

    /// From whom a call receives, and the tag.
    #[inline(always)]
    pub fn receives_from(&self) -> (i32, i32) {
        if self.source == peer::NONE { (self.peer, self.tag) } else { (self.source, self.source_tag) }
    }

    /// A call of which nothing is known.
    pub const EMPTY: Key = Key {
        address: 0,
        call: 0,
        flags: 0,
        object: 0,
        peer: peer::NONE,
        tag: tag::NONE,
        source: peer::NONE,
        source_tag: tag::NONE,
        sent: 0,
        received: 0,
        requests: 0,
        reserved: 0,
    };
}

type Words = [u64; 7];
const _: () = assert!(size_of::<Key>() == size_of::<Words>());

/// See the module.
pub struct Dictionary {
    slots: NonNull<u16>,
    keys: NonNull<Words>,
    next: u32,
}

impl Dictionary {
    /// An empty dictionary, `None` where memory ran out.
    pub fn new() -> Option<Dictionary> {
        Some(Dictionary { slots: memory::zeroed(SLOTS)?, keys: memory::zeroed(MAX_SIGNATURE as usize + 2)?, next: 1 })
    }

    /// Numbers given out, and one more.
    pub fn len(&self) -> u32 {
        self.next
    }

    /// Has the system give the memory that the first signatures need, where that has to be quick later. It is the main thread's
    /// that gets it: others may be many.
    pub fn prepare(&self) {
        memory::populate(self.slots, SLOTS);
        memory::populate(self.keys, PREPARED);
    }

    /// The number of a signature that was met before.
    #[inline(always)]
    pub fn find(&self, key: &Key) -> Option<u32> {
        let words = key.words();
        let mut slot = place(&words);
        loop {
            // SAFETY: a slot is below SLOTS, and a number in a slot has a key. There are twice as many slots as
            // numbers, so a free one is met.
            unsafe {
                let number = *self.slots.add(slot).as_ptr();
                if number == 0 {
                    return None;
                }
                if *self.keys.add(number as usize).as_ptr() == words {
                    return Some(number as u32);
                }
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Gives a new key its number, `None` where all are taken. A key that starts a request takes two.
    #[cold]
    pub fn add(&mut self, key: &Key) -> Option<u32> {
        let takes = if key.flags & STARTS != 0 { 2 } else { 1 };
        let number = self.next;
        if number + takes - 1 > MAX_SIGNATURE {
            return None;
        }
        let words = key.words();
        let mut slot = place(&words);
        // SAFETY: as in `find`.
        unsafe {
            while *self.slots.add(slot).as_ptr() != 0 {
                slot = (slot + 1) % SLOTS;
            }
            for number in number..number + takes {
                *self.keys.add(number as usize).as_ptr() = words;
            }
            *self.slots.add(slot).as_ptr() = number as u16;
        }
        self.next += takes;
        Some(number)
    }

    /// The key of a number that [`find`](Self::find) or [`add`](Self::add) gave.
    #[inline(always)]
    pub fn key(&self, number: u32) -> &'static Key {
        // SAFETY: numbers given out have keys, which never change and are never freed; any seven words are a key.
        unsafe { self.keys.add(number as usize).cast().as_ref() }
    }
}

impl Key {
    #[inline(always)]
    fn words(&self) -> Words {
        // SAFETY: the sizes are equal, and there is no padding.
        unsafe { std::mem::transmute::<Key, Words>(*self) }
    }

    /// As it is written to the file.
    pub fn signature(&self, number: u32, site: u32) -> Signature {
        Signature {
            number,
            call: self.call,
            flags: self.flags,
            site,
            object: self.object,
            peer: self.peer,
            tag: self.tag,
            source: self.source,
            source_tag: self.source_tag,
            sent: self.sent,
            received: self.received,
            requests: self.requests,
            reserved: 0,
            address: self.address,
        }
    }
}

#[inline(always)]
fn place(words: &Words) -> usize {
    // Independent multiplications, so that they run side by side; odd constants, so that no bit is lost.
    const FACTORS: Words = [
        0x9e37_79b9_7f4a_7c15,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x85eb_ca77_c2b2_ae63,
        0x27d4_eb2f_1656_67c5,
        0xff51_afd7_ed55_8ccd,
        0xc4ce_b9fe_1a85_ec53,
    ];
    let mut hash = 0u64;
    for (word, factor) in words.iter().zip(FACTORS) {
        hash = hash.wrapping_add(word.wrapping_mul(factor));
    }
    (hash >> (64 - SLOTS.ilog2())) as usize
}
