//! A thread's pages of records: where the next one goes, and the next page.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};

use traces::file::{PageHeader, PageKind, Stop};

use crate::clock;
use crate::recorder::file::pages::{LARGEST, NO_PAGE, Output, Page, UNIT};
use recorder_core::memory;

/// Bytes of the first page.
const FIRST: usize = 2 << 10;

/// See the module.
pub struct Events {
    pub(super) written: Written,
    end: Cell<*mut AtomicU64>,
    /// When the last recorded call ended.
    pub last: Cell<u64>,
    /// Requests started so far; the number of the next.
    pub started: Cell<u64>,
    page: Cell<Option<Page>>,
    pages: Cell<u32>,
    thread: u32,
    over: Cell<bool>,
}

/// How far the records have come. Any thread may ask.
pub struct Written {
    cursor: AtomicPtr<AtomicU64>,
    /// Where the cursor would have begun, were all pages behind each other; [`MOVING`] from one page to the next.
    origin: AtomicUsize,
}

const MOVING: usize = usize::MAX;

impl Written {
    fn begin(cursor: *mut AtomicU64) -> Written {
        Written { cursor: AtomicPtr::new(cursor), origin: AtomicUsize::new(cursor as usize) }
    }

    #[inline(always)]
    fn cursor(&self) -> *mut AtomicU64 {
        self.cursor.load(Relaxed)
    }

    fn move_to(&self, first: *mut AtomicU64) {
        let bytes = (self.cursor() as usize).wrapping_sub(self.origin.load(Relaxed));
        self.origin.store(MOVING, Relaxed);
        self.cursor.store(first, Release);
        self.origin.store((first as usize).wrapping_sub(bytes), Release);
    }

    /// Words so far, an upper bound of the calls in them; `None` while the page is turned.
    pub fn words(&self) -> Option<u64> {
        let origin = self.origin.load(Acquire);
        let cursor = self.cursor.load(Acquire) as usize;
        let moves = origin == MOVING || self.origin.load(Relaxed) != origin;
        (!moves).then(|| (cursor.wrapping_sub(origin) / size_of::<u64>()) as u64)
    }
}

impl Events {
    /// No page yet; the first record takes one.
    pub fn begin(thread: u32) -> Events {
        Events {
            written: Written::begin(null_mut()),
            end: Cell::new(null_mut()),
            last: Cell::new(clock::now()),
            started: Cell::new(0),
            page: Cell::new(None),
            pages: Cell::new(0),
            thread,
            over: Cell::new(false),
        }
    }

    /// Room for so many words in memory, and no file.
    pub fn in_memory(words: usize) -> Option<Events> {
        let cursor = memory::zeroed::<AtomicU64>(words)?.as_ptr();
        // SAFETY: the end of what was just allocated.
        let end = unsafe { cursor.add(words) };
        let events = Events::begin(u32::MAX);
        Some(Events { written: Written::begin(cursor), end: Cell::new(end), over: Cell::new(true), ..events })
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
        let cursor = self.written.cursor();
        if (self.end.get() as usize - cursor as usize) < N * size_of::<u64>() {
            return false;
        }
        // SAFETY: there is room for N words. The first goes last: until it is there, the record is not.
        unsafe {
            for (at, word) in words.iter().enumerate().skip(1) {
                (*cursor.add(at)).store(*word, Relaxed);
            }
            (*cursor).store(words[0], Release);
            self.written.cursor.store(cursor.add(N), Relaxed);
        }
        true
    }

    /// Takes the next page. They grow, so that a short run has a small file and a long one seldom turns a page.
    pub fn turn(&self, output: &Output) -> Result<(), Stop> {
        let pages = self.pages.get();
        let bytes = if pages == 0 { FIRST } else { ((2 * FIRST) << pages.min(16)).min(LARGEST) };
        let header = PageHeader {
            thread: self.thread,
            sequence: pages,
            base: self.last.get(),
            requests: self.started.get(),
            ..NO_PAGE
        };
        let page = output.take(header, PageKind::Events, bytes, UNIT)?;
        let (words, count) = page.body::<AtomicU64>();
        self.written.move_to(words.as_ptr());
        // SAFETY: the end of the page.
        self.end.set(unsafe { words.as_ptr().add(count) });
        self.pages.set(pages + 1);
        if let Some(full) = self.page.replace(Some(page)) {
            output.give_back(full);
        }
        Ok(())
    }

    /// Takes no more records.
    pub fn end(&self) {
        self.end.set(self.written.cursor());
        self.over.set(true);
    }

    /// Whether no page will be taken again.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }
}
