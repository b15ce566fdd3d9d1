//! Finds the pages of a file and sorts them by thread.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use zerocopy::FromBytes;

use super::RankFile;
use super::holes::Holes;
use super::tail::{OpenCall, Tail};
use crate::clock::ClockSample;
use crate::definitions::{Definition, PREFIX};
use crate::dropped::Dropped;
use crate::error::Damage;
use crate::file::{
    FIRST_PAGE, LEVELS, Level, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, ThreadBlock,
};
use crate::progress::{Entries, EntryRun, INSIDE, Polls};
use crate::record::UNNUMBERED;
use crate::signature::{STARTS, Signature};

/// The contents of a file.
#[derive(Default)]
pub struct Contents<'a> {
    /// The definitions, in the order in which they were written.
    pub definitions: Vec<Definition>,
    /// The threads, by number.
    pub threads: Vec<ThreadPages<'a>>,
    /// Counts and times by function, of threads without room of their own.
    pub shared: Vec<&'a ProfileEntry>,
    /// The clocks when the latest page was begun.
    pub newest: ClockSample,
    /// The parts that could not be used.
    pub damage: Vec<Damage>,
}

/// One thread of a rank.
#[derive(Default)]
pub struct ThreadPages<'a> {
    /// The thread's number, from 0, in the order in which threads first called MPI.
    pub number: u32,
    /// The thread's fixed area, if it was begun.
    pub block: Option<&'a ThreadBlock>,
    /// The signatures behind the numbers of its calls.
    pub signatures: Signatures<'a>,
    /// The pages of records, in order.
    pub pages: Vec<EventPage<'a>>,
    /// Counts and times of calls without records.
    pub profile: Vec<&'a ProfileEntry>,
    /// What the pages of records held that were dropped.
    pub dropped: Option<Dropped<'a>>,
    /// Of the pages that say so, the number of the latest.
    dropped_as_of: u64,
    /// The state without records, empty until the last records are known: see [`behind`](Self::behind).
    pub tail: Tail,
}

/// The last records of the data that a thread's block holds, too.
#[derive(Clone, Copy, Default, Debug)]
pub struct Recorded {
    /// The last call.
    pub call: Option<RecordedCall>,
    /// When the last recorded productive entry into the engine began.
    pub productive: Option<u64>,
    /// When the last recorded entries outside MPI calls began.
    pub outside: Option<u64>,
    /// All recorded entries inside MPI calls.
    pub entries: Entries,
}

/// How far the records of a thread were read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReadUntil {
    /// Each page of records by its sequence number, with the number of the thread's next request at its begin. The header's
    /// number is not used: if a page begins with the call that takes the number, some recorders wrote one too many.
    pub requests: Vec<(u32, u64)>,
    /// The number of words read of the last page.
    pub words: usize,
}

/// A page of records.
#[derive(Clone, Copy)]
pub struct EventPage<'a> {
    pub thread: u32,
    /// The page's place among the thread's pages.
    pub sequence: u32,
    pub header: &'a PageHeader,
    /// The tick from which the first gap counts.
    pub base: u64,
    /// The number of the thread's next request at the begin of the page.
    pub requests: u64,
    /// The words of the records; the first zero ends them.
    pub words: &'a [u64],
    /// Counts how often pages of its file are decoded.
    pub(super) decoded: &'a AtomicU64,
}

/// The signatures of a thread, by number.
#[derive(Default)]
pub struct Signatures<'a> {
    /// Signatures that records refer to.
    dense: Vec<Option<&'a Signature>>,
    /// Signatures of a profile, whose numbers may be of any size.
    sparse: BTreeMap<u32, &'a Signature>,
}

/// A call that had not ended when the file was last written.
#[derive(Clone, Copy, Debug)]
pub struct InFlight<'a> {
    /// When the call began, ticks.
    pub start: u64,
    pub signature: &'a Signature,
}

/// A recorded call. The tick alone does not identify it: on some processors, several calls fit into one tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedCall {
    /// When the call began, ticks.
    pub start: u64,
    /// The number of its signature.
    pub signature: u32,
}

