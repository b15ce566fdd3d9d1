//! Finds the pages of a file and sorts them by thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::RankFile;
use super::holes::Holes;
use super::tail::{OpenCall, Tail};
use super::zeroed::{self, ItemCounts, ReadPage};
use crate::clock::ClockSample;
use crate::definitions::{Definition, PREFIX};
use crate::dropped::Dropped;
use crate::error::{Damage, Held};
use crate::file::{
    DEFINED, FIRST_PAGE, LEVELS, Level, PageHeader, PageKind, ProfileEntry, SHARED_ENTRIES, SHARED_TOTALS, Stop,
    ThreadBlock,
};
use crate::live::{LiveBlock, LiveWords, see_published};
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
    pub shared: Vec<ProfileEntry>,
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
    /// The thread's fixed area, if it was begun. Of a running program it changes: [`block_behind`](Self::block_behind)
    /// copies it so that it fits to the records.
    pub block: Option<&'a LiveBlock>,
    /// The signatures behind the numbers of its calls.
    pub signatures: Signatures<'a>,
    /// The pages of records, in order.
    pub pages: Vec<EventPage<'a>>,
    /// Counts and times of calls without records.
    pub profile: Vec<ProfileEntry>,
    /// Counts of the dropped pages of records.
    pub dropped: Option<Dropped<'a>>,
    /// Number of the latest account of dropped pages.
    dropped_as_of: u64,
    /// How many signatures and entries of its profile the thread had written when its block was found; 0 in older files.
    written: [u64; 2],
    /// The state without records, empty until the last records are known: see [`behind`](Self::behind).
    pub tail: Tail,
}

/// The last records of the data that a thread's block holds, too.
#[derive(Clone, Copy, Default, Debug)]
pub struct Recorded {
    /// The last call.
    pub call: Option<RecordedCall>,
    /// Start of the last recorded productive entry into the engine.
    pub productive: Option<u64>,
    /// Start of the last recorded entries outside MPI calls.
    pub outside: Option<u64>,
    /// All recorded entries inside MPI calls.
    pub entries: Entries,
}

/// The place up to which the records of a thread were read.
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
    pub words: LiveWords<'a>,
    /// The offset of these words in the file.
    pub at: u64,
    /// What tells zeros that end the records from zeros in the place of records.
    pub(super) end: PageEnd,
    /// Counts how often pages of its file are decoded.
    pub(super) decoded: &'a AtomicU64,
}

/// The end of a page's records. `unit` is the number of words of which pages have multiples.
#[derive(Clone, Copy, Debug)]
pub(super) enum PageEnd {
    /// Nothing is known of later pages.
    Unknown,
    /// No later page is in the file: the thread may write on.
    Open { unit: usize },
    /// The thread went on in another page, whose first gap counts from `base`, where the last record of this one ends.
    Left { unit: usize, base: u64 },
}

