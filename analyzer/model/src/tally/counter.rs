//! Counts a thread's records as they are read.

use std::collections::{BTreeMap, HashMap};

use traces::error::Damage;
use traces::progress::{Entries, EntryRun, Polls};
use traces::read::{OpenCall, RecordedCall, ThreadPages, Visitor};
use traces::record::{Arrived, Fate, RecordKind};
use traces::signature::{CREATES, STARTS, Signature, UNKNOWN_BYTES};

use super::{CallTotal, Tally};
use crate::request_numbers::{RequestChange, RequestId, RequestNumbers};
use crate::selection::{Cursor, LEFT_OUT, Part};
use crate::sums::Grow;

/// What is added for every call: two cache lines hold three of these.
#[derive(Clone, Copy)]
struct CallSum {
    count: u64,
    total: u64,
    min: u64,
    max: u64,
}

const NOTHING: CallSum = CallSum { count: 0, total: 0, min: u64::MAX, max: 0 };

impl CallSum {
    #[inline(always)]
    fn add(&mut self, duration: u64) {
        self.count.grow(1);
        self.total.grow(duration);
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
    }

    /// A call that has not returned: how short it will be nobody knows.
    fn open(&mut self, duration: u64) {
        self.count.grow(1);
        self.total.grow(duration);
        self.max = self.max.max(duration);
        if self.count == 1 {
            self.min = duration;
        }
    }

    fn merge(&mut self, other: &CallSum) {
        self.count.grow(other.count);
        self.total.grow(other.total);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

#[derive(Clone, Copy, Default)]
struct Moved {
    sent: i64,
    received: i64,
}

/// How many requests back a completion is still attributed to the call that began it.
const REMEMBERED: usize = 1 << 20;

/// What began a request. Of a persistent one that was started, the call that started it, and the one that created it.
#[derive(Clone, Copy)]
struct Began {
    /// A place among the sums.
    by: u32,
    /// A signature.
    posted: u32,
}

/// What is known after the records read so far.
pub struct Counter<'a> {
    /// What calls count as.
    cursor: Cursor<'a>,
    /// Where the sums of each part begin.
    parts: BTreeMap<Part, u32>,
    /// Where those begin that calls count in now.
    base: u32,
    /// The last signature's number, and two more: no call has this one, unless the file is damaged.
    last: u32,
    /// Calls of numbers that the file does not define, by number.
    undefined: BTreeMap<u32, u64>,
    /// By signature, of one part behind another.
    sums: Vec<CallSum>,
    /// Whether a call of this number takes a request number.
    takes: Vec<bool>,
    /// What began each of the last requests, at its number modulo the length.
    began: Vec<Began>,
    /// The numbers of the thread's requests.
    pub numbers: RequestNumbers,
    /// Signature of the call that what follows belongs to.
    call: u32,
    /// Its place among the sums.
    place: u32,
    /// The request that what follows belongs to.
    request: Option<Began>,
    /// The same by thread and number.
    completed: RequestId,
    /// Requests that were cancelled.
    pub cancelled: Vec<RequestId>,
    posted: Vec<u64>,
    /// What a start of persistent requests that a call of this number created moves.
    starts: Vec<(u64, u64)>,
    /// How often that happened, by place.
    started_of: HashMap<u32, u64>,
    /// Bytes that requests moved which the call only started, or that came in another number than posted. By place.
    moved: HashMap<u32, Moved>,
    failed: HashMap<u32, u64>,
    /// What the engine did, by place; empty where it was not listened to.
    engine: Vec<Entries>,
    /// Calls that have not returned, by place.
    open: HashMap<u32, u64>,
    /// The same of signatures that no record can have: what they count as, and what the engine did.
    unplaced: Vec<(Part, OpenCall, Entries)>,
    /// The call that what follows belongs to is one of these.
    is_unplaced: bool,
    /// The last call that has returned.
    pub last_call: Option<RecordedCall>,
    /// When the last productive entry into the engine began.
    pub last_productive: Option<u64>,
    /// When the last entries outside MPI calls began.
    pub last_outside: Option<u64>,
    /// All entries inside MPI calls that records told of.
    pub told: Entries,
}

impl<'a> Counter<'a> {
    /// Nothing read yet.
    pub fn new(thread: &ThreadPages<'_>, stretches: &'a [(u64, Part)]) -> Counter<'a> {
        let signatures = &thread.signatures;
        let takes = signatures.by_number(false, |signature, _| signature.flags & (STARTS | CREATES) != 0);
        let posted = signatures.by_number(0, |signature, _| signature.received);
        let starts = signatures.by_number((0, 0), |signature, _| signature.moves());
        let last = takes.len() as u32 - 1;
        let cursor = Cursor::new(stretches);
        Counter {
            parts: BTreeMap::from([(cursor.part, 0)]),
            cursor,
            base: 0,
            last,
            undefined: BTreeMap::new(),
            sums: vec![NOTHING; last as usize + 1],
            takes,
            began: Vec::new(),
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
            told: Entries::default(),
        }
    }

