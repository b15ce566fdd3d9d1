//! A thread's dictionary: from what repeats about a call to its signature's number, in a few loads.
//!
//! [`Slots`] lead from a hash of the whole key to a number, [`Numbered`] from the number to the key. Keys never move,
//! since requests refer to the key of the call that posted them. The slots double when half of them are taken.

use std::sync::atomic::{Ordering::SeqCst, compiler_fence};

use traces::record::MAX_SIGNATURE;
use traces::signature::{STARTS, Signature, moves, peer, tag};

use crate::numbered::Numbered;
use crate::slots::Slots;

/// log2 of the initial number of slots.
const FIRST_BITS: u32 = 10;
/// Limit on the numbers that one key takes.
const MOST: u32 = 2;

/// All that repeats about a call: a [`Signature`] without number and site.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub struct Key {
    /// The call's return address, or the number of a line of Python.
    pub address: u64,
    /// The function's number in the table of calls.
    pub call: u16,
    /// Flags that [`traces::signature`] defines.
    pub flags: u16,
    /// The number of the communicator, window or file; 0 for none.
    pub object: u32,
    /// Destination, root or target; the source if the call only receives.
    pub peer: i32,
    /// Tag of the message to or from `peer`.
    pub tag: i32,
    /// The source, if the call also has a destination.
    pub source: i32,
    /// Tag of the message from `source`.
    pub source_tag: i32,
    pub sent: u64,
    /// Bytes posted to receive.
    pub received: u64,
    /// Requests among the call's arguments.
    pub requests: u32,
    /// The number of the list of bytes sent to each process; 0 if there is none.
    pub parts: u32,
}

impl Key {
    /// Bytes that one call sends and receives; for a call that creates a persistent request, those of one start.
    #[inline(always)]
    pub fn moves(&self) -> (u64, u64) {
        moves(self.peer, self.source, self.sent, self.received)
    }

    /// The source and the tag of the message that the call receives.
    #[inline(always)]
    pub fn receives_from(&self) -> (i32, i32) {
        if self.source == peer::NONE { (self.peer, self.tag) } else { (self.source, self.source_tag) }
    }

    /// This key without partner, tag, bytes and number of requests.
    pub fn of_any_message(&self) -> Key {
        let Key { address, call, flags, object, .. } = *self;
        Key { address, call, flags, object, ..Key::EMPTY }
    }

    /// A call with no arguments known.
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
        parts: 0,
    };
}

type Words = [u64; 7];
const _: () = assert!(size_of::<Key>() == size_of::<Words>());

pub struct Dictionary {
    slots: Slots,
    keys: Numbered<Words>,
    next: u32,
}

impl Dictionary {
    /// An empty dictionary; `None` if memory ran out.
    pub fn new() -> Option<Dictionary> {
        Some(Dictionary { slots: Slots::new(FIRST_BITS)?, keys: Numbered::new()?, next: 1 })
    }

    /// The number that the next key gets: higher than all numbers in use.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// Populates the memory of the first signatures now, so that no page fault delays a call later. Only the main
    /// thread's dictionary gets this: other threads may be many.
    #[cfg(not(loom))]
    pub fn prepare(&self) {
        self.slots.prepare();
        self.keys.prepare();
    }

    /// The number of a key that was added before.
    #[inline(always)]
    pub fn find(&self, key: &Key) -> Option<u32> {
        let words = key.words();
        // SAFETY: a number in a slot has a key.
        self.slots.find(hash(&words), |number| unsafe { *self.keys.get(number) } == words)
    }

    /// True if the next key fits without growing the slots.
    pub fn has_room(&self) -> bool {
        self.slots.hold(self.next + MOST)
    }

    /// Gives a new key its number; `None` if numbers or memory ran out. A key that starts a request takes two numbers.
    ///
    /// `tell` writes the number's definition before any call can use it. If a signal handler leaves by longjmp in
    /// between, the number is either defined again or never used.
    #[cold]
    pub fn add(&mut self, key: &Key, tell: impl FnOnce(u32)) -> Option<u32> {
        let takes = if key.flags & STARTS != 0 { MOST } else { 1 };
        let number = self.next;
        if number + takes - 1 > MAX_SIGNATURE {
            return None;
        }
        if !self.has_room() {
            // SAFETY: a number in a slot has a key.
            self.slots.grow(|number| hash(unsafe { &*self.keys.get(number) }))?;
        }
        let words = key.words();
        for number in number..number + takes {
            let place = self.keys.reach(number)?;
            // SAFETY: the number's own place.
            unsafe { place.write(words) };
        }
        tell(number);
        compiler_fence(SeqCst);
        self.next += takes;
        compiler_fence(SeqCst);
        self.slots.add(hash(&words), number, |_| false);
        Some(number)
    }

    /// The key of a number that [`find`](Self::find) or [`add`](Self::add) gave.
    #[inline(always)]
    pub fn key(&self, number: u32) -> &'static Key {
        // SAFETY: numbers given out have keys, which never change and are never freed; any seven words are a key.
        unsafe { &*self.keys.get(number).cast() }
    }
}

impl Key {
    #[inline(always)]
    fn words(&self) -> Words {
        // SAFETY: the sizes are equal, and there is no padding.
        unsafe { std::mem::transmute::<Key, Words>(*self) }
    }

    /// The key as the file holds it.
    pub const fn signature(&self, number: u32, site: u32) -> Signature {
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
            parts: self.parts,
            address: self.address,
        }
    }
}

#[inline(always)]
fn hash(words: &Words) -> u64 {
    // Independent multiplications run in parallel; odd factors lose no bit.
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
    hash
}