#[cfg(loom)]
impl EventPage<'static> {
    /// A first page of records whose gaps count from 0, for tests of the order of writes.
    pub fn of_words(words: LiveWords<'static>) -> EventPage<'static> {
        static DECODED: AtomicU64 = AtomicU64::new(0);
        let header = Box::leak(Box::new(<PageHeader as zerocopy::FromZeros>::new_zeroed()));
        let end = PageEnd::Unknown;
        EventPage { thread: 0, sequence: 0, header, base: 0, requests: 0, words, at: 0, end, decoded: &DECODED }
    }
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
pub struct InFlight {
    /// Start of the call, ticks.
    pub start: u64,
    pub signature: Signature,
}

/// A recorded call. The tick alone does not identify it: on some processors, several calls fit into one tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedCall {
    /// Start of the call, ticks.
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
    /// The part of a block's state that these last records do not cover.
    pub fn behind(&self, block: Option<ThreadBlock>, recorded: &Recorded) -> Tail {
        let Some(block) = block else { return Tail::default() };
        let polls = open_polls(&block, recorded.call);
        let last_poll = polls.map(|polls| RecordedCall { start: polls.last, signature: polls.signature as u32 });
        let calls = self.in_flight(&block, last_poll.or(recorded.call)).into_iter().rev();
        let open =
            |InFlight { start, signature }| OpenCall { number: signature.number, signature, start, until: start };
        let (all, said) = (block.ledger[INSIDE].calls, &recorded.entries);
        Tail {
            polls,
            outside: open_outside(&block, recorded.outside),
            productive: open_productive(&block, recorded.productive).copied().collect(),
            calls: calls.map(open).collect(),
            entries: Entries {
                entries: all.entries.saturating_sub(said.entries),
                productive: all.productive.saturating_sub(said.productive),
                ticks: all.ticks.saturating_sub(said.ticks),
            },
            last_entry: block.last_entry,
        }
    }

    /// Notes for each page of records, in order, if the thread went on in another one.
    fn know_ends(&mut self, unit: usize) {
        let next: Vec<(u32, u64)> = self.pages.iter().skip(1).map(|page| (page.sequence, page.base)).collect();
        for (at, page) in self.pages.iter_mut().enumerate() {
            page.end = match next.get(at) {
                None => PageEnd::Open { unit },
                Some((sequence, base)) if page.sequence.checked_add(1) == Some(*sequence) => {
                    PageEnd::Left { unit, base: *base }
                }
                Some(_) => PageEnd::Unknown,
            };
        }
    }

    /// The system's id of the thread, 0 if unknown.
    pub fn tid(&self) -> u32 {
        self.block.map_or(0, |block| block.calls.tid.load(Relaxed))
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
            last.words = last.words.until(until.words);
        }
    }

    /// The calls that the thread is in by a copy of its block, outermost first. `last` is its last recorded call: a
    /// thread that was killed between recording a call and leaving it has the call in both places.
    pub fn in_flight(&self, block: &ThreadBlock, last: Option<RecordedCall>) -> Vec<InFlight> {
        let calls = |number| self.profile.iter().find(|entry| entry.signature == number).map_or(0, |entry| entry.count);
        in_flight(block, last, calls, |number| self.signatures.get(number).map(|found| found.0))
    }

    /// The calls that the thread's block has now, outermost first; the last of them may be in a record by now.
    pub fn in_flight_now(&self) -> Vec<InFlight> {
        self.block.map_or_else(Vec::new, |block| self.in_flight(&block.copy(), None))
    }
}

/// The calls that a thread is in by its block, outermost first. `last` is its last recorded call, which is also in the
/// block until the thread leaves it; `counted` is the number of calls that the profile has counted with a signature.
/// `signature` finds the signature of a number; a call that was complete at once has a number of its own.
pub fn in_flight<'a>(
    block: &ThreadBlock,
    last: Option<RecordedCall>,
    counted: impl Fn(u32) -> u64,
    signature: impl Fn(u32) -> Option<&'a Signature>,
) -> Vec<InFlight> {
    let depth = (block.depth as usize).min(LEVELS);
    let in_flight = |level: &Level| match level.signature as u32 {
        UNNUMBERED => Some(InFlight { start: level.start, signature: block.unnumbered }),
        number => Some(InFlight { start: level.start, signature: *signature(number)? }),
    };
    let is_open = |level: &&Level| !level.is_counted(counted(level.signature as u32));
    let mut calls: Vec<_> = block.levels[..depth].iter().filter(is_open).filter_map(in_flight).collect();
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

/// Productive entries into the progress engine that have no record yet. `last` is the start of the last recorded one: a
/// thread that was killed while it wrote a record has the entries in both places.
pub fn open_productive(block: &ThreadBlock, last: Option<u64>) -> impl Iterator<Item = &EntryRun> {
    block.productive.runs().iter().filter(move |run| last.is_none_or(|last| run.start > last))
}

/// Entries outside MPI calls that have no record yet. `last` is the start of the last recorded run of them.
pub fn open_outside(block: &ThreadBlock, last: Option<u64>) -> Option<EntryRun> {
    Some(block.outside).filter(|run| run.count > 0 && Some(run.start) != last)
}

pub(super) const WORD: usize = size_of::<u64>();
/// Words of a page's header.
pub(super) const HEADER: usize = size_of::<PageHeader>() / WORD;

/// Attempts to list the pages of a file that is being written.
const TRIES: usize = 5;

pub(super) fn contents(trace: &RankFile) -> Contents<'_> {
    let mut contents = contents_once(trace);
    for _ in 1..TRIES {
        if contents.damage.is_empty() {
            break;
        }
        // A page may have begun behind the place that was looked at, before a later one that was found.
        let again = contents_once(trace);
        let is_still = again.damage == contents.damage;
        contents = again;
        if is_still {
            break;
        }
    }
    contents
}

