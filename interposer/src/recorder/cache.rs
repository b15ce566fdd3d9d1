//! A thread's small cache in front of its dictionary: from the raw words of a call to its signature's number.
//!
//! The words are compared as the program passes them, so that nothing has to be looked up: no handle, no size of a
//! datatype. When an object is freed its handle may come again with another meaning, and all that was cached before
//! is void.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Entries; as many calls with different arguments can be in a loop and stay cached.
const ENTRIES: usize = 256;
/// Words of the call with the most arguments that matter, the call site's included.
pub const WORDS: usize = 15;

/// Counts what was freed.
static EPOCH: AtomicU32 = AtomicU32::new(1);

/// See the module.
pub struct Cache([Entry; ENTRIES]);

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Entry {
    number: u32,
    epoch: u32,
    words: [u64; WORDS],
}

/// The raw words of a call. Everything about it is known when a wrapper is compiled but the words themselves.
#[derive(Clone, Copy)]
pub struct Words {
    words: [u64; WORDS],
    used: usize,
    half: bool,
}

/// Some object was freed.
pub fn forget_all() {
    EPOCH.fetch_add(1, Relaxed);
}

impl Words {
    /// The words of a call from this place.
    #[inline(always)]
    pub fn new(call: u16, address: usize) -> Words {
        let mut words = [0; WORDS];
        // Addresses of programs have 47 bits.
        words[0] = address as u64 ^ (call as u64) << 48;
        Words { words, used: 1, half: false }
    }

    /// Adds a word.
    #[inline(always)]
    pub fn push(&mut self, word: u64) {
        self.words[self.used] = word;
        self.used += 1;
        self.half = false;
    }

    /// Adds half a word; two that follow each other share one.
    #[inline(always)]
    pub fn push_half(&mut self, half: u32) {
        if self.half {
            self.words[self.used - 1] |= (half as u64) << 32;
            self.half = false;
        } else {
            self.push(half as u64);
            self.half = true;
        }
    }

    /// Adds a bit.
    #[inline(always)]
    pub fn push_bit(&mut self, bit: bool) {
        self.words[0] ^= (bit as u64) << 63;
    }

    #[inline(always)]
    fn entry(&self) -> usize {
        let mut hash = self.words[0];
        for at in 1..self.used {
            hash ^= self.words[at].rotate_left(at as u32 * 19);
        }
        (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - ENTRIES.ilog2())) as usize
    }
}

impl Cache {
    /// The number of a call with these words, if it was one of the last.
    #[inline(always)]
    pub fn find(&self, words: &Words) -> Option<u32> {
        let entry = &self.0[words.entry()];
        let mut difference = (entry.epoch ^ EPOCH.load(Relaxed)) as u64;
        for at in 0..words.used {
            difference |= entry.words[at] ^ words.words[at];
        }
        (difference == 0).then_some(entry.number)
    }

    /// Remembers the number of a call with these words.
    pub fn insert(&mut self, words: &Words, number: u32) {
        self.0[words.entry()] = Entry { number, epoch: EPOCH.load(Relaxed), words: words.words };
    }
}