    /// Calls of this tick count as something else than those before.
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

    /// The place among the sums of a call of this signature that began at a tick.
    #[inline(always)]
    fn place(&mut self, signature: u32, start: u64) -> u32 {
        if self.cursor.is_elsewhere(start) {
            self.turn(start);
        }
        self.base + self.number(signature)
    }

    /// A call's number, or the last one.
    #[inline(always)]
    fn number(&self, signature: u32) -> u32 {
        signature.min(self.last)
    }

    /// A call has a number that no signature has.
    #[cold]
    fn undefined(&mut self, number: u32) {
        *self.undefined.entry(number).or_default() += 1;
    }

    /// A request of this number has begun.
    fn remember(&mut self, number: u64, began: Began) {
        if self.began.len() < REMEMBERED {
            self.began.push(began);
        } else {
            self.began[number as usize % REMEMBERED] = began;
        }
    }

    /// A persistent request was started by this call as a new one of this number: now its bytes move.
    fn start_request(&mut self, created: u64, number: u64) {
        let created = self.began(created, number).map_or(0, |began| began.posted);
        let (sent, received) = self.starts[self.number(created) as usize];
        *self.started_of.entry(self.base + self.number(created)).or_default() += 1;
        let moved = self.moved.entry(self.place).or_default();
        moved.sent.grow(sent as i64);
        moved.received.grow(received as i64);
        self.remember(number, Began { by: self.place, posted: created });
    }

    /// What began the request of a number, if that is remembered. `next` is the number that is remembered next.
    fn began(&self, number: u64, next: u64) -> Option<Began> {
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

    /// Adds up what was counted.
    pub fn entries(mut self, thread: &ThreadPages<'_>, tally: &mut Tally) {
        let parts = std::mem::take(&mut self.parts);
        if let Some(base) = parts.get(&LEFT_OUT).map(|base| *base as usize) {
            let placed = self.engine.iter().skip(base).take(self.last as usize + 1).copied();
            let unplaced = self.unplaced.iter().filter(|(part, ..)| *part == LEFT_OUT).map(|(.., engine)| *engine);
            placed.chain(unplaced).for_each(|engine| tally.left_out += engine);
        }
        for (part, base) in parts.into_iter().filter(|(part, _)| *part != LEFT_OUT) {
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
                // The calls whose request was complete at once come under the number before.
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
            // Persistent requests may be started elsewhere than where they were created.
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
        self.call = polls.signature as u32;
        self.place = self.place(self.call, polls.start);
        self.request = None;
        self.sums[self.place as usize].merge(&CallSum { count: polls.count, total: polls.total, min, max });
        self.last_call = Some(RecordedCall { start: polls.start, signature: self.call });
    }

    fn open(&mut self, call: &OpenCall) {
        let place = self.place(call.number, call.start);
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
        // Number 0 has no calls.
        (self.call, self.place) = (0, self.base);
        self.request = Some(Began { by: self.base, posted: 0 });
    }

    fn productive(&mut self, run: &EntryRun) {
        self.last_productive = Some(run.start);
    }

    fn outside(&mut self, run: &EntryRun) {
        self.last_outside = Some(run.start);
    }

    fn engine(&mut self, during: Entries) {
        self.told += during;
        if self.is_unplaced {
            if let Some((.., engine)) = self.unplaced.last_mut() {
                *engine += during;
            }
            return;
        }
        if self.engine.len() < self.sums.len() {
            self.engine.resize(self.sums.len(), Entries::default());
        }
        self.engine[self.place as usize] += during;
    }

    fn arrived(&mut self, arrived: Arrived) {
        if arrived.fate == Fate::Cancelled {
            self.cancelled.push(self.completed);
        }
        let of_call = Began { by: self.place, posted: self.call };
        let began = self.request.take().unwrap_or(of_call);
        let posted = self.posted[self.number(began.posted) as usize];
        // A probe posts nothing; what it found is received by another call.
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
        // Which signature of the other thread began them is not known here; number 0 has no calls.
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
}

fn entry(signature: Signature, sum: &CallSum, moved: Moved, failed: u64, open: u64) -> CallTotal {
    // What MPI refused did not move, and what has not returned may not have.
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
        // What a persistent request moves, it moves when it is started.
        sent: if creates { 0 } else { posted.0.saturating_add_signed(moved.sent) },
        received: if creates { 0 } else { posted.1.saturating_add_signed(moved.received) },
        prepared: if creates { posted } else { (0, 0) },
        starts: 0,
        engine: Entries::default(),
    }
}