fn contents_once(trace: &RankFile) -> Contents<'_> {
    let (words, bytes, unit) = (trace.words(), trace.bytes, trace.header.unit as usize);
    let mut contents = Contents { shared: shared(words), ..Contents::default() };
    // Read before what it counts.
    let defined = words.published(DEFINED / WORD).unwrap_or(0);
    let (mut threads, mut of_items) = (BTreeMap::new(), Vec::new());
    let mut holes = Holes::of(trace);
    let mut at = FIRST_PAGE;
    let mut lost = false;
    while at < bytes {
        let rest = words.from(at / WORD);
        if rest.len() < HEADER {
            contents.damage.push(Damage::Cut { page: at as u64, claimed: unit as u64, left: (bytes - at) as u64 });
            break;
        }
        let Some((kind, header)) = page_begun(rest) else {
            let is_empty = is_reserved(rest.until(unit / WORD));
            if !lost && !is_empty {
                contents.damage.push(Damage::NoPage { at: at as u64 });
                lost = true;
            }
            at = if is_empty { holes.behind(at) } else { at + unit };
            continue;
        };
        lost = false;
        if header.sample.ticks > contents.newest.ticks {
            contents.newest = header.sample;
        }
        let claimed = header.units as usize * unit;
        let left = bytes - at;
        if left < claimed {
            contents.damage.push(Damage::Cut { page: at as u64, claimed: claimed as u64, left: left as u64 });
        }
        let body = rest.until(claimed / WORD).from(HEADER);
        let used = match kind {
            PageKind::Definitions => Some(definitions(body, at as u64, &mut contents)),
            PageKind::Signatures => Some(items::<Signature>(signatures_of(body, 0).count())),
            PageKind::Profile => {
                let profile = &mut thread_of(&mut threads, header.thread).profile;
                let before = profile.len();
                profile.extend(entries_of(body));
                Some(items::<ProfileEntry>(profile.len() - before))
            }
            PageKind::Free => None,
            PageKind::Thread | PageKind::Events | PageKind::Dropped => {
                add(thread_of(&mut threads, header.thread), kind, (header, body), (at as u64, &trace.decoded));
                None
            }
        };
        if let Some((items, used)) = used {
            let number = if kind == PageKind::Definitions { 0 } else { header.thread };
            let held = Held { kind, thread: number };
            let first = match definition_at(body, 0) {
                Some(Ok((_, words))) if kind == PageKind::Definitions => words,
                _ => 0,
            };
            of_items.push(ReadPage {
                held,
                sequence: header.sequence,
                at: body_at(at as u64),
                body,
                items,
                used,
                first,
            });
        }
        at += claimed;
    }
    if let Some(layout) = trace.layout.as_ref().filter(|layout| layout.bytes() < layout.used) {
        contents.damage.push(Damage::CutMember { claimed: layout.used, there: layout.bytes() });
    }
    // A signature owns two numbers at most.
    let most = 2 * ((bytes - holes.passed) / size_of::<Signature>());
    for page in of_items.iter().filter(|page| page.held.kind == PageKind::Signatures) {
        let thread = thread_of(&mut threads, page.held.thread);
        for signature in signatures_of(page.body, 0) {
            thread.signatures.insert(signature, most);
        }
    }
    let unit = unit / WORD;
    if trace.header.threads > 0 && trace.is_empty() {
        contents.damage.push(Damage::NoPagesAtAll { threads: trace.header.threads });
    }
    contents.damage.extend(zeroed::damage(&of_items, unit));
    let counts = ItemCounts::of(&of_items);
    contents.damage.extend(counts.fewer(Held { kind: PageKind::Definitions, thread: 0 }, defined));
    contents.threads = threads.into_values().collect();
    for thread in &mut contents.threads {
        thread.pages.sort_by_key(|page| page.sequence);
        // The recorder writes that a page is dropped before it reuses the page.
        let first = thread.dropped.map_or(0, |dropped| dropped.pages);
        thread.pages.retain(|page| page.sequence >= first);
        thread.know_ends(unit);
        let held = Held { kind: PageKind::Events, thread: thread.number };
        let sequences = thread.pages.iter().map(|page| page.sequence);
        contents.damage.extend(zeroed::missing(held, first, sequences));
        for (kind, written) in [PageKind::Signatures, PageKind::Profile].into_iter().zip(thread.written) {
            contents.damage.extend(counts.fewer(Held { kind, thread: thread.number }, written));
        }
        // Where the recorder had no more room for a block, its thread has no records.
        let may_have_none = trace.header.stop != Stop::No as u32 && thread.pages.is_empty();
        if thread.block.is_none() && !may_have_none {
            contents.damage.push(Damage::NoBlock { thread: thread.number });
        }
    }
    contents
}

fn thread_of<'a, 'b>(threads: &'b mut BTreeMap<u32, ThreadPages<'a>>, number: u32) -> &'b mut ThreadPages<'a> {
    let thread = threads.entry(number).or_default();
    thread.number = number;
    thread
}

