//! Pages of one kind that one writer takes, one after another, and where it is in the last.

use std::cell::Cell;

use traces::file::{PageHeader, PageKind, Stop};

use super::pages::{Output, Page};
use recorder_core::page_cursor::PageCursor;

/// See the module. What every record needs is in front.
#[repr(C)]
pub struct PageSeries {
    /// Where the next record goes.
    pub cursor: PageCursor,
    kind: PageKind,
    thread: u32,
    last: Cell<Option<Page>>,
    count: Cell<u32>,
}

impl PageSeries {
    /// No page yet: no room.
    pub fn new(kind: PageKind, thread: u32) -> PageSeries {
        PageSeries { cursor: PageCursor::new(), kind, thread, last: Cell::new(None), count: Cell::new(0) }
    }

    /// How many pages were taken.
    pub fn count(&self) -> u32 {
        self.count.get()
    }

    /// Takes a page as [`Output::take`] does. The one before stays mapped.
    pub fn take(&self, output: &Output, header: PageHeader, wanted: usize, least: usize) -> Result<Page, Stop> {
        let header = PageHeader { thread: self.thread, sequence: self.count(), ..header };
        let page = output.take(header, self.kind, wanted, least)?;
        let (first, words) = page.body();
        // SAFETY: a fresh page, which is nobody else's, and given back once the cursor is on the next one.
        unsafe { self.cursor.turn_to(first, words) };
        self.last.set(Some(page));
        self.count.set(self.count() + 1);
        Ok(page)
    }

    /// The same, and gives the one before back.
    pub fn turn(&self, output: &Output, header: PageHeader, wanted: usize, least: usize) -> Result<(), Stop> {
        let full = self.last.get();
        self.take(output, header, wanted, least)?;
        full.into_iter().for_each(|full| output.give_back(full));
        Ok(())
    }
}
