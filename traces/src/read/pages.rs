//! Finds the pages of a file and sorts them by thread.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use zerocopy::FromBytes;

use super::RankFile;
use super::holes::Holes;
use super::tail::{OpenCall, Tail};
use crate::clock::ClockSample;
use crate::definitions::{Definition, PREFIX};
use crate::error::Damage;
use crate::file::{
    FIRST_PAGE, LEVELS, Level, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, ThreadBlock,
};
use crate::progress::{Entries, EntryRun, INSIDE, Polls};
use crate::record::UNNUMBERED;
use crate::signature::{STARTS, Signature};

/// What a file holds.
#[derive(Default)]
pub struct Contents<'a> {
    /// In the order they were written.
    pub definitions: Vec<Definition>,
    /// By number.
    pub threads: Vec<ThreadPages<'a>>,
    /// Counts and times by function, of threads that had no room of their own.
    pub shared: Vec<&'a ProfileEntry>,
    /// The clocks when the newest page was begun.
    pub newest: ClockSample,
    /// What could not be used.
    pub damage: Vec<Damage>,
}

/// One thread of a rank.
#[derive(Default)]
pub struct ThreadPages<'a> {
    /// From 0, in the order they first called MPI.
    pub number: u32,
    /// Its fixed place, if it was begun.
    pub block: Option<&'a ThreadBlock>,
    /// What its calls' numbers mean.
    pub signatures: Signatures<'a>,
    /// Its pages of records, in order.
    pub pages: Vec<EventPage<'a>>,
    /// Counts and times of calls that are in no page.
    pub profile: Vec<&'a ProfileEntry>,
    /// What has no record yet. Nothing, until it is known what the records say: [`behind`](Self::behind).
    pub tail: Tail,
}

/// What the records of a thread said last of what its block also holds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Recorded {
    /// The last call.
    pub call: Option<RecordedCall>,
    /// When the last productive entry into the engine began.
    pub productive: Option<u64>,
    /// When the last entries outside MPI calls began.
    pub outside: Option<u64>,
    /// All entries inside MPI calls.
    pub entries: Entries,
}

/// How far the records of a thread were read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReadUntil {
    /// The number of the thread's next request where each page of records begins. Recorders wrote one too many into the header of a
    /// page that begins with the call that takes the number.
    pub requests: Vec<u64>,
    /// Words of the last of them.
    pub words: usize,
}

/// A page of records.
#[derive(Clone, Copy)]
pub struct EventPage<'a> {
    /// The thread it belongs to.
    pub thread: u32,
    /// Its place among the thread's pages.
    pub sequence: u32,
    /// Its header.
    pub header: &'a PageHeader,
    /// The tick the first gap counts from.
    pub base: u64,
    /// The number of the thread's next request where the page begins.
    pub requests: u64,
    /// The records; the first zero ends them.
    pub words: &'a [u64],
    /// Counts how often pages of its file are decoded.
    pub(super) decoded: &'a AtomicU64,
}

/// The signatures of a thread by their numbers.
#[derive(Default)]
pub struct Signatures<'a> {
    /// By number.
    dense: Vec<Option<&'a Signature>>,
    /// Those of a profile have numbers of any height.
    sparse: BTreeMap<u32, &'a Signature>,
}

/// A call that was not over when the file was last written.
#[derive(Clone, Copy, Debug)]
pub struct InFlight<'a> {
    /// When it began, ticks.
    pub start: u64,
    /// What it is.
    pub signature: &'a Signature,
}

/// A call that has a record. The tick alone does not tell it from the next: on some processors several calls fit in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedCall {
    /// When it began, ticks.
    pub start: u64,
    /// Its signature's number.
    pub signature: u32,
}

impl<'a> Signatures<'a> {
    /// The signature of a number, and whether the number says that the request it starts was complete at once.
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

