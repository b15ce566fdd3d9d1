//! Counts a thread's records as they are read.

use std::collections::{BTreeMap, HashMap};

use traces::dropped::{Dropped, DroppedRequest};
use traces::error::Damage;
use traces::progress::{Entries, EntryRun, Polls};
use traces::read::{EventPage, OpenCall, RecordedCall, ThreadPages, Visitor};
use traces::record::{Arrived, Fate, RecordKind, Sample, Unsampled};
use traces::signature::{CREATES, STARTS, Signature, UNKNOWN_BYTES};
use traces::teams::Teams;

use super::call_sum::{CallSum, NOTHING};
use super::samples::SampleCounter;
use super::{CallTotal, Tally};
use crate::request_numbers::{RequestChange, RequestId, RequestNumbers};
use crate::selection::{Cursor, LEFT_OUT, Part};
use crate::sums::Grow;

#[derive(Clone, Copy, Default)]
struct Moved {
    sent: i64,
    received: i64,
}

/// A completion is attributed to its starting call up to this many requests back.
const REMEMBERED: usize = 1 << 20;

/// The part of calls whose records were dropped: later records correct their totals.
const DROPPED: Part = LEFT_OUT - 1;

/// Additions to a dropped call by records that were kept.
#[derive(Clone, Copy, Default, Debug)]
pub struct Correction {
    pub sent: i64,
    pub received: i64,
    pub failed: u64,
    pub starts: u64,
    pub engine: Entries,
}

/// The call that began a request; for a persistent one, the starting and the creating call.
#[derive(Clone, Copy)]
struct Began {
    /// Index in `sums` of the starting call.
    by: u32,
    /// Signature of the posting call.
    posted: u32,
}

/// Counts of a thread after the records read so far.
pub struct Counter<'a> {
    cursor: Cursor<'a>,
    /// Begin of each part's sums.
    parts: BTreeMap<Part, u32>,
    /// Begin of the current part's sums.
    base: u32,
    /// A number beyond all signatures, to which unknown numbers are mapped: only damaged files use it.
    last: u32,
    /// Calls with undefined numbers, by number.
    undefined: BTreeMap<u32, u64>,
    /// By signature, one part after the other.
    sums: Vec<CallSum>,
    /// By signature: true if its calls take a request number.
    takes: Vec<bool>,
    /// Origins of the last requests, at the request's number modulo the length.
    began: Vec<Began>,
    /// Origins of the requests that were open when their records were dropped, by number.
    before: HashMap<u64, Began>,
    pub numbers: RequestNumbers,
    /// Signature of the call that the next records belong to.
    call: u32,
    /// Index of that call in `sums`.
    place: u32,
    /// Origin of the request that the next records belong to.
    request: Option<Began>,
    /// Thread and number of that request.
    completed: RequestId,
    pub cancelled: Vec<RequestId>,
    posted: Vec<u64>,
    /// Bytes sent and received per start of a persistent request created by a signature.
    starts: Vec<(u64, u64)>,
    /// Number of such starts, by index.
    started_of: HashMap<u32, u64>,
    /// Bytes of requests that a call only started, and differences to the posted number of bytes, by index.
    moved: HashMap<u32, Moved>,
    failed: HashMap<u32, u64>,
    /// Engine entries by index; empty if the engine was not recorded.
    engine: Vec<Entries>,
    /// Calls that have not returned, by index.
    open: HashMap<u32, u64>,
    /// Calls that have not returned, of signatures that no record can have: part, call and engine entries.
    unplaced: Vec<(Part, OpenCall, Entries)>,
    /// The next records belong to such a call.
    is_unplaced: bool,
    pub last_call: Option<RecordedCall>,
    /// Begin of the last productive engine entry.
    pub last_productive: Option<u64>,
    /// Begin of the last engine entries outside MPI calls.
    pub last_outside: Option<u64>,
    pub last_teams: Option<u64>,
    /// All recorded engine entries inside MPI calls.
    pub told: Entries,
    samples: SampleCounter,
}