impl<'a> Signatures<'a> {
    /// The signature with this number, and whether the number means that the request which the call starts was complete
    /// at once.
    pub fn get(&self, number: u32) -> Option<(&'a Signature, bool)> {
        if let Some(signature) = self.exactly(number) {
            return Some((signature, false));
        }
        let before = self.exactly(number.checked_sub(1)?)?;
        (before.flags & STARTS != 0).then_some((before, true))
    }

    fn exactly(&self, number: u32) -> Option<&'a Signature> {
        let dense = self.dense.get(number as usize).copied().flatten();
        dense.or_else(|| self.sparse.get(&number).copied())
    }

    /// All signatures that records can refer to, by number. The highest number is in proportion to the file.
    pub fn iter(&self) -> impl Iterator<Item = &'a Signature> {
        self.dense.iter().flatten().copied()
    }

    /// A table of values for the numbers in records, with `none` for numbers without a signature. `value` gets the
    /// signature, and whether the number means that the request was complete at once. The last entry is for numbers
    /// that no signature has.
    pub fn by_number<T: Clone>(&self, none: T, mut value: impl FnMut(&'a Signature, bool) -> T) -> Vec<T> {
        let mut values = vec![none; self.dense.len() + 2];
        for signature in self.iter() {
            let number = signature.number as usize;
            values[number] = value(signature, false);
            if signature.flags & STARTS != 0 {
                values[number + 1] = value(signature, true);
            }
        }
        values
    }

    /// Adds a signature; `most` is the highest number that records can have.
    fn insert(&mut self, signature: &'a Signature, most: usize) {
        let at = signature.number as usize;
        if at > most {
            self.sparse.insert(signature.number, signature);
            return;
        }
        if self.dense.len() <= at {
            self.dense.resize(at + 1, None);
        }
        self.dense[at] = Some(signature);
    }
}

impl<'a> ThreadPages<'a> {
    /// The part of the block's state that these last records do not cover.
    pub fn behind(&self, recorded: &Recorded) -> Tail {
        let Some(block) = self.block else { return Tail::default() };
        let polls = self.open_polls(recorded.call);
        let last_poll = polls.map(|polls| RecordedCall { start: polls.last, signature: polls.signature as u32 });
        let calls = self.in_flight(last_poll.or(recorded.call)).into_iter().rev();
        let open = |InFlight { start, signature }| OpenCall {
            number: signature.number,
            signature: *signature,
            start,
            until: start,
        };
        let (all, said) = (block.ledger[INSIDE].calls, &recorded.entries);
        Tail {
            polls,
            outside: self.open_outside(recorded.outside).copied(),
            productive: self.open_productive(recorded.productive).copied().collect(),
            calls: calls.map(open).collect(),
            entries: Entries {
                entries: all.entries.saturating_sub(said.entries),
                productive: all.productive.saturating_sub(said.productive),
                ticks: all.ticks.saturating_sub(said.ticks),
            },
            last_entry: block.last_entry,
        }
    }

    /// The signature of a call that has not returned.
    pub fn signature_of(&self, call: &OpenCall) -> Option<&'a Signature> {
        match call.number {
            UNNUMBERED => self.block.map(|block| &block.unnumbered),
            number => self.signatures.get(number).map(|found| found.0),
        }
    }

    /// Drops the records that a running program wrote after the file was read `until` there, and sets each page's
    /// request number as it was counted.
    pub fn cut(&mut self, until: &ReadUntil) {
        let numbers: BTreeMap<u32, u64> = until.requests.iter().copied().collect();
        self.pages.retain(|page| numbers.contains_key(&page.sequence));
        for page in &mut self.pages {
            page.requests = numbers[&page.sequence];
        }
        if let Some(last) = self.pages.last_mut() {
            last.words = &last.words[..until.words.min(last.words.len())];
        }
    }

    /// The calls that the thread is in, outermost first. `last` is its last recorded call: a thread that was killed
    /// between recording a call and leaving it has the call in both places.
    pub fn in_flight(&self, last: Option<RecordedCall>) -> Vec<InFlight<'a>> {
        let Some(block) = self.block else { return Vec::new() };
        in_flight(block, last, |number| self.signatures.get(number).map(|found| found.0))
    }
}

