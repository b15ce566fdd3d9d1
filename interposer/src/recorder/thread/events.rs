//! A thread's pages of records, and the state that the next record depends on.

use std::cell::Cell;

use traces::file::{PageHeader, PageKind, Stop};

use crate::clock;
use crate::recorder::file::page_series::PageSeries;
use crate::recorder::file::pages::{NO_PAGE, Output, UNIT};
use crate::recorder::file::ring::Ring;
use recorder_core::memory;

const FIRST: usize = 2 << 10;

/// The fields that every record needs come first.
#[repr(C)]
pub struct Events {
    /// The end of the last record in ticks, from which the next record counts.
    pub last: Cell<u64>,
    pub(super) pages: PageSeries,
    /// Number of requests so far; the next request gets this number.
    pub started: Cell<u64>,
    over: Cell<bool>,
}

impl Events {
    /// Begins without a page; the first record takes one.
    pub fn begin(thread: u32) -> Events {
        Events {
            last: Cell::new(clock::now()),
            pages: PageSeries::new(PageKind::Events, thread),
            started: Cell::new(0),
            over: Cell::new(false),
        }
    }

    /// Begins in memory, with room for `words` words and without a file.
    pub fn in_memory(words: usize) -> Option<Events> {
        let events = Events::begin(u32::MAX);
        // SAFETY: memory of `words` words, which is never freed.
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

    /// Words left in the page.
    pub fn room(&self) -> usize {
        self.pages.cursor.room()
    }

    /// Takes the next page. Pages grow, so that a short run has a small file and a long run rarely turns a page.
    ///
    /// Returns true if the page is the process's oldest one, reused because only the newest pages are kept.
    pub fn turn(&self, output: &Output, ring: Option<&mut Ring>) -> Result<bool, Stop> {
        let bytes = self.next_bytes(output);
        let header = PageHeader { base: self.last.get(), requests: self.started.get(), ..NO_PAGE };
        match ring {
            Some(ring) => self.pages.turn_in(ring, output, header, bytes),
            None => self.pages.turn(output, header, bytes, UNIT).map(|()| false),
        }
    }

    fn next_bytes(&self, output: &Output) -> usize {
        let pages = self.pages.count();
        if pages == 0 { FIRST } else { ((2 * FIRST) << pages.min(16)).min(output.largest()) }
    }

    /// Makes room in the page, and a part of the next one. `false` if the page is full.
    pub fn step(&self, output: &Output) -> bool {
        self.pages.step(output, self.next_bytes(output))
    }

    pub fn end(&self) {
        self.pages.end();
        self.over.set(true);
    }

    pub fn is_over(&self) -> bool {
        self.over.get()
    }
}
