//! A thread's cache of call paths: from the place of a call and its frame to the number of its path.
//!
//! Between two calls of MPI from one place, the stack above is mostly the same. An entry holds the return addresses of
//! a path and their places on the stack. Comparing these words finds a path that is there again, without unwinding.
//!
//! If a word differs, its value leads to the next entry to compare with. One table of hashes holds all entries: a tree
//! of the paths by the words in which they differ. So paths that take turns cost a step for each of these words,
//! however many paths there are.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering::*};

use crate::memory;
use crate::spread::spread;

/// log2 of the size of the table.
const BITS: u32 = 14;
/// Limits on the entries, and on the words of the stack that all entries together hold. When either is used up, all
/// paths are forgotten.
const MOST_ENTRIES: usize = 1 << 13;
const MOST_WORDS: usize = 1 << 16;

/// Changes when code is unloaded: then other code may take its addresses.
static EPOCH: AtomicU32 = AtomicU32::new(1);

/// A word of the stack: its address, and the return address that it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackWord {
    pub at: usize,
    pub holds: usize,
}

pub struct CallPaths {
    /// Numbers of entries; 0 for none.
    table: NonNull<u32>,
    entries: NonNull<PathEntry>,
    words: NonNull<StackWord>,
    entries_used: usize,
    words_used: usize,
    /// [`EPOCH`] when the entries were made.
    epoch: u32,
}

#[derive(Clone, Copy)]
struct PathEntry {
    place: usize,
    frame: usize,
    /// The entry's words, an even number of them.
    begin: *const StackWord,
    end: *const StackWord,
    path: u32,
}

/// The end of a look-up.
enum Way {
    /// At a path that the stack holds.
    Path(u32),
    /// At a free place of the table.
    Free(usize),
    /// Nowhere after [`STEPS`].
    Nowhere,
}

/// Limit on the entries that a look-up compares with: different hashes may lead in a circle.
const STEPS: usize = 64;

/// Voids the paths of all threads, since code has been unloaded.
pub fn forget_all() {
    EPOCH.fetch_add(1, Release);
}

/// A number that changes whenever [`forget_all`] is called.
pub fn epoch() -> u32 {
    EPOCH.load(Acquire)
}

impl CallPaths {
    /// An empty cache; `None` if memory ran out.
    pub fn new() -> Option<CallPaths> {
        Some(CallPaths {
            table: memory::zeroed(1 << BITS)?,
            entries: memory::zeroed(MOST_ENTRIES)?,
            words: memory::zeroed(MOST_WORDS)?,
            // Number 0 is none.
            entries_used: 1,
            words_used: 0,
            epoch: EPOCH.load(Acquire),
        })
    }

    /// The number of the path of a call from `place`, whose wrapper has this frame; 0 if the stack holds no known path.
    ///
    /// # Safety
    /// `frame` is on the calling thread's stack now, and every word that was [added](Self::add) for this frame lies in memory
    /// that is mapped as long as the frame is.
    #[inline(always)]
    pub unsafe fn find(&self, place: usize, frame: usize) -> u32 {
        if self.epoch != EPOCH.load(Relaxed) {
            return 0;
        }
        // SAFETY: as the caller says.
        match unsafe { self.way(place, frame) } {
            Way::Path(path) => path,
            Way::Free(_) | Way::Nowhere => 0,
        }
    }

    /// Goes from entry to entry by the words that differ.
    ///
    /// # Safety
    /// See [`find`](Self::find).
    #[inline(always)]
    unsafe fn way(&self, place: usize, frame: usize) -> Way {
        let mut at = hash(place, frame);
        for _ in 0..STEPS {
            // SAFETY: the table has a place for each hash, which holds the number of an entry, and an entry its words. Those
            // of the stack are mapped: see `find`.
            unsafe {
                let number = *self.table.as_ptr().add(at) as usize;
                if number == 0 {
                    return Way::Free(at);
                }
                let entry = self.entries.as_ptr().add(number);
                if (*entry).place != place || (*entry).frame != frame {
                    at = hash(entry as usize ^ place, frame);
                    continue;
                }
                let (mut word, end) = ((*entry).begin, (*entry).end);
                let differs = loop {
                    if word == end {
                        return Way::Path((*entry).path);
                    }
                    let holds = ((*word).at as *const usize).read_volatile();
                    if holds != (*word).holds {
                        break holds;
                    }
                    word = word.add(1);
                    let holds = ((*word).at as *const usize).read_volatile();
                    if holds != (*word).holds {
                        break holds;
                    }
                    word = word.add(1);
                };
                at = hash(word as usize, differs);
            }
        }
        Way::Nowhere
    }

    /// Remembers the path of a call from `place` with this frame, by the words of the stack above it, the innermost first, as they
    /// are now.
    ///
    /// # Safety
    /// See [`find`](Self::find).
    pub unsafe fn add(&mut self, place: usize, frame: usize, words: &[StackWord], path: u32) {
        let even = words.len().next_multiple_of(2);
        if even > MOST_WORDS {
            return;
        }
        let epoch = EPOCH.load(Acquire);
        if self.entries_used == MOST_ENTRIES || self.words_used + even > MOST_WORDS || self.epoch != epoch {
            self.clear();
            self.epoch = epoch;
        }
        // SAFETY: as the caller says.
        let at = match unsafe { self.way(place, frame) } {
            Way::Path(_) => return,
            Way::Free(at) => at,
            Way::Nowhere => {
                self.clear();
                hash(place, frame)
            }
        };
        // SAFETY: there is room for the entry and its words, and `at` is a place of the table.
        unsafe {
            let begin = self.words.as_ptr().add(self.words_used);
            begin.copy_from_nonoverlapping(words.as_ptr(), words.len());
            if let (true, Some(last)) = (even > words.len(), words.last()) {
                begin.add(words.len()).write(*last);
            }
            let entry = PathEntry { place, frame, begin, end: begin.add(even), path };
            self.entries.as_ptr().add(self.entries_used).write(entry);
            *self.table.as_ptr().add(at) = self.entries_used as u32;
        }
        self.entries_used += 1;
        self.words_used += even;
    }

    /// Forgets all paths.
    pub fn clear(&mut self) {
        // SAFETY: zeros are no entries.
        unsafe { self.table.as_ptr().write_bytes(0, 1 << BITS) };
        self.entries_used = 1;
        self.words_used = 0;
    }
}

/// A place of the table.
#[inline(always)]
fn hash(one: usize, other: usize) -> usize {
    (spread(one as u64 ^ (other as u64).rotate_left(24)) >> (64 - BITS)) as usize
}