impl<'a> Counter<'a> {
    pub fn new(thread: &ThreadPages<'_>, stretches: &'a [(u64, Part)]) -> Counter<'a> {
        let signatures = &thread.signatures;
        let takes = signatures.by_number(false, |signature, _| signature.flags & (STARTS | CREATES) != 0);
        let posted = signatures.by_number(0, |signature, _| signature.received);
        let starts = signatures.by_number((0, 0), |signature, _| signature.moves());
        let last = takes.len() as u32 - 1;
        let cursor = Cursor::new(stretches);
        let mut counter = Counter {
            parts: BTreeMap::from([(cursor.part, 0)]),
            cursor,
            base: 0,
            last,
            undefined: BTreeMap::new(),
            sums: vec![NOTHING; last as usize + 1],
            takes,
            began: Vec::new(),
            before: HashMap::new(),
            numbers: RequestNumbers::new(thread.number, 0),
            call: 0,
            place: 0,
            request: None,
            completed: (thread.number, 0),
            cancelled: Vec::new(),
            posted,
            starts,
            started_of: HashMap::new(),
            moved: HashMap::new(),
            failed: HashMap::new(),
            engine: Vec::new(),
            open: HashMap::new(),
            unplaced: Vec::new(),
            is_unplaced: false,
            last_call: None,
            last_productive: None,
            last_outside: None,
            last_teams: None,
            told: Entries::default(),
            samples: SampleCounter::new(thread),
        };
        if let Some(dropped) = &thread.dropped {
            counter.goes_on(dropped, thread.pages.first());
        }
        counter
    }

    /// Resumes after dropped records, with their last call and the requests that they leave open.
    fn goes_on(&mut self, dropped: &Dropped<'_>, first: Option<&EventPage<'_>>) {
        let base = self.sums.len() as u32;
        self.sums.resize(self.sums.len() + self.last as usize + 1, NOTHING);
        self.parts.insert(DROPPED, base);
        let began =
            |request: &DroppedRequest| Began { by: base + self.number(request.started_by), posted: request.signature };
        self.before = dropped.requests.iter().map(|request| (request.number, began(request))).collect();
        (self.call, self.place) = (dropped.head.last, base + self.number(dropped.head.last));
        let last = dropped.head.last_request();
        self.request = last.map(|(began, posted)| Began { by: base + self.number(began), posted });
        self.numbers.torn(first.map(|first| first.requests));
    }

    /// Corrections to the totals of dropped calls, by signature.
    pub fn corrections(&self) -> HashMap<u32, Correction> {
        let Some(base) = self.parts.get(&DROPPED).copied() else { return HashMap::new() };
        let of = |number: u32| {
            let place = base + number;
            let moved = self.moved.get(&place).copied().unwrap_or_default();
            let correction = Correction {
                sent: moved.sent,
                received: moved.received,
                failed: self.failed.get(&place).copied().unwrap_or(0),
                starts: self.started_of.get(&place).copied().unwrap_or(0),
                engine: self.engine.get(place as usize).copied().unwrap_or_default(),
            };
            (number, correction)
        };
        (0..self.last).map(of).collect()
    }

    /// Switches to the part that contains a tick.
    #[cold]
    #[inline(never)]
    fn turn(&mut self, tick: u64) {
        self.cursor.go(tick);
        let (sums, last) = (&mut self.sums, self.last);
        self.base = *self.parts.entry(self.cursor.part).or_insert_with(|| {
            sums.resize(sums.len() + last as usize + 1, NOTHING);
            sums.len() as u32 - last - 1
        });
    }

    /// Index in `sums` for a call of this signature that began at a tick.
    #[inline(always)]
    fn place(&mut self, signature: u32, start: u64) -> u32 {
        if self.cursor.is_elsewhere(start) {
            self.turn(start);
        }
        self.base + self.number(signature)
    }

    /// The signature's index, with undefined numbers mapped to the last.
    #[inline(always)]
    fn number(&self, signature: u32) -> u32 {
        signature.min(self.last)
    }

    /// Counts a call whose number the file does not define.
    #[cold]
    fn undefined(&mut self, number: u32) {
        *self.undefined.entry(number).or_default() += 1;
    }

    /// Notes the origin of a new request.
    fn remember(&mut self, number: u64, began: Began) {
        if self.began.len() < REMEMBERED {
            self.began.push(began);
        } else {
            self.began[number as usize % REMEMBERED] = began;
        }
    }

    /// Notes that the current call started a persistent request as a new one, which moves its bytes.
    fn start_request(&mut self, created: u64, number: u64) {
        let created = self.began(created, number).map_or(0, |began| began.posted);
        let (sent, received) = self.starts[self.number(created) as usize];
        *self.started_of.entry(self.base + self.number(created)).or_default() += 1;
        let moved = self.moved.entry(self.place).or_default();
        moved.sent.grow(sent as i64);
        moved.received.grow(received as i64);
        self.remember(number, Began { by: self.place, posted: created });
    }

    /// Origin of a request, if it is still remembered. `next` is the next number to be remembered.
    fn began(&self, number: u64, next: u64) -> Option<Began> {
        self.began_in_records(number, next).or_else(|| self.before.get(&number).copied())
    }

    fn began_in_records(&self, number: u64, next: u64) -> Option<Began> {
        let back = next.checked_sub(number)?;
        let at = if self.began.len() < REMEMBERED {
            (self.began.len() as u64).checked_sub(back)?
        } else if back <= REMEMBERED as u64 {
            number % REMEMBERED as u64
        } else {
            return None;
        };
        self.began.get(at as usize).copied()
    }

    /// Moves the counts to `tally`.
    pub fn entries(mut self, thread: &ThreadPages<'_>, tally: &mut Tally) {
        tally.samples = std::mem::take(&mut self.samples).finish(thread, self.call);
        let parts = std::mem::take(&mut self.parts);
        if let Some(base) = parts.get(&LEFT_OUT).map(|base| *base as usize) {
            let placed = self.engine.iter().skip(base).take(self.last as usize + 1).copied();
            let unplaced = self.unplaced.iter().filter(|(part, ..)| *part == LEFT_OUT).map(|(.., engine)| *engine);
            for engine in placed.chain(unplaced) {
                tally.left_out += engine;
            }
        }
        for (part, base) in parts.into_iter().filter(|(part, _)| ![LEFT_OUT, DROPPED].contains(part)) {
            self.entries_of(part, base, thread, tally);
        }
        let undefined = self.undefined.into_iter();
        tally.damage.extend(undefined.map(|(number, calls)| Damage::NoSignature {
            thread: thread.number,
            number,
            calls,
        }));
    }

    fn entries_of(&mut self, part: Part, base: u32, thread: &ThreadPages<'_>, tally: &mut Tally) {
        for number in 1..self.last {
            let place = (base + number) as usize;
            let sum = self.sums[place];
            if sum.count == 0 {
                continue;
            }
            match thread.signatures.get(number) {
                // Calls whose request was complete at once are merged with the number before.
                Some((_, true)) => {
                    self.sums[place - 1].merge(&sum);
                    if let Some(engine) = self.engine.get(place).copied() {
                        self.engine[place - 1] += engine;
                    }
                }
                Some(_) => {}
                None => {
                    let (thread, calls) = (thread.number, sum.count);
                    tally.damage.push(Damage::NoSignature { thread, number, calls });
                }
            }
        }
        for signature in thread.signatures.iter() {
            let place = base + signature.number;
            let sum = self.sums[place as usize];
            let starts = self.started_of.get(&place).copied().unwrap_or(0);
            // Persistent requests may be started at another call site than they were created at.
            if sum.count > 0 || starts > 0 {
                let moved = self.moved.get(&place).copied().unwrap_or_default();
                let [failed, open] = [&self.failed, &self.open].map(|places| places.get(&place).copied().unwrap_or(0));
                let engine = self.engine.get(place as usize).copied().unwrap_or_default();
                let entry = entry(*signature, &sum, moved, failed, open);
                tally.entries.push(CallTotal { part, engine, starts, ..entry });
            }
        }
        for (_, call, engine) in self.unplaced.iter().filter(|(of, ..)| *of == part) {
            let mut sum = NOTHING;
            sum.open(call.duration());
            let entry = entry(call.signature, &sum, Moved::default(), 0, 1);
            tally.entries.push(CallTotal { part, engine: *engine, ..entry });
        }
    }
}

