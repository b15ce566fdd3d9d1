//! Copies a file whose recorder drops old pages while it is read, so that the copy shows one moment.
//!
//! In: the file as it is mapped. Out: a copy in memory, as large as the file, whose size the recorder bounds. The
//! recorder writes a page's records in order, begins a page when the one before it is full, and counts a page before it
//! reuses it. So pages of records are copied first, the newest of each thread before older ones, which are full by
//! then; a page that changed its header meanwhile was dropped. The accounts of dropped pages are copied after them, and
//! thus include it; blocks come last, as always.

use std::cmp::Reverse;
use std::io;

use zerocopy::transmute;

use super::file_words::FileWords;
use super::page_items::{HEADER, WORD};
use super::{RankFile, header};
use crate::file::{FIRST_PAGE, PageHeader, PageKind};
use crate::live::see_published;

/// Attempts to copy a file while its pages are reused.
const ATTEMPTS: usize = 5;

/// A page as its header was found.
#[derive(Clone, Copy)]
struct SeenPage {
    at: usize,
    bytes: usize,
    header: PageHeader,
    kind: PageKind,
}

impl RankFile {
    /// A copy of the file as it is now. Fails without memory for it, or if the file is gone.
    pub fn copied(&self) -> io::Result<RankFile> {
        let mut copy = self.copied_once()?;
        for _ in 1..ATTEMPTS {
            if copy.has_all_kept() {
                break;
            }
            // Pages were dropped whose account was not in the file yet when it was mapped.
            copy = RankFile::open(&self.path).map_err(io::Error::other)?.copied_once()?;
        }
        Ok(copy)
    }

    fn copied_once(&self) -> io::Result<RankFile> {
        let mut copy: Vec<u64> = Vec::new();
        copy.try_reserve_exact(self.words().len())?;
        copy.resize(self.words().len(), 0);
        let mut pages = self.seen_pages();
        pages.sort_by_key(|page| (order(page.kind), page.header.thread, Reverse(page.header.sequence)));
        for page in &pages {
            self.copy_words(page.at, page.bytes, &mut copy);
            let changes = matches!(page.kind, PageKind::Events | PageKind::Dropped);
            if changes && !self.is_still(page) {
                let free: [u64; HEADER] = transmute!(PageHeader { kind: PageKind::Free as u32, ..page.header });
                copy[page.at / WORD..][..HEADER].copy_from_slice(&free);
            }
        }
        self.copy_words(0, FIRST_PAGE.min(self.bytes), &mut copy);
        let words = FileWords::Read(copy.into(), self.bytes);
        let header = header(&words, &self.path).map_err(io::Error::other)?;
        Ok(RankFile::of_words(self.path.clone(), words, header, self.identity, self.layout.clone()))
    }

    /// The pages that have begun, by their headers.
    fn seen_pages(&self) -> Vec<SeenPage> {
        let unit = self.header.unit as usize;
        let (mut pages, mut at) = (Vec::new(), FIRST_PAGE);
        while let Some(header) = self.header_at(at) {
            let bytes = header.units as usize * unit;
            if header.units == 0 || bytes > self.bytes - at {
                at += unit;
                continue;
            }
            if let Some(kind) = PageKind::from_number(header.kind) {
                pages.push(SeenPage { at, bytes, header, kind });
            }
            at += bytes;
        }
        pages
    }

    /// A page's header as it is now.
    fn header_at(&self, at: usize) -> Option<PageHeader> {
        let header = self.words().copy(at / WORD);
        see_published();
        header
    }

    /// True if a page has not been reused.
    fn is_still(&self, page: &SeenPage) -> bool {
        let is = |header: PageHeader| (header.kind, header.thread, header.sequence, header.requests);
        self.header_at(page.at).is_some_and(|now| is(now) == is(page.header))
    }

    fn copy_words(&self, at: usize, bytes: usize, copy: &mut [u64]) {
        let words = self.words();
        for (at, place) in copy.iter_mut().enumerate().skip(at / WORD).take(bytes / WORD) {
            *place = words.get(at).unwrap_or(0);
        }
        see_published();
    }

    /// True if no page is missing between those that were dropped and the first that is there.
    fn has_all_kept(&self) -> bool {
        self.contents().threads.iter().all(|thread| {
            let first = thread.dropped.map_or(0, |dropped| dropped.pages);
            thread.pages.first().is_none_or(|page| page.sequence == first)
        })
    }
}

/// The order in which kinds of pages are copied.
fn order(kind: PageKind) -> u32 {
    match kind {
        PageKind::Events => 0,
        PageKind::Signatures | PageKind::Profile | PageKind::Definitions | PageKind::Free => 1,
        PageKind::Dropped => 2,
        PageKind::Thread => 3,
    }
}
