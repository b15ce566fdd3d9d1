//! The place of the next record of a page, and the number of words that were written.
//!
//! In: zeroed pages, one after another. Out: records of whole words. A record's first word is written last: a reader,
//! in this process or of the file, that finds it finds the rest. One thread at a time writes; any thread may ask how
//! much was written.

use std::cell::Cell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::Ordering::*;

use crate::orders::{AtomicPtr, AtomicU64, AtomicUsize, fence};

#[repr(C)]
pub struct PageCursor {
    /// The part that other threads may read.
    pub written: Written,
    end: Cell<*mut AtomicU64>,
}

// SAFETY: any thread may write to a page, one at a time.
unsafe impl Send for PageCursor {}

pub struct Written {
    cursor: AtomicPtr<AtomicU64>,
    /// The address where the first page would begin if all pages were contiguous; [`MOVING`] while the page is turned.
    origin: AtomicUsize,
}

const MOVING: usize = usize::MAX;

impl PageCursor {
    /// A cursor without a page: it has no room.
    pub fn new() -> PageCursor {
        let written = Written { cursor: AtomicPtr::new(null_mut()), origin: AtomicUsize::new(0) };
        PageCursor { written, end: Cell::new(null_mut()) }
    }

    /// Continues at the beginning of the page at `first`.
    ///
    /// # Safety
    /// The page has `words` words, all zeros. It stays mapped, and nothing else writes to it, until the next `turn_to`
    /// or [`end`](Self::end).
    pub unsafe fn turn_to(&self, first: NonNull<AtomicU64>, words: usize) {
        self.written.move_to(first.as_ptr());
        // SAFETY: the end of the page.
        self.end.set(unsafe { first.add(words).as_ptr() });
    }

    /// Adds room behind the page's first words.
    ///
    /// # Safety
    /// The page has so many further words, with the properties of [`turn_to`](Self::turn_to).
    pub unsafe fn widen(&self, words: usize) {
        // SAFETY: within the page.
        self.end.set(unsafe { self.end.get().add(words) });
    }

    /// Leaves no room until the next page.
    pub fn end(&self) {
        self.end.set(self.written.cursor());
    }

    /// Words left in the page.
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

    /// Writes a record of the word `first` and the words `rest`, if there is room.
    #[inline(always)]
    pub fn write_all(&self, first: u64, rest: impl ExactSizeIterator<Item = u64>) -> bool {
        let words = 1 + rest.len();
        if self.room() < words {
            return false;
        }
        let cursor = self.written.cursor();
        // SAFETY: the page has room for `words` words.
        unsafe {
            for (at, word) in (1..words).zip(rest) {
                (*cursor.add(at)).store(word, Relaxed);
            }
            (*cursor).store(first, Release);
            self.written.cursor.store(cursor.add(words), Relaxed);
        }
        true
    }

    /// Reserves room for a record that the caller writes, and may change, later. Its first word must be written last.
    pub fn reserve(&self, words: usize) -> Option<NonNull<AtomicU64>> {
        let cursor = self.written.cursor();
        if self.room() < words {
            return None;
        }
        // SAFETY: the page has room for `words` words.
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
        // A thread that sees the cursor on the new page also sees MOVING or the new origin.
        fence(Release);
        self.cursor.store(first, Relaxed);
        self.origin.store((first as usize).wrapping_sub(bytes), Release);
    }

    /// Words written so far, an upper bound of the calls recorded; `None` while the page is turned.
    pub fn words(&self) -> Option<u64> {
        let origin = self.origin.load(Acquire);
        let cursor = self.cursor.load(Relaxed) as usize;
        fence(Acquire);
        let moves = origin == MOVING || self.origin.load(Relaxed) != origin;
        (!moves).then(|| (cursor.wrapping_sub(origin) / size_of::<AtomicU64>()) as u64)
    }
}
