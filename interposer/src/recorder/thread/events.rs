//! A thread's pages of records: what the next one counts from, and the next page.

use std::cell::Cell;

use traces::file::{PageHeader, PageKind, Stop};

use crate::clock;
use crate::recorder::file::page_series::PageSeries;
use crate::recorder::file::pages::{LARGEST, NO_PAGE, Output, UNIT};
use recorder_core::memory;

/// Bytes of the first page.
const FIRST: usize = 2 << 10;

/// See the module. What every record needs is in front.
#[repr(C)]
pub struct Events {
    /// When the last recorded call ended.
    pub last: Cell<u64>,
    pub(super) pages: PageSeries,
    /// Requests started so far; the number of the next.
    pub started: Cell<u64>,
    over: Cell<bool>,
}

impl Events {
    /// No page yet; the first record takes one.
    pub fn begin(thread: u32) -> Events {
        Events {
            last: Cell::new(clock::now()),
            pages: PageSeries::new(PageKind::Events, thread),
            started: Cell::new(0),
            over: Cell::new(false),
        }
    }

    /// Room for so many words in memory, and no file.
    pub fn in_memory(words: usize) -> Option<Events> {
        let events = Events::begin(u32::MAX);
        // SAFETY: memory of so many words, which is never given back.
        unsafe { events.pages.cursor.turn_to(memory::zeroed(words)?, words) };
        events.over.set(true);
        Some(events)
    }

    /// Writes a record of one word, if there is room.
    #[inline(always)]
    pub fn put(&self, word: u64) -> bool {
        self.pages.cursor.put(word)
    }

    /// Writes a record, if there is room.
    #[inline(always)]
    pub fn write<const N: usize>(&self, words: &[u64; N]) -> bool {
        self.pages.cursor.write(words)
    }

    /// Takes the next page. They grow, so that a short run has a small file and a long one seldom turns a page.
    pub fn turn(&self, output: &Output) -> Result<(), Stop> {
        let pages = self.pages.count();
        let bytes = if pages == 0 { FIRST } else { ((2 * FIRST) << pages.min(16)).min(LARGEST) };
        let header = PageHeader { base: self.last.get(), requests: self.started.get(), ..NO_PAGE };
        self.pages.turn(output, header, bytes, UNIT)
    }

    /// Takes no more records.
    pub fn end(&self) {
        self.pages.cursor.end();
        self.over.set(true);
    }

    /// Whether no page will be taken again.
    pub fn is_over(&self) -> bool {
        self.over.get()
    }
}
