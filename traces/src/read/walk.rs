//! Reads the records of one page of events.

use std::sync::atomic::Ordering;

use super::pages::{EventPage, PageEnd};
use super::tail::OpenCall;
use super::zeroed;
use crate::accesses::Accesses;
use crate::error::{Damage, Held};
use crate::file::PageKind;
use crate::live::{LiveWords, see_published};
use crate::progress::{self, Entries, EntryRun, Polls};
use crate::record::{self, Arrived, Content, RecordKind, Sample, Unsampled};
use crate::teams::{OpenTeam, Teams};

/// A consumer of records. Records that follow a call belong to it.
pub trait Visitor {
    /// A call that ended. `start` and `duration` are in ticks; `signature` has 24 bits and need not be a number of the
    /// thread.
    fn call(&mut self, signature: u32, start: u64, duration: u64);
    /// A call that has not returned. It comes after all records, the innermost first. By default it counts as a call
    /// that ended when its thread was last known to be alive.
    fn open(&mut self, call: &OpenCall) {
        self.call(call.number, call.start, call.duration());
    }
    /// Records were lost here: those that follow, up to the next call, belong to no call that was shown. `request` is
    /// the number of the thread's next request; `None` if no records follow.
    fn torn(&mut self, _request: Option<u64>) {}
    /// The data that the call received, or the request completed last.
    fn arrived(&mut self, _arrived: Arrived) {}
    /// The content that the call sent or received, or the request started or completed last.
    fn content(&mut self, _content: Content) {}
    /// Requests of this thread: [`RecordKind::Completed`], [`RecordKind::Started`], [`RecordKind::Freed`] or
    /// [`RecordKind::Ready`].
    fn requests(&mut self, _kind: RecordKind, _count: u32, _age: u64) {}
    /// Requests that another thread began; otherwise as for `requests`.
    fn elsewhere(&mut self, _kind: RecordKind, _count: u32, _thread: u32, _number: u64) {}
    /// The call returned an error.
    fn failed(&mut self, _class: u16, _code: i32) {}
    /// The entries into the progress engine during the call, or during the polls.
    fn engine(&mut self, _during: Entries) {}
    /// A run of productive entries into the progress engine.
    fn productive(&mut self, _run: &EntryRun) {}
    /// A run of entries outside MPI calls.
    fn outside(&mut self, _run: &EntryRun) {}
    /// A run of polls without success.
    fn polls(&mut self, _polls: &Polls) {}
    /// The thread entered or left a region: [`RecordKind::RegionBegin`] or [`RecordKind::RegionEnd`].
    fn region(&mut self, _kind: RecordKind, _at: u64, _number: u32) {}
    /// A request of this thread was found complete, before a call completed it.
    fn found_complete(&mut self, _at: u64, _age: u64) {}
    /// A sample: the place of the thread between two calls.
    fn sample(&mut self, _at: u64, _sample: Sample) {}
    /// Periods of processor time that ended inside the call, or inside the polls.
    fn sampled(&mut self, _periods: u64) {}
    /// Periods without a sample since the last record.
    fn unsampled(&mut self, _periods: Unsampled) {}
    /// The processor time that the thread used between the call before and this one.
    fn on_processor(&mut self, _nanoseconds: u64) {}
    /// Parallel regions that the thread has started and that have ended.
    fn teams(&mut self, _teams: &Teams) {}
    /// The next call, which may be among other records, lies in this parallel region.
    fn open_team(&mut self, _team: OpenTeam) {}
    /// Accesses to a file since the call before.
    fn accesses(&mut self, _accesses: &Accesses) {}
}

/// A reader of a page that can go in steps.
pub struct Walk<'a> {
    thread: u32,
    words: LiveWords<'a>,
    /// The offset of the words in the file, and their end.
    offset: u64,
    end: PageEnd,
    last: u64,
    at: usize,
    seen: u64,
}

/// A position in a page.
#[derive(Clone, Copy, Default, Debug)]
pub struct Place {
    last: u64,
    at: usize,
    /// The number of records before the position.
    pub seen: u64,
}