/// The calls that a thread is in by its block, outermost first. `last` is its last recorded call, which is also in the
/// block until the thread leaves it. `signature` finds the signature of a number; a call that was complete at once has
/// a number of its own.
pub fn in_flight<'a>(
    block: &'a ThreadBlock,
    last: Option<RecordedCall>,
    signature: impl Fn(u32) -> Option<&'a Signature>,
) -> Vec<InFlight<'a>> {
    let depth = (block.depth as usize).min(LEVELS);
    let in_flight = |level: &Level| match level.signature as u32 {
        UNNUMBERED => Some(InFlight { start: level.start, signature: &block.unnumbered }),
        number => Some(InFlight { start: level.start, signature: signature(number)? }),
    };
    let mut calls: Vec<_> = block.levels[..depth].iter().filter_map(in_flight).collect();
    // A call that was complete at once is recorded with another number than it began with.
    let number = |last: RecordedCall| signature(last.signature).map_or(UNNUMBERED, |found| found.number);
    calls.pop_if(|call| last.is_some_and(|last| (last.start, number(last)) == (call.start, call.signature.number)));
    calls
}

/// Polls without success that have no record yet. `last` is the last recorded call: a thread that was killed while it
/// wrote a record has the polls in both places.
pub fn open_polls(block: &ThreadBlock, last: Option<RecordedCall>) -> Option<Polls> {
    let polls = block.polls;
    let first = RecordedCall { start: polls.start, signature: polls.signature as u32 };
    (polls.count > 0 && Some(first) != last).then_some(polls)
}

impl ThreadPages<'_> {
    /// [`open_polls`] of this thread.
    pub fn open_polls(&self, last: Option<RecordedCall>) -> Option<Polls> {
        open_polls(self.block?, last)
    }

    /// Productive entries into the progress engine that have no record yet. `last` is when the last recorded one began:
    /// a thread that was killed while it wrote a record has the entries in both places.
    pub fn open_productive(&self, last: Option<u64>) -> impl Iterator<Item = &EntryRun> {
        let runs = self.block.map_or(&[][..], |block| block.productive.runs());
        runs.iter().filter(move |run| last.is_none_or(|last| run.start > last))
    }

    /// Entries outside MPI calls that have no record yet. `last` is when the last recorded run of them began.
    pub fn open_outside(&self, last: Option<u64>) -> Option<&EntryRun> {
        let run = &self.block?.outside;
        (run.count > 0 && Some(run.start) != last).then_some(run)
    }
}

pub(super) fn contents(trace: &RankFile) -> Contents<'_> {
    let (bytes, unit) = (&trace.map[..], trace.header.unit as usize);
    let mut contents = Contents { shared: shared(bytes), ..Contents::default() };
    let (mut threads, mut signatures) = (BTreeMap::new(), Vec::new());
    let mut holes = Holes::of(trace);
    let mut at = FIRST_PAGE;
    let mut lost = false;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let Ok((header, _)) = PageHeader::ref_from_prefix(rest) else {
            contents.damage.push(Damage::Cut { page: at as u64, claimed: unit as u64, left: rest.len() as u64 });
            break;
        };
        let kind = PageKind::from_number(header.kind);
        if kind.is_none() || header.units == 0 {
            // A unit of zeros belongs to a page that is reserved but not begun.
            let is_empty = rest[..rest.len().min(unit)].iter().all(|byte| *byte == 0);
            if !lost && !is_empty {
                contents.damage.push(Damage::NoPage { at: at as u64 });
                lost = true;
            }
            at = if is_empty { holes.behind(at) } else { at + unit };
            continue;
        }
        lost = false;
        if header.sample.ticks > contents.newest.ticks {
            contents.newest = header.sample;
        }
        let claimed = header.units as usize * unit;
        let page = &rest[..claimed.min(rest.len())];
        if page.len() < claimed {
            let (page, claimed, left) = (at as u64, claimed as u64, rest.len() as u64);
            contents.damage.push(Damage::Cut { page, claimed, left });
        }
        let body = &page[size_of::<PageHeader>()..];
        if kind == Some(PageKind::Definitions) {
            definitions(body, at as u64, &mut contents);
        } else if kind != Some(PageKind::Free) {
            let thread = threads.entry(header.thread).or_insert_with(ThreadPages::default);
            thread.number = header.thread;
            if kind == Some(PageKind::Signatures) {
                signatures.push((header.thread, body));
            }
            add(thread, kind.unwrap_or(PageKind::Events), (header, body), &trace.decoded);
        }
        at += claimed;
    }
    // A signature owns two numbers at most.
    let most = 2 * ((bytes.len() - holes.passed) / size_of::<Signature>());
    for (thread, body) in signatures {
        let thread = threads.entry(thread).or_insert_with(ThreadPages::default);
        let signatures = items::<Signature>(body).iter().take_while(|signature| signature.number != 0);
        for signature in signatures {
            thread.signatures.insert(signature, most);
        }
    }
    contents.threads = threads.into_values().collect();
    for thread in &mut contents.threads {
        thread.pages.sort_by_key(|page| page.sequence);
        // The recorder says that a page is dropped before it takes it again.
        let first = thread.dropped.map_or(0, |dropped| dropped.pages);
        thread.pages.retain(|page| page.sequence >= first);
    }
    contents
}

