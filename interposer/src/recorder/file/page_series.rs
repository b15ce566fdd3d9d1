//! The pages of one kind that one writer fills, in order, with the cursor in the last page.

use std::cell::Cell;

use traces::file::{PageHeader, PageKind, Stop};

use super::pages::{Output, Page, Reserved};
use super::ring::Ring;
use recorder_core::page_cursor::PageCursor;

/// The next page is made ready in this many steps.
const STEPS: usize = 8;
/// Smaller pages are made at once.
const LARGE: usize = 32 << 10;

/// The page behind the one that fills, made ready meanwhile: a call that makes a large page at once stands still for a
/// tenth of a millisecond.
#[derive(Clone, Copy, Default)]
struct Ahead {
    reserved: Option<Reserved>,
    /// Words of the page that fills which the cursor has not got yet. It gets a part with each step.
    left: usize,
}

/// The cursor, which every record needs, comes first.
#[repr(C)]
pub struct PageSeries {
    pub cursor: PageCursor,
    kind: PageKind,
    thread: u32,
    last: Cell<Option<Page>>,
    count: Cell<u32>,
    ahead: Cell<Ahead>,
}

impl PageSeries {
    /// Begins a series without a page: its cursor has no room.
    pub fn new(kind: PageKind, thread: u32) -> PageSeries {
        let (last, count, ahead) = (Cell::new(None), Cell::new(0), Cell::new(Ahead::default()));
        PageSeries { cursor: PageCursor::new(), kind, thread, last, count, ahead }
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

    /// Leaves no room until the next page. A page that was made ready stays without a begin.
    pub fn end(&self) {
        self.ahead.take();
        self.cursor.end();
    }

    /// Makes room in the page that fills, and a part of the next page of `wanted` bytes. `false` if the page is full.
    pub fn step(&self, output: &Output, wanted: usize) -> bool {
        let Ahead { reserved, left } = self.ahead.get();
        if left == 0 {
            return false;
        }
        let words = self.last.get().map_or(left, |page| page.body::<u64>().1.div_ceil(2 * STEPS)).min(left);
        // SAFETY: the cursor has not got these words of the page.
        unsafe { self.cursor.widen(words) };
        let reserved = reserved.or_else(|| output.reserve(self.kind, wanted, wanted).ok());
        let filled = reserved.and_then(|page| match output.prepare(page, wanted.div_ceil(STEPS / 2)) {
            Err(_) => {
                output.release(page);
                None
            }
            filled => filled.ok(),
        });
        self.ahead.set(Ahead { reserved: filled, left: left - words });
        true
    }

    /// Takes a page, and gives the previous one back.
    pub fn turn(&self, output: &Output, header: PageHeader, wanted: usize, least: usize) -> Result<(), Stop> {
        let full = self.last.get();
        match self.ahead.take().reserved {
            Some(ready) => self.go_on(output.begin_reserved(ready, self.header(header), self.kind)?),
            None => drop(self.take(output, header, wanted, least)?),
        }
        self.fills(output);
        if let Some(full) = full {
            output.give_back(full);
        }
        Ok(())
    }

    /// Leaves the second half of a large page of records to the steps. Pages of other kinds are few.
    fn fills(&self, output: &Output) {
        let is_in_steps = |page: &Page| self.kind == PageKind::Events && page.len() >= LARGE && output.reserves_ahead();
        if let Some(page) = self.last.get().filter(is_in_steps) {
            let (first, words) = page.body();
            let now = words / 2;
            // SAFETY: as in `go_on`; nothing was written yet.
            unsafe { self.cursor.turn_to(first, now) };
            self.ahead.set(Ahead { reserved: None, left: words - now });
        }
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
