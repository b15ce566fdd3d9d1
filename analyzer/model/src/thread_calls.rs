//! Reads a thread's calls as recorded, each with its changes to requests and its messages.
//!
//! In: the pages of a thread. Out: [`ThreadCall`]s in the order they ended, a bounded number at a time; the call that has not
//! returned comes last, unless only records are asked for. Calls inside other calls are left out, but their requests are
//! numbered, too.

use std::ops::Range;

use bitflags::bitflags;
use traces::progress::{Entries, EntryRun, Polls};
use traces::read::{OpenCall, RecordedCall, ThreadPages, ThreadWalk, Visitor};
use traces::record::{Arrived, Content, LEFT, RecordKind};
use traces::signature::{CREATES, NESTED, STARTS};

use super::request_numbers::{RequestChange, RequestId, RequestNumbers};

/// A call, or a run of tests without success. Times in ticks.
#[derive(Clone, Debug)]
pub struct ThreadCall {
    /// Number of its signature, which the file may not define.
    pub signature: u32,
    pub start: u64,
    /// End; for a call that has not returned, the time until which it lasted for certain.
    pub end: u64,
    /// Time inside MPI: less than `end - start` for a run of tests.
    pub inside: u64,
    /// Number of calls it stands for: 1, except for a run of tests.
    pub count: u64,
    /// Number of the request that it began or created, if its signature takes one.
    pub request: u64,
    /// Entries into the progress engine during the call.
    pub engine: Entries,
    /// It returned an error, or never returned.
    pub failed: bool,
    /// An exception or longjmp left it.
    pub left: bool,
    /// It has not returned.
    pub open: bool,
    pub in_vain: bool,
    details: Range<u32>,
}

impl ThreadCall {
    /// True of polls that found nothing, if the rank was longer between them than in them: it did not wait.
    pub fn polls_now_and_then(&self) -> bool {
        self.in_vain && 2 * self.inside < self.end - self.start
    }
}

/// A record about the call before it.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// The call changed the state of requests.
    Requests(RequestChange),
    /// Status of the request completed last, or of the call itself.
    Arrived(Arrived),
    /// Contents of the request started or completed last, or of the call itself. Only with [`Extras::CONTENTS`].
    Content(Content),
    /// At this tick, after the call, MPI reported the thread's request of this number complete. Only with
    /// [`Extras::FOUND_COMPLETE`].
    FoundComplete(u64, u64),
}

bitflags! {
    /// Records to read besides calls, requests and messages.
    #[derive(Clone, Copy)]
    pub struct Extras: u8 {
        const CONTENTS = 1;
        /// Times at which MPI reported requests complete.
        const FOUND_COMPLETE = 1 << 1;
        /// Productive entries into the progress engine.
        const PRODUCTIVE = 1 << 2;
    }
}

impl Detail {
    pub fn arrived(&self) -> Option<Arrived> {
        if let Detail::Arrived(arrived) = self { Some(*arrived) } else { None }
    }
}

/// A change of one request.
#[derive(Clone, Copy, Debug)]
pub enum RequestEvent {
    /// A request is complete, with the status of its message if there is one.
    Completed(RequestId, Option<Arrived>),
    /// The persistent request of this creation was started, as a new request of the calling thread with this number.
    Started(RequestId, u64),
    Freed(RequestId),
    /// Partitions of its partitioned send were marked ready.
    Ready(RequestId),
}

/// The changes of requests that a call made, one by one.
#[inline]
pub fn request_events(details: &[Detail]) -> impl Iterator<Item = RequestEvent> {
    let changes = details.iter().enumerate().filter_map(|(at, detail)| match *detail {
        Detail::Requests(change) => Some((change, details.get(at + 1).and_then(Detail::arrived))),
        Detail::Arrived(_) | Detail::Content(_) | Detail::FoundComplete(..) => None,
    });
    changes.flat_map(|(change, status)| {
        let (requests, first) = match change {
            RequestChange::Started { created, first } => (created, first),
            RequestChange::Completed(run) | RequestChange::Freed(run) | RequestChange::Ready(run) => (run, 0),
        };
        requests.ids().zip(first..).map(move |(id, number)| match change {
            // The status belongs to the last request.
            RequestChange::Completed(run) => RequestEvent::Completed(id, status.filter(|_| id == run.last())),
            RequestChange::Started { .. } => RequestEvent::Started(id, number),
            RequestChange::Freed(_) => RequestEvent::Freed(id),
            RequestChange::Ready(_) => RequestEvent::Ready(id),
        })
    })
}