    /// All that records can have, by number. The highest is in proportion to the file.
    pub fn iter(&self) -> impl Iterator<Item = &'a Signature> {
        self.dense.iter().flatten().copied()
    }

    /// What records of each number mean: `none` where there is no signature. `of` is told whether the number says that the
    /// request the call starts was complete at once. The last value is of a number that no signature has.
    pub fn by_number<T: Clone>(&self, none: T, mut of: impl FnMut(&'a Signature, bool) -> T) -> Vec<T> {
        let mut values = vec![none; self.dense.len() + 2];
        for signature in self.iter() {
            let number = signature.number as usize;
            values[number] = of(signature, false);
            if signature.flags & STARTS != 0 {
                values[number + 1] = of(signature, true);
            }
        }
        values
    }

    /// Adds one; `most` bounds the numbers of records.
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
    /// What the thread's block holds behind records that said this.
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

    /// What a call is that it has not returned from.
    pub fn signature_of(&self, call: &OpenCall) -> Option<&'a Signature> {
        match call.number {
            UNNUMBERED => self.block.map(|block| &block.unnumbered),
            number => self.signatures.get(number).map(|found| found.0),
        }
    }

    /// Leaves away what was written since it was read so far, of a program that goes on; and numbers each page's requests as they were
    /// counted.
    pub fn cut(&mut self, until: &ReadUntil) {
        self.pages.truncate(until.requests.len());
        for (page, requests) in self.pages.iter_mut().zip(&until.requests) {
            page.requests = *requests;
        }
        if let Some(last) = self.pages.last_mut() {
            last.words = &last.words[..until.words.min(last.words.len())];
        }
    }

    /// The calls the thread was in, outermost first. `last` is its last recorded call: a thread that was killed between
    /// recording a call and leaving it has it in both places.
    pub fn in_flight(&self, last: Option<RecordedCall>) -> Vec<InFlight<'a>> {
        let Some(block) = self.block else { return Vec::new() };
        in_flight(block, last, |number| self.signatures.get(number).map(|found| found.0))
    }
}

/// The calls that a thread is in by its fixed place, outermost first. `last` is its last recorded call, which a thread that has not
/// left it yet has in both places. `signature` says what a number means; that of a call that was complete at once is its own.
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
    // A call that was complete at once is recorded by another number than it began with.
    let number = |last: RecordedCall| signature(last.signature).map_or(UNNUMBERED, |found| found.number);
    calls.pop_if(|call| last.is_some_and(|last| (last.start, number(last)) == (call.start, call.signature.number)));
    calls
}

/// Calls that asked in vain and have no record yet. `last` is the last recorded call: a thread that was killed while it wrote a
/// record has them in both places.
pub fn open_polls(block: &ThreadBlock, last: Option<RecordedCall>) -> Option<Polls> {
    let polls = block.polls;
    let first = RecordedCall { start: polls.start, signature: polls.signature as u32 };
    (polls.count > 0 && Some(first) != last).then_some(polls)
}

impl ThreadPages<'_> {
    /// See [`open_polls`].
    pub fn open_polls(&self, last: Option<RecordedCall>) -> Option<Polls> {
        open_polls(self.block?, last)
    }

    /// Productive entries into the progress engine that have no record yet. `last` is when the last of those that have one
    /// began: a thread that was killed while it wrote a record has them in both places.
    pub fn open_productive(&self, last: Option<u64>) -> impl Iterator<Item = &EntryRun> {
        let runs = self.block.map_or(&[][..], |block| block.productive.runs());
        runs.iter().filter(move |run| last.is_none_or(|last| run.start > last))
    }

    /// The same for entries outside MPI calls.
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
            // A unit of zeros is a page reserved and not begun.
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
        } else {
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
        signatures.for_each(|signature| thread.signatures.insert(signature, most));
    }
    contents.threads = threads.into_values().collect();
    for thread in &mut contents.threads {
        thread.pages.sort_by_key(|page| page.sequence);
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
        PageKind::Signatures | PageKind::Definitions => {}
    }
}

fn shared(bytes: &[u8]) -> Vec<&ProfileEntry> {
    let room = SHARED_TOTALS..SHARED_TOTALS + SHARED_ENTRIES * size_of::<ProfileEntry>();
    let entries = items::<ProfileEntry>(bytes.get(room).unwrap_or(&[])).iter();
    // Threads publish their entries in any order.
    entries.filter(|entry| entry.signature != 0).collect()
}

/// As many whole items as the bytes hold.
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

/// The definition that begins at a byte of a page's body, and where the next one does. Fails with the length of one that the page
/// has no room for.
pub(super) fn definition_at(body: &[u8], at: usize) -> Option<Result<(&[u8], usize), u32>> {
    let (prefix, rest) = body.get(at..)?.split_at_checked(PREFIX)?;
    let length = u32::from_le_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]);
    let found = rest.get(..length as usize).map(|bytes| (bytes, at + PREFIX + bytes.len().next_multiple_of(8)));
    (length > 0).then_some(found.ok_or(length))
}