impl Visitor for Counter<'_> {
    #[inline(always)]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        let place = self.place(signature, start);
        self.sums[place as usize].add(duration);
        if self.samples.is_waiting() {
            self.samples.next_call(self.call, signature);
        }
        (self.call, self.place) = (signature, place);
        self.request = None;
        self.last_call = Some(RecordedCall { start, signature });
        let number = self.number(signature);
        if self.takes[number as usize] {
            let request = self.numbers.begin(true);
            self.remember(request, Began { by: place, posted: signature });
        }
        if number == self.last {
            self.undefined(signature);
        }
    }

    fn polls(&mut self, polls: &Polls) {
        let [min, max] = polls.durations.map(u64::from);
        let before = std::mem::replace(&mut self.call, polls.signature as u32);
        if self.samples.is_waiting() {
            self.samples.next_call(before, self.call);
        }
        self.place = self.place(self.call, polls.start);
        self.request = None;
        self.sums[self.place as usize].merge(&CallSum { count: polls.count, total: polls.total, min, max });
        self.last_call = Some(RecordedCall { start: polls.start, signature: self.call });
    }

    fn open(&mut self, call: &OpenCall) {
        let place = self.place(call.number, call.start);
        if self.samples.is_waiting() {
            self.samples.next_call(self.call, call.number);
        }
        (self.call, self.place) = (call.number, place);
        self.request = None;
        self.is_unplaced = self.number(call.number) == self.last;
        if self.is_unplaced {
            self.unplaced.push((self.cursor.part, *call, Entries::default()));
            return;
        }
        self.sums[place as usize].open(call.duration());
        *self.open.entry(place).or_default() += 1;
    }

    fn torn(&mut self, request: Option<u64>) {
        self.numbers.torn(request);
        // Signature 0 has no calls.
        (self.call, self.place) = (0, self.base);
        self.request = Some(Began { by: self.base, posted: 0 });
    }

    fn productive(&mut self, run: &EntryRun) {
        self.last_productive = Some(run.start);
    }

    fn outside(&mut self, run: &EntryRun) {
        self.last_outside = Some(run.start);
    }

    fn teams(&mut self, teams: &Teams) {
        self.last_teams = Some(teams.start);
    }

    fn engine(&mut self, during: Entries) {
        self.told += during;
        if self.is_unplaced {
            if let Some((.., engine)) = self.unplaced.last_mut() {
                *engine += during;
            }
            return;
        }
        self.engine.resize(self.sums.len(), Entries::default());
        self.engine[self.place as usize] += during;
    }

    fn arrived(&mut self, arrived: Arrived) {
        if arrived.fate == Fate::Cancelled {
            self.cancelled.push(self.completed);
        }
        let of_call = Began { by: self.place, posted: self.call };
        let began = self.request.take().unwrap_or(of_call);
        let posted = self.posted[self.number(began.posted) as usize];
        // A probe posts nothing; another call receives the message it found.
        if posted != 0 && posted != UNKNOWN_BYTES && arrived.bytes != UNKNOWN_BYTES {
            self.moved.entry(began.by).or_default().received.grow((arrived.bytes as i64).saturating_sub(posted as i64));
        }
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        match self.numbers.own(kind, count, age) {
            RequestChange::Started { created, first } => {
                for (created, number) in created.numbers().zip(first..) {
                    self.start_request(created, number);
                }
            }
            RequestChange::Completed(run) => {
                self.completed = run.last();
                self.request = self.began(self.completed.1, self.numbers.next());
            }
            RequestChange::Freed(_) | RequestChange::Ready(_) => {}
        }
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        // The other thread's signature is not known here; number 0 has no calls.
        let unknown = Began { by: 0, posted: 0 };
        match self.numbers.foreign(kind, count, thread, number) {
            RequestChange::Started { created, first } => {
                for (_, number) in created.numbers().zip(first..) {
                    self.remember(number, unknown);
                }
            }
            RequestChange::Completed(run) | RequestChange::Freed(run) | RequestChange::Ready(run) => {
                self.completed = run.last();
                self.request = Some(unknown);
            }
        }
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        *self.failed.entry(self.place).or_default() += 1;
    }

    fn sample(&mut self, at: u64, sample: Sample) {
        if self.cursor.is_elsewhere(at) {
            self.turn(at);
        }
        self.samples.sample(sample, self.cursor.part != LEFT_OUT);
    }

    fn sampled(&mut self, periods: u64) {
        if self.cursor.part != LEFT_OUT {
            self.samples.inside(self.call, periods);
        }
    }

    fn unsampled(&mut self, periods: Unsampled) {
        if self.cursor.part != LEFT_OUT {
            self.samples.unsampled(periods);
        }
    }
}

fn entry(signature: Signature, sum: &CallSum, moved: Moved, failed: u64, open: u64) -> CallTotal {
    // Calls that failed moved nothing, and calls that have not returned may not have.
    let times = sum.count.saturating_sub(failed).saturating_sub(open);
    let (sent, received) = signature.moves();
    let posted = (sent.saturating_mul(times), received.saturating_mul(times));
    let creates = signature.flags & CREATES != 0;
    CallTotal {
        part: 0,
        signature,
        count: sum.count,
        open,
        total: sum.total,
        min: sum.min,
        max: sum.max,
        failed,
        // A persistent request moves its bytes when it is started.
        sent: if creates { 0 } else { posted.0.saturating_add_signed(moved.sent) },
        received: if creates { 0 } else { posted.1.saturating_add_signed(moved.received) },
        prepared: if creates { posted } else { (0, 0) },
        starts: 0,
        engine: Entries::default(),
    }
}
