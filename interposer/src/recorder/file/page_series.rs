//! The pages of one kind that one writer fills, in order, with the cursor in the last page.

use std::cell::Cell;

use traces::file::{PageHeader, PageKind, Stop};

use super::pages::{Output, Page};
use super::ring::Ring;
use recorder_core::page_cursor::PageCursor;

/// The cursor, which every record needs, comes first.
#[repr(C)]
pub struct PageSeries {
    pub cursor: PageCursor,
    kind: PageKind,
    thread: u32,
    last: Cell<Option<Page>>,
    count: Cell<u32>,
}

impl PageSeries {
    /// Begins a series without a page: its cursor has no room.
    pub fn new(kind: PageKind, thread: u32) -> PageSeries {
        PageSeries { cursor: PageCursor::new(), kind, thread, last: Cell::new(None), count: Cell::new(0) }
    }

    pub fn count(&self) -> u32 {
        self.count.get()
    }

    /// Takes a page as [`Output::take`] does. The page before it stays mapped.
    pub fn take(&self, output: &Output, header: PageHeader, wanted: usize, least: usize) -> Result<Page, Stop> {
        let page = output.take(self.header(header), self.kind, wanted, least)?;
        self.go_on(page);
        Ok(page)
    }

    /// The header of the next page.
    fn header(&self, header: PageHeader) -> PageHeader {
        PageHeader { thread: self.thread, sequence: self.count(), ..header }
    }

    fn go_on(&self, page: Page) {
        let (first, words) = page.body();
        // SAFETY: the page is all zeros, ours alone, and unmapped only once the cursor is on the next one.
        unsafe { self.cursor.turn_to(first, words) };
        self.last.set(Some(page));
        self.count.set(self.count() + 1);
    }

    /// Takes a page, and gives the previous one back.
    pub fn turn(&self, output: &Output, header: PageHeader, wanted: usize, least: usize) -> Result<(), Stop> {
        let full = self.last.get();
        self.take(output, header, wanted, least)?;
        if let Some(full) = full {
            output.give_back(full);
        }
        Ok(())
    }

    /// Takes a page from a ring, and adds the previous one to the ring. Returns true if the page held other records
    /// before.
    pub fn turn_in(&self, ring: &mut Ring, output: &Output, header: PageHeader, wanted: usize) -> Result<bool, Stop> {
        let full = self.last.get();
        if let Some(full) = full {
            ring.filled(full);
        }
        let taken = ring.take(output, self.header(header), wanted)?;
        self.go_on(taken.page);
        if let Some(full) = full {
            output.give_back(full);
        }
        Ok(taken.is_again)
    }
}
