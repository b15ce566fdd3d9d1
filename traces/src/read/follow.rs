//! Follows a file while it grows, looking only for what is new.
//!
//! In: the path of a file. Out: its pages once they have begun, which the caller reads as far as they are filled.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use zerocopy::transmute;

use super::header_now;
use super::holes::Holes;
use super::page_items::{HEADER, WORD, definition_at, entries_of, page_begun, signatures_of};
use super::pages::{EventPage, PageEnd};
use super::{RankFile, State};
use crate::definitions::{Definition, Process};
use crate::dropped::Dropped;
use crate::error::Error;
use crate::file::{FIRST_PAGE, FileHeader, PageHeader, PageKind, ProfileEntry};
use crate::live::{LiveBlock, LiveWords, see_published, still};
use crate::signature::Signature;

/// A reader of a growing file.
pub struct Follower {
    file: Arc<RankFile>,
    /// The offset of the first unit in which no page has begun yet.
    next: usize,
    /// Pages after that which were already found, by offset.
    found: BTreeMap<usize, FoundPage>,
}

/// A page of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundPage {
    pub kind: PageKind,
    pub thread: u32,
    /// The page's place among the thread's pages of this kind.
    pub sequence: u32,
    at: usize,
    bytes: usize,
}

impl Follower {
    /// Maps the file, of which nothing has been read. Fails as [`RankFile::open`] does.
    pub fn open(path: &Path) -> Result<Follower, Error> {
        let file = Arc::new(RankFile::open(path)?);
        Ok(Follower { file, next: FIRST_PAGE, found: BTreeMap::new() })
    }

    /// Maps the file's new end. Returns false if the file is gone, has shrunk or was replaced.
    pub fn refresh(&mut self) -> bool {
        let Ok(state) = State::of(self.file.path()) else { return false };
        if state.identity != self.file.identity || state.bytes < self.file.len() {
            return false;
        }
        if state.bytes > self.file.len() {
            let Ok(file) = RankFile::open(self.file.path()) else { return false };
            self.file = Arc::new(file);
        }
        true
    }

    /// The file as it is mapped.
    pub fn file(&self) -> &Arc<RankFile> {
        &self.file
    }

    /// The header as it is now.
    pub fn header(&self) -> FileHeader {
        header_now(self.file.words()).unwrap_or(self.file.header)
    }

    /// The process that writes the file, named by the first definition. Looks at no page after the first page of
    /// definitions.
    pub fn process(&self) -> Option<Process> {
        let unit = self.file.header.unit as usize;
        let (mut at, mut holes) = (FIRST_PAGE, Holes::of(&self.file));
        while at + size_of::<PageHeader>() <= self.file.bytes {
            match page_begun(self.words(at)) {
                Some((PageKind::Definitions, _)) => {
                    let body = self.words(at + size_of::<PageHeader>());
                    return match Definition::from_bytes(definition_at(body, 0)?.ok()?.0)? {
                        Definition::Process(process) => Some(process),
                        _ => None,
                    };
                }
                Some((_, header)) => at += header.units as usize * unit,
                None => at = holes.behind(at),
            }
        }
        None
    }

    /// Pages that have begun since the last call, by thread and sequence. If old pages are dropped, reused pages are
    /// among them.
    pub fn find(&mut self) -> Vec<FoundPage> {
        let (bytes, unit) = (self.file.bytes, self.file.header.unit as usize);
        let (mut pages, mut at, mut gap) = (Vec::new(), self.next, None);
        let mut holes = Holes::of(&self.file);
        while at + size_of::<PageHeader>() <= bytes {
            let Some((kind, header)) = self.begun(at) else {
                gap.get_or_insert(at);
                at = holes.behind(at);
                continue;
            };
            let length = header.units as usize * unit;
            // A page that is not fully mapped is found by a later call.
            if bytes - at < length {
                break;
            }
            let page = FoundPage { kind, thread: header.thread, sequence: header.sequence, at, bytes: length };
            if self.found.insert(at, page) != Some(page) {
                pages.push(page);
            }
            at += length;
        }
        if !self.file.header.keeps_newest() {
            self.next = gap.unwrap_or(at);
        }
        self.found = self.found.split_off(&self.next);
        pages.sort_by_key(|page| (page.thread, page.sequence));
        pages
    }

