//! A thread's pages of records: where the next one goes, and the next page.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::*};

use traces::file::{PageHeader, PageKind, Stop};

use crate::clock;
use crate::recorder::file::pages::{LARGEST, NO_PAGE, Output, Page, UNIT};
use recorder_core::memory;

/// Bytes of the first page.
const FIRST: usize = 2 << 10;

/// See the module.
pub struct Events {
    cursor: *mut AtomicU64,
    end: *mut AtomicU64,
    /// When the last recorded call ended.
    pub last: u64,
    /// Requests started so far; the number of the next.
    pub started: u64,
    page: Option<Page>,
    pages: u32,
    /// Words in the pages before this one.
    full: u64,
    thread: u32,
    over: bool,
}

impl Events {
    /// No page yet; the first record takes one.
    pub fn begin(thread: u32) -> Events {
        let last = clock::now();
        Events {
            cursor: null_mut(),
            end: null_mut(),
            last,
            started: 0,
            page: None,
            pages: 0,
            full: 0,
            thread,
            over: false,
        }
    }

    /// Room for so many words in memory, and no file.
    pub fn in_memory(words: usize) -> Option<Events> {
        let cursor = memory::zeroed::<AtomicU64>(words)?.as_ptr();
        // SAFETY: the end of what was just allocated.
        let end = unsafe { cursor.add(words) };
        Some(Events { cursor, end, over: true, ..Events::begin(u32::MAX) })
    }

    /// Whether a record of one word has room.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.cursor < self.end
    }

    /// Writes a record of one word, for which there must be room.
    #[inline(always)]
    pub fn put(&mut self, word: u64) {
        debug_assert!(self.has_room());
        // SAFETY: the cursor is below the end of the page.
        unsafe {
            (*self.cursor).store(word, Release);
            self.cursor = self.cursor.add(1);
        }
    }

    /// Writes a record, if there is room.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, words: &[u64; N]) -> bool {
        if (self.end as usize - self.cursor as usize) < N * size_of::<u64>() {
            return false;
        }
        // SAFETY: there is room for N words. The first goes last: until it is there, the record is not.
        unsafe {
            for (at, word) in words.iter().enumerate().skip(1) {
                (*self.cursor.add(at)).store(*word, Relaxed);
            }
            (*self.cursor).store(words[0], Release);
            self.cursor = self.cursor.add(N);
        }
        true
    }

    /// Takes the next page. They grow, so that a short run has a small file and a long one seldom turns a page.
    pub fn turn(&mut self, output: &Output) -> Result<(), Stop> {
        let bytes = if self.pages == 0 { FIRST } else { ((2 * FIRST) << self.pages.min(16)).min(LARGEST) };
        let header = PageHeader {
            thread: self.thread,
            sequence: self.pages,
            base: self.last,
            requests: self.started,
            ..NO_PAGE
        };
        let page = output.take(header, PageKind::Events, bytes, UNIT)?;
        self.full += self.words_here();
        if let Some(full) = self.page.replace(page) {
            output.give_back(full);
        }
        let (words, count) = page.body::<AtomicU64>();
        self.cursor = words.as_ptr();
        // SAFETY: the end of the page.
        self.end = unsafe { self.cursor.add(count) };
        self.pages += 1;
        Ok(())
    }

    /// Takes no more records.
    pub fn end(&mut self) {
        self.end = self.cursor;
        self.over = true;
    }

    /// Whether no page will be taken again.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Words written so far, an upper bound of the calls in them.
    pub fn words(&self) -> u64 {
        self.full + self.words_here()
    }

    fn words_here(&self) -> u64 {
        let begin = self.page.map_or(self.cursor as usize, |page| page.body::<u64>().0.as_ptr() as usize);
        ((self.cursor as usize - begin) / size_of::<u64>()) as u64
    }
}
