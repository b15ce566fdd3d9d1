//! Where the next record of a page goes, and how far the records have come.
//!
//! In: pages of zeros, one after another. Out: records of whole words, of which the first goes last: whoever finds that, in this
//! process or in the file, finds the rest. One thread at a time writes; how much was written any may ask.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::*;

use crate::orders::{AtomicPtr, AtomicU64, AtomicUsize, fence};

/// See the module.
#[repr(C)]
pub struct PageCursor {
    /// What other threads may ask about.
    pub written: Written,
    end: Cell<*mut AtomicU64>,
}

// SAFETY: a page is memory that any thread may write to, one at a time.
unsafe impl Send for PageCursor {}

/// How far the records have come.
pub struct Written {
    cursor: AtomicPtr<AtomicU64>,
    /// Where the cursor would have begun, were all pages behind each other; [`MOVING`] from one page to the next.
    origin: AtomicUsize,
}

const MOVING: usize = usize::MAX;

impl PageCursor {
    /// No page yet: no room.
    pub fn new() -> PageCursor {
        let written = Written { cursor: AtomicPtr::new(null_mut()), origin: AtomicUsize::new(0) };
        PageCursor { written, end: Cell::new(null_mut()) }
    }

    /// Goes on at the beginning of this page.
    ///
    /// # Safety
    /// It has so many words, which are zeros, until the next page or [`end`](Self::end); nobody else writes there.
    pub unsafe fn turn_to(&self, first: NonNull<AtomicU64>, words: usize) {
        self.written.move_to(first.as_ptr());
        // SAFETY: the end of the page.
        self.end.set(unsafe { first.add(words).as_ptr() });
    }

    /// There is no more room.
    pub fn end(&self) {
        self.end.set(self.written.cursor());
    }

    /// How many words have room.
    #[inline(always)]
    pub fn room(&self) -> usize {
        (self.end.get() as usize - self.written.cursor() as usize) / size_of::<AtomicU64>()
    }

    /// Writes a record of one word, if there is room.
    #[inline(always)]
    pub fn put(&self, word: u64) -> bool {
        let cursor = self.written.cursor();
        if cursor >= self.end.get() {
            return false;
        }
        // SAFETY: the cursor is below the end of the page.
        unsafe {
            (*cursor).store(word, Release);
            self.written.cursor.store(cursor.add(1), Relaxed);
        }
        true
    }

    /// Writes a record, if there is room.
    #[inline(always)]
    pub fn write<const N: usize>(&self, words: &[u64; N]) -> bool {
        let Some((first, rest)) = words.split_first() else { return true };
        self.write_all(*first, rest.iter().copied())
    }

    /// Writes a record of one word and others behind it, if there is room.
    #[inline(always)]
    pub fn write_all(&self, first: u64, rest: impl ExactSizeIterator<Item = u64>) -> bool {
        let words = 1 + rest.len();
        if self.room() < words {
            return false;
        }
        let cursor = self.written.cursor();
        // SAFETY: there is room for so many words.
        unsafe {
            for (at, word) in (1..words).zip(rest) {
                (*cursor.add(at)).store(word, Relaxed);
            }
            (*cursor).store(first, Release);
            self.written.cursor.store(cursor.add(words), Relaxed);
        }
        true
    }

    /// Room for a record of so many words that stays at hand to be changed: its first word is the caller's to write, last.
    pub fn reserve(&self, words: usize) -> Option<NonNull<AtomicU64>> {
        let cursor = self.written.cursor();
        if self.room() < words {
            return None;
        }
        // SAFETY: there is room for so many words.
        self.written.cursor.store(unsafe { cursor.add(words) }, Relaxed);
        NonNull::new(cursor)
    }
}

impl Default for PageCursor {
    fn default() -> PageCursor {
        PageCursor::new()
    }
}

impl Written {
    #[inline(always)]
    fn cursor(&self) -> *mut AtomicU64 {
        self.cursor.load(Relaxed)
    }

    fn move_to(&self, first: *mut AtomicU64) {
        let bytes = (self.cursor() as usize).wrapping_sub(self.origin.load(Relaxed));
        self.origin.store(MOVING, Relaxed);
        // Whoever sees the cursor on the new page, however far, sees that it moves or has moved.
        fence(Release);
        self.cursor.store(first, Relaxed);
        self.origin.store((first as usize).wrapping_sub(bytes), Release);
    }

    /// Words so far, an upper bound of the calls in them; `None` while the page is turned.
    pub fn words(&self) -> Option<u64> {
        let origin = self.origin.load(Acquire);
        let cursor = self.cursor.load(Relaxed) as usize;
        fence(Acquire);
        let moves = origin == MOVING || self.origin.load(Relaxed) != origin;
        (!moves).then(|| (cursor.wrapping_sub(origin) / size_of::<AtomicU64>()) as u64)
    }
}