    /// The header of a page as it is now.
    pub fn page_header(&self, page: &FoundPage) -> Option<PageHeader> {
        self.begun(page.at).map(|(_, header)| header)
    }

    /// Kind and header of a page that has begun. If old pages are dropped, both change: they are copied until they are
    /// still.
    fn begun(&self, at: usize) -> Option<(PageKind, PageHeader)> {
        if !self.file.header.keeps_newest() {
            return page_begun(self.words(at)).map(|(kind, header)| (kind, *header));
        }
        let words: [u64; HEADER] = still(|| self.words(at).record(0, HEADER).unwrap_or_default());
        let header: PageHeader = transmute!(words);
        PageKind::from_number(header.kind).filter(|_| header.units > 0).map(|kind| (kind, header))
    }

    /// The records of an events page. `None` if the page was reused. If old pages are dropped, the page is copied into
    /// `room`, since its records could change while they are read.
    pub fn events<'a>(&'a self, page: &FoundPage, room: &'a mut Vec<u64>) -> Option<EventPage<'a>> {
        let words = self.page(page, room)?;
        let (_, header) = page_begun(words)?;
        Some(EventPage {
            thread: page.thread,
            sequence: page.sequence,
            header,
            base: header.base,
            requests: header.requests,
            words: words.from(HEADER),
            at: (page.at + size_of::<PageHeader>()) as u64,
            end: PageEnd::Unknown,
            decoded: &self.file.decoded,
        })
    }

    /// The counts of a thread's dropped pages. `None` if they were replaced by later ones.
    pub fn dropped<'a>(&'a self, page: &FoundPage, room: &'a mut Vec<u64>) -> Option<Dropped<'a>> {
        let words = self.page(page, room)?;
        Dropped::read(page_begun(words)?.1, words.from(HEADER))
    }

    /// The words of a page that is still the one that was found, header and all.
    fn page<'a>(&'a self, page: &FoundPage, room: &'a mut Vec<u64>) -> Option<LiveWords<'a>> {
        let mut words = self.words(page.at).until(page.bytes / WORD);
        if self.file.header.keeps_newest() {
            room.clear();
            room.extend((0..words.len()).map_while(|at| words.get(at)));
            see_published();
            // SAFETY: the copy's own words, which no process writes.
            words = unsafe { LiveWords::at(room.as_ptr().cast(), room.len() * WORD) };
        }
        // The header is read after the words were copied: the words are its own.
        let (kind, header) = self.begun(page.at)?;
        let is = |page: &FoundPage| (page.kind, page.thread, page.sequence);
        ((kind, header.thread, header.sequence) == is(page)).then_some(words)
    }

    /// A thread's fixed area.
    pub fn block(&self, page: &FoundPage) -> Option<&LiveBlock> {
        LiveBlock::at(self.body(page))
    }

    /// The signatures of a page after the first `known` ones.
    pub fn signatures(&self, page: &FoundPage, known: usize) -> impl Iterator<Item = &Signature> {
        signatures_of(self.body(page), known)
    }

    pub fn profile(&self, page: &FoundPage) -> impl Iterator<Item = ProfileEntry> {
        entries_of(self.body(page))
    }

    /// The definitions of a page from the word `from` on, which moves to the end of the last one.
    pub fn definitions(&self, page: &FoundPage, from: &mut usize) -> Vec<Definition> {
        let mut definitions = Vec::new();
        while let Some(Ok((bytes, next))) = definition_at(self.body(page), *from) {
            definitions.extend(Definition::from_bytes(bytes));
            *from = next;
        }
        definitions
    }

    fn body(&self, page: &FoundPage) -> LiveWords<'_> {
        self.words(page.at).until(page.bytes / WORD).from(HEADER)
    }

    /// The words from an offset in the file on.
    fn words(&self, at: usize) -> LiveWords<'_> {
        self.file.words().from(at / WORD)
    }
}