fn add<'a>(
    thread: &mut ThreadPages<'a>,
    kind: PageKind,
    (header, body): (&'a PageHeader, &'a [u8]),
    decoded: &'a AtomicU64,
) {
    match kind {
        PageKind::Thread => thread.block = ThreadBlock::ref_from_prefix(body).ok().map(|(block, _)| block),
        PageKind::Events => thread.pages.push(EventPage {
            thread: header.thread,
            sequence: header.sequence,
            header,
            base: header.base,
            requests: header.requests,
            words: items::<u64>(body),
            decoded,
        }),
        PageKind::Profile => {
            let entries = items::<ProfileEntry>(body).iter();
            thread.profile.extend(entries.take_while(|entry| entry.signature != 0));
        }
        PageKind::Dropped => {
            let newer = thread.dropped_as_of < header.requests;
            if let Some(dropped) = Dropped::read(header, body).filter(|_| newer) {
                (thread.dropped, thread.dropped_as_of) = (Some(dropped), header.requests);
            }
        }
        PageKind::Signatures | PageKind::Definitions | PageKind::Free => {}
    }
}

fn shared(bytes: &[u8]) -> Vec<&ProfileEntry> {
    let room = SHARED_TOTALS..SHARED_TOTALS + SHARED_ENTRIES * size_of::<ProfileEntry>();
    let entries = items::<ProfileEntry>(bytes.get(room).unwrap_or(&[])).iter();
    // Threads publish their entries in any order, so free ones may lie between.
    entries.filter(|entry| entry.signature != 0).collect()
}

/// The whole items in the bytes.
pub(super) fn items<T: FromBytes + zerocopy::Immutable + zerocopy::KnownLayout>(bytes: &[u8]) -> &[T] {
    let whole = bytes.len() / size_of::<T>();
    <[T]>::ref_from_prefix_with_elems(bytes, whole).map_or(&[], |(items, _)| items)
}

fn definitions(body: &[u8], page: u64, contents: &mut Contents<'_>) {
    let mut at = 0;
    while let Some(found) = definition_at(body, at) {
        let (bytes, next) = match found {
            Ok(found) => found,
            Err(bytes) => {
                contents.damage.push(Damage::NoDefinition { page, bytes });
                break;
            }
        };
        match Definition::from_bytes(bytes) {
            Some(definition) => contents.definitions.push(definition),
            None if Definition::is_later(bytes) => {}
            None => contents.damage.push(Damage::NoDefinition { page, bytes: bytes.len() as u32 }),
        }
        at = next;
    }
}

/// The definition at an offset of a page's body, and the offset of the next one. Fails with the definition's length if
/// it does not fit into the page.
pub(super) fn definition_at(body: &[u8], at: usize) -> Option<Result<(&[u8], usize), u32>> {
    let (prefix, rest) = body.get(at..)?.split_at_checked(PREFIX)?;
    let length = u32::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]);
    let found = rest.get(..length as usize).map(|bytes| (bytes, at + PREFIX + bytes.len().next_multiple_of(8)));
    (length > 0).then_some(found.ok_or(length))
}