impl<'a> Walk<'a> {
    /// Reads from a position of the page on.
    pub fn at(page: &EventPage<'a>, place: Place) -> Walk<'a> {
        Walk { last: place.last, at: place.at, seen: place.seen, ..Walk::of_page(page) }
    }

    /// The position that it has reached.
    pub fn place(&self) -> Place {
        Place { last: self.last, at: self.at, seen: self.seen }
    }

    /// The number of words of the page that it has read.
    pub fn words(&self) -> usize {
        self.at
    }

    /// True if any record fits into the page behind those that it has read.
    pub fn has_room(&self) -> bool {
        self.words.len() - self.at >= RecordKind::MOST_WORDS
    }

    /// Reads from the page's first record on.
    pub fn new(page: &EventPage<'a>) -> Walk<'a> {
        page.decoded.fetch_add(1, Ordering::Relaxed);
        Walk::of_page(page)
    }

    fn of_page(page: &EventPage<'a>) -> Walk<'a> {
        Walk { offset: page.at, end: page.end, ..Walk::of_words(page.thread, page.base, page.words) }
    }

    /// Reads the words of a thread's page, the first gap of which counts from `base`.
    pub fn of_words(thread: u32, base: u64, words: LiveWords<'a>) -> Walk<'a> {
        Walk { thread, words, offset: 0, end: PageEnd::Unknown, last: base, at: 0, seen: 0 }
    }

    /// The tick at which the last call ended.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Shows up to `records` records to the visitor, in order. Returns true if there may be more.
    ///
    /// Stops at the first word that is not written yet. Fails at a word that is no record, and at zeros where records were
    /// written; the records before were shown and are not shown again. Later reads see all that was written before the records, such as their
    /// signatures.
    #[inline]
    pub fn step(&mut self, visitor: &mut impl Visitor, records: usize) -> Result<bool, Damage> {
        let words = self.words;
        let (mut last, mut at) = (self.last, self.at);
        let until = self.seen.saturating_add(records as u64);
        let mut seen = self.seen;
        let mut more = true;
        while seen < until {
            let Some(word) = words.get(at).filter(|word| *word != 0) else {
                more = false;
                break;
            };
            if word & 1 == 0 {
                let (signature, gap, duration) = record::from_short(word);
                let start = last.wrapping_add(gap);
                visitor.call(signature, start, duration);
                last = start.wrapping_add(duration);
                at += 1;
            } else if word & progress::CALL == progress::CALL {
                last = with_engine(word, last, visitor);
                at += 1;
            } else {
                let record = RecordKind::of(word).and_then(|kind| Some((kind, words.record(at, kind.words())?)));
                let Some((kind, record)) = record else {
                    (self.last, self.at, self.seen) = (last, at, seen);
                    return Err(Damage::NoRecord { thread: self.thread, word: at, value: word, before: seen });
                };
                last = rare(kind, &record, last, visitor);
                at += kind.words();
            }
            seen += 1;
        }
        see_published();
        (self.last, self.at, self.seen) = (last, at, seen);
        if more { Ok(true) } else { self.ends_well().map(|()| false) }
    }

    /// Fails if what follows the last record was written, and is zeros by now.
    #[cold]
    fn ends_well(&self) -> Result<(), Damage> {
        let end = match self.end {
            PageEnd::Unknown => None,
            PageEnd::Open { unit } => zeroed::lost_at(self.words, self.at, unit, false),
            PageEnd::Left { unit, base } => {
                // Where the next page counts from another time than this one ends at, it ends too early.
                let least = if self.last == base { unit } else { 1 };
                zeroed::lost_at(self.words, self.at, least, true)
            }
        };
        let held = Held { kind: PageKind::Events, thread: self.thread };
        match end {
            Some(end) => Err(zeroed::zeros_damage(held, self.offset, self.words, (self.at, end))),
            None => Ok(()),
        }
    }

    /// The offset in the file at which the records that were read end.
    pub fn offset(&self) -> u64 {
        self.offset + (self.at * size_of::<u64>()) as u64
    }
}

/// Shows all of a page's records to the visitor. Returns the tick at which the last call ended.
pub fn walk(page: &EventPage<'_>, visitor: &mut impl Visitor) -> Result<u64, Damage> {
    let mut walk = Walk::new(page);
    walk.step(visitor, usize::MAX)?;
    Ok(walk.last())
}

/// A short call that entered the engine. Returns its end.
#[inline]
fn with_engine(word: u64, last: u64, visitor: &mut impl Visitor) -> u64 {
    let (signature, gap, duration, during) = progress::from_call(word);
    let start = last.wrapping_add(gap);
    let end = start.wrapping_add(duration);
    visitor.call(signature, start, duration);
    visitor.engine(during);
    if during.productive > 0 {
        visitor.productive(&EntryRun { start, end, count: during.productive });
    }
    end
}

/// Any record but the two common forms of a call. Returns the end of the last call.
#[inline(never)]
fn rare(kind: RecordKind, words: &[u64; RecordKind::MOST_WORDS], last: u64, visitor: &mut impl Visitor) -> u64 {
    let word = words[0];
    let mut call = |signature: u32, gap: i64, duration: u64| {
        let start = last.wrapping_add_signed(gap);
        visitor.call(signature, start, duration);
        start.wrapping_add(duration)
    };
    match kind {
        RecordKind::Wide => {
            let (signature, gap) = record::from_wide(word);
            return call(signature, gap, words[1]);
        }
        RecordKind::Long => return call(record::from_long(word), words[1] as i64, words[2]),
        RecordKind::Arrived => visitor.arrived(Arrived::from_words([word, words[1]])),
        RecordKind::Content => visitor.content(Content::from_words([word, words[1]])),
        RecordKind::Completed | RecordKind::Started | RecordKind::Freed | RecordKind::Ready => {
            let (count, age) = record::from_requests(word);
            visitor.requests(kind, count, age);
        }
        RecordKind::Elsewhere => {
            if let Some((kind, count, thread, number)) = record::from_elsewhere([word, words[1]]) {
                visitor.elsewhere(kind, count, thread, number);
            }
        }
        RecordKind::Failed => {
            let (class, code) = record::from_failed(word);
            visitor.failed(class, code);
        }
        RecordKind::RegionBegin | RecordKind::RegionEnd => {
            let (gap, number) = record::from_region(word);
            let at = last.wrapping_add(gap);
            visitor.region(kind, at, number);
            return at;
        }
        RecordKind::FoundComplete => {
            let (gap, age) = record::from_found_complete(word);
            let at = last.wrapping_add(gap);
            visitor.found_complete(at, age);
            return at;
        }
        RecordKind::Sample => {
            let (gap, sample) = Sample::from_words([word, words[1]]);
            let at = last.wrapping_add(gap);
            visitor.sample(at, sample);
            return at;
        }
        RecordKind::Sampled => visitor.sampled(record::from_sampled(word)),
        RecordKind::Unsampled => visitor.unsampled(Unsampled::from_word(word)),
        RecordKind::OnProcessor => visitor.on_processor(record::from_on_processor(word)),
        RecordKind::Teams => visitor.teams(&Teams::from_words(*words, last)),
        RecordKind::OpenTeam => visitor.open_team(OpenTeam::from_words([word, words[1]], last)),
        RecordKind::Accesses => visitor.accesses(&Accesses::from_words(std::array::from_fn(|at| words[at]), last)),
        _ => return of_engine(kind, words, last, visitor),
    }
    last
}

/// A record about the progress engine, or of polls.
fn of_engine(kind: RecordKind, words: &[u64; RecordKind::MOST_WORDS], last: u64, visitor: &mut impl Visitor) -> u64 {
    let word = words[0];
    match kind {
        RecordKind::Engine => visitor.engine(progress::from_engine(word)),
        RecordKind::EngineLong => visitor.engine(progress::from_engine_long([word, words[1], words[2]])),
        RecordKind::EngineOne => {
            let (during, run) = progress::from_one(word, last);
            visitor.engine(during);
            visitor.productive(&run);
        }
        RecordKind::Productive => visitor.productive(&progress::from_productive(word, last)),
        RecordKind::ProductiveRun => visitor.productive(&progress::from_run([word, words[1], words[2]], last)),
        RecordKind::Outside => visitor.outside(&progress::from_run([word, words[1], words[2]], last)),
        RecordKind::Skip => return last.wrapping_add_signed(progress::from_skip(word)),
        RecordKind::Polls => {
            let polls = progress::from_polls(std::array::from_fn(|at| words[at]), last);
            visitor.polls(&polls);
            return polls.end;
        }
        _ => {}
    }
    last
}