/// The offset of a page's body.
fn body_at(page: u64) -> u64 {
    page + size_of::<PageHeader>() as u64
}

/// A number of items, and their words.
const fn items<T>(count: usize) -> (usize, usize) {
    (count, count * (size_of::<T>() / WORD))
}

/// Kind and header of the page at the begin of the words, if it has begun.
pub(super) fn page_begun(words: LiveWords<'_>) -> Option<(PageKind, &PageHeader)> {
    let kind = PageKind::from_number(words.get(0)? as u32)?;
    // SAFETY: the kind publishes the header.
    let header: &PageHeader = unsafe { words.item(0) }?;
    (header.units > 0).then_some((kind, header))
}

/// True for a unit of a page that is reserved but not begun: zeros, or a header without a kind before zeros.
fn is_reserved(unit: LiveWords<'_>) -> bool {
    unit.get(0).is_some_and(|first| first as u32 == 0) && (unit.from(HEADER).are_zero())
}

fn add<'a>(
    thread: &mut ThreadPages<'a>,
    kind: PageKind,
    (header, words): (&'a PageHeader, LiveWords<'a>),
    (at, decoded): (u64, &'a AtomicU64),
) {
    match kind {
        PageKind::Thread => {
            thread.block = LiveBlock::at(words);
            thread.written = thread
                .block
                .map_or([0; 2], |block| [&block.signatures, &block.totals].map(|count| count.load(Relaxed)));
            see_published();
        }
        PageKind::Events => thread.pages.push(EventPage {
            thread: header.thread,
            sequence: header.sequence,
            header,
            base: header.base,
            requests: header.requests,
            words,
            at: body_at(at),
            end: PageEnd::Unknown,
            decoded,
        }),
        PageKind::Dropped => {
            let newer = thread.dropped_as_of < header.requests;
            if let Some(dropped) = Dropped::read(header, words).filter(|_| newer) {
                (thread.dropped, thread.dropped_as_of) = (Some(dropped), header.requests);
            }
        }
        PageKind::Signatures | PageKind::Profile | PageKind::Definitions | PageKind::Free => {}
    }
}

fn shared(words: LiveWords<'_>) -> Vec<ProfileEntry> {
    let room = words.from(SHARED_TOTALS / WORD).until(SHARED_ENTRIES * size_of::<ProfileEntry>() / WORD);
    // Threads publish their entries in any order, so free ones may lie between.
    entries(room).flatten().collect()
}

/// The entries of a page of a profile.
pub(super) fn entries_of(body: LiveWords<'_>) -> impl Iterator<Item = ProfileEntry> {
    entries(body).map_while(|entry| entry)
}

/// The entries as they are now; `None` for a free one. The signature publishes an entry, and the counts change.
fn entries(words: LiveWords<'_>) -> impl Iterator<Item = Option<ProfileEntry>> {
    let ends = (0..words.len()).step_by(size_of::<ProfileEntry>() / WORD);
    ends.map_while(move |at| {
        let is_used = words.get(at)? as u32 != 0;
        see_published();
        Some(words.copy(at)?).map(|entry| Some(entry).filter(|_| is_used))
    })
}

/// The signatures of a page after the first `known` ones. The first word, with the number, publishes a signature.
pub(super) fn signatures_of(body: LiveWords<'_>, known: usize) -> impl Iterator<Item = &Signature> {
    const WORDS: usize = size_of::<Signature>() / WORD;
    (known..).map_while(move |at| {
        let at = at.checked_mul(WORDS)?;
        body.get(at).filter(|first| *first as u32 != 0)?;
        // SAFETY: the first word was found written.
        unsafe { body.item(at) }
    })
}

/// Adds a page's definitions. Returns how many there are, and their words.
fn definitions(body: LiveWords<'_>, page: u64, contents: &mut Contents<'_>) -> (usize, usize) {
    let (mut count, mut at) = (0, 0);
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
        (count, at) = (count + 1, next);
    }
    (count, at)
}

/// The definition at a word of a page's body, and the word of the next one. The length, which is the first word,
/// publishes a definition. Fails with the length if it does not fit into the page.
pub(super) fn definition_at(body: LiveWords<'_>, at: usize) -> Option<Result<(&[u8], usize), u32>> {
    let length = body.get(at).map(|first| first as u32).filter(|length| *length > 0)?;
    // SAFETY: the length was found written.
    let found = unsafe { body.bytes(at + PREFIX / WORD, length as usize) };
    Some(found.map(|bytes| (bytes, at + Definition::padded(bytes.len()) / WORD)).ok_or(length))
}
