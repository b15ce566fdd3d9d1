//! The contents of a file, sorted by thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::tail::{OpenCall, Tail};
use crate::clock::ClockSample;
use crate::definitions::Definition;
use crate::dropped::Dropped;
use crate::error::Damage;
use crate::file::{LEVELS, Level, PageHeader, ProfileEntry, ThreadBlock};
use crate::live::{LiveBlock, LiveWords};
use crate::progress::{Entries, EntryRun, INSIDE, Polls};
use crate::record::UNNUMBERED;
use crate::signature::{STARTS, Signature};
use crate::teams::Teams;

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
    pub(super) dropped_as_of: u64,
    /// Numbers of signatures and of profile entries that the thread had written when its block was found; 0 in older files.
    pub(super) written: [u64; 2],
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
    /// Start of the last recorded parallel regions.
    pub teams: Option<u64>,
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
    /// Tells zeros that end the records from zeros in the place of records.
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
    pub(super) fn insert(&mut self, signature: &'a Signature, most: usize) {
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
            teams: open_teams(&block, recorded.teams),
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
    pub(super) fn know_ends(&mut self, unit: usize) {
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

/// Parallel regions that have no record yet. `last` is the start of the last recorded run of them.
pub fn open_teams(block: &ThreadBlock, last: Option<u64>) -> Option<Teams> {
    Some(block.teams).filter(|teams| teams.count > 0 && Some(teams.start) != last)
}