/// Index of the thread whose next call begins first, by the threads' next begins.
#[inline]
pub fn earliest<T: Ord>(starts: impl Iterator<Item = Option<T>>) -> Option<usize> {
    let next = starts.enumerate().filter_map(|(at, start)| Some((start?, at)));
    next.min().map(|(_, at)| at)
}

/// Records read at a time.
const STEP: usize = 1024;

pub struct ThreadCalls<'a> {
    walk: ThreadWalk<'a>,
    is_over: bool,
    collector: CallCollector,
    next: usize,
}

impl<'a> ThreadCalls<'a> {
    /// Reads all calls of a thread, including those without a record: tests without success, and the call that has not returned.
    pub fn whole(thread: &ThreadPages<'a>, extras: Extras) -> ThreadCalls<'a> {
        ThreadCalls::of(ThreadWalk::new(thread), thread, extras)
    }

    pub fn of_records(thread: &ThreadPages<'a>, extras: Extras) -> ThreadCalls<'a> {
        ThreadCalls::of(ThreadWalk::of_records(thread), thread, extras)
    }

    fn of(walk: ThreadWalk<'a>, thread: &ThreadPages<'a>, extras: Extras) -> ThreadCalls<'a> {
        let shapes = thread.signatures.by_number(CallShape::default(), |signature, _| CallShape {
            takes: signature.flags & (STARTS | CREATES) != 0,
            is_nested: signature.flags & NESTED != 0,
        });
        let collector = CallCollector {
            shapes,
            extras,
            numbers: RequestNumbers::new(thread.number, 0),
            current: None,
            is_listening: false,
            last: None,
            last_end: 0,
            calls: Vec::new(),
            details: Vec::new(),
            productive: Vec::new(),
        };
        let mut calls = ThreadCalls { walk, is_over: false, collector, next: 0 };
        calls.fill();
        calls
    }

    #[inline]
    pub fn peek(&self) -> Option<&ThreadCall> {
        self.collector.calls.get(self.next)
    }

    /// Begin of the call after the next one.
    #[inline]
    pub fn start_behind(&self) -> Option<u64> {
        let behind = self.collector.calls.get(self.next + 1).or(self.collector.current.as_ref());
        behind.map(|call| call.start)
    }

    #[inline]
    pub fn advance(&mut self) {
        self.next += 1;
        if self.next >= self.collector.calls.len() {
            self.fill();
        }
    }

    /// Details of a call returned by [`peek`](Self::peek).
    #[inline]
    pub fn details(&self, call: &ThreadCall) -> &[Detail] {
        self.details_at(&call.details)
    }

    /// Details by the call's range of indices.
    #[inline]
    pub(super) fn details_at(&self, at: &Range<u32>) -> &[Detail] {
        &self.collector.details[at.start as usize..at.end as usize]
    }

    /// The last call read, including calls inside other calls.
    pub fn last(&self) -> Option<RecordedCall> {
        self.collector.last
    }

    /// End of that call, ticks.
    pub fn last_end(&self) -> u64 {
        self.collector.last_end
    }

    /// Productive engine entries read since the last call of this function.
    pub fn take_productive(&mut self) -> std::vec::Drain<'_, EntryRun> {
        self.collector.productive.drain(..)
    }

    fn fill(&mut self) {
        let collector = &mut self.collector;
        collector.calls.clear();
        self.next = 0;
        // Details of a call that is still being read stay.
        let read = collector.current.as_ref().map_or(collector.details.len(), |call| call.details.start as usize);
        collector.details.drain(..read);
        if let Some(call) = &mut collector.current {
            call.details = 0..call.details.len() as u32;
        }
        while collector.calls.is_empty() && !self.is_over {
            // Damage was reported when the calls were counted.
            self.is_over = !self.walk.step(collector, STEP).unwrap_or(true);
            if self.is_over {
                collector.calls.extend(collector.current.take());
            }
        }
    }
}

impl ThreadCall {
    pub(super) fn details_place(&self) -> Range<u32> {
        self.details.clone()
    }
}

#[derive(Clone, Copy, Default)]
struct CallShape {
    takes: bool,
    is_nested: bool,
}

struct CallCollector {
    /// By signature number.
    shapes: Vec<CallShape>,
    extras: Extras,
    numbers: RequestNumbers,
    /// The last call that is not inside another.
    current: Option<ThreadCall>,
    /// The next records belong to `current`.
    is_listening: bool,
    last: Option<RecordedCall>,
    last_end: u64,
    calls: Vec<ThreadCall>,
    details: Vec<Detail>,
    productive: Vec<EntryRun>,
}

impl CallCollector {
    #[inline]
    fn begin(&mut self, signature: u32, (start, end): (u64, u64), inside: u64, count: u64, shape: Option<CallShape>) {
        (self.last, self.last_end) = (Some(RecordedCall { start, signature }), end);
        let Some(shape) = shape else {
            self.is_listening = false;
            return;
        };
        let request = self.numbers.begin(shape.takes);
        self.is_listening = !shape.is_nested;
        if shape.is_nested {
            return;
        }
        if let Some(call) = self.current.take() {
            self.calls.push(call);
        }
        let at = self.details.len() as u32;
        self.current = Some(ThreadCall {
            signature,
            start,
            end,
            inside,
            count,
            request,
            engine: Entries::default(),
            failed: false,
            left: false,
            open: false,
            in_vain: false,
            details: at..at,
        });
    }

    #[inline]
    fn shape(&self, signature: u32) -> Option<CallShape> {
        self.shapes.get(signature as usize).copied()
    }

    /// The call that the next record belongs to.
    #[inline]
    fn listening(&mut self) -> Option<&mut ThreadCall> {
        if self.is_listening { self.current.as_mut() } else { None }
    }

    #[inline]
    fn detail(&mut self, detail: Detail) {
        if let Some(call) = self.listening() {
            call.details.end += 1;
            self.details.push(detail);
        }
    }
}

impl Visitor for CallCollector {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.begin(signature, (start, start.wrapping_add(duration)), duration, 1, self.shape(signature));
    }

    fn open(&mut self, call: &OpenCall) {
        let is_nested = call.signature.flags & NESTED != 0;
        let shape = self.shape(call.number).unwrap_or(CallShape { takes: false, is_nested });
        let end = call.start.wrapping_add(call.duration());
        self.begin(call.number, (call.start, end), call.duration(), 1, Some(shape));
        if let Some(call) = self.listening() {
            call.open = true;
        }
    }

    fn torn(&mut self, next: Option<u64>) {
        self.is_listening = false;
        self.numbers.torn(next);
    }

    fn polls(&mut self, polls: &Polls) {
        let signature = polls.signature as u32;
        self.begin(signature, (polls.start, polls.end), polls.total, polls.count, self.shape(signature));
        if let Some(call) = self.listening() {
            call.in_vain = true;
        }
    }

    #[inline]
    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        let change = self.numbers.own(kind, count, age);
        self.detail(Detail::Requests(change));
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        let change = self.numbers.foreign(kind, count, thread, number);
        self.detail(Detail::Requests(change));
    }

    fn arrived(&mut self, arrived: Arrived) {
        self.detail(Detail::Arrived(arrived));
    }

    fn content(&mut self, content: Content) {
        if self.extras.contains(Extras::CONTENTS) {
            self.detail(Detail::Content(content));
        }
    }

    fn found_complete(&mut self, at: u64, age: u64) {
        // The record may follow a call inside another one.
        if let Some(call) = self.current.as_mut().filter(|_| self.extras.contains(Extras::FOUND_COMPLETE)) {
            call.details.end += 1;
            self.details.push(Detail::FoundComplete(at, self.numbers.of_age(age)));
        }
    }

    fn failed(&mut self, class: u16, _code: i32) {
        if let Some(call) = self.listening() {
            (call.failed, call.left) = (true, class == LEFT);
        }
    }

    #[inline]
    fn engine(&mut self, during: Entries) {
        if let Some(call) = self.listening() {
            call.engine += during;
        }
    }

    #[inline]
    fn productive(&mut self, run: &EntryRun) {
        if self.extras.contains(Extras::PRODUCTIVE) {
            self.productive.push(*run);
        }
    }
}
