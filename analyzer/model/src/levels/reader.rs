//! A thread's calls as they stand in its pages, with what the progress engine did, a bounded number at a time.

use traces::progress::{Entries, EntryRun, Polls};
use traces::read::{OpenCall, ThreadPages, ThreadWalk, Visitor};
use traces::record::Arrived;
use traces::signature::{NESTED, Signature};

use crate::Rank;
use crate::selection::{Cursor, LEFT_OUT};

/// A call, or several that asked in vain. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct SingleCall<'a> {
    /// When it began.
    pub start: u64,
    /// When it ended; of one that has not returned, until when it is known to have lasted.
    pub end: u64,
    /// Inside MPI: less than that between the two where it is several.
    pub inside: u64,
    /// How many it is.
    pub count: u64,
    /// What it is.
    pub signature: &'a Signature,
    /// It returned an error.
    pub failed: bool,
    /// It has not returned.
    pub open: bool,
    /// What the engine did meanwhile.
    pub engine: Entries,
    /// What it got last: from whom, and how many bytes.
    pub arrived: Option<(i32, u64)>,
}

/// Entries into the engine that achieved something, one after another. Ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineMark {
    /// When the first began.
    pub start: u64,
    /// When the last ended.
    pub end: u64,
    /// How many.
    pub count: u64,
}

/// Records that are read at a time.
const STEP: usize = 1024;

/// See the module. Calls inside other calls and those that are not asked about are left out.
pub struct ThreadCalls<'a> {
    walk: ThreadWalk<'a>,
    is_over: bool,
    reader: PageReader<'a>,
    next: usize,
}

struct PageReader<'a> {
    thread: &'a ThreadPages<'a>,
    cursor: Cursor<'a>,
    signatures: Vec<Option<&'a Signature>>,
    current: Option<SingleCall<'a>>,
    calls: Vec<SingleCall<'a>>,
    marks: Vec<EngineMark>,
}

impl<'a> ThreadCalls<'a> {
    /// From the first call of a rank's thread on.
    pub fn new(thread: &'a ThreadPages<'a>, rank: &'a Rank) -> ThreadCalls<'a> {
        let known = |signature: &'a Signature, _| (signature.flags & NESTED == 0).then_some(signature);
        let reader = PageReader {
            thread,
            cursor: Cursor::new(rank.stretches(thread.number)),
            signatures: thread.signatures.by_number(None, known),
            current: None,
            calls: Vec::new(),
            marks: Vec::new(),
        };
        let walk = ThreadWalk::new(thread);
        let mut calls = ThreadCalls { walk, is_over: false, reader, next: 0 };
        calls.fill();
        calls
    }

    /// The thread's number.
    pub fn number(&self) -> u32 {
        self.reader.thread.number
    }

    /// The next call, if there is one.
    pub fn peek(&self) -> Option<&SingleCall<'a>> {
        self.reader.calls.get(self.next)
    }

    /// Goes on to the next call.
    pub fn advance(&mut self) {
        self.next += 1;
        if self.next == self.reader.calls.len() {
            self.fill();
        }
    }

    /// What the engine achieved, as far as that was read, since this was asked last.
    pub fn take_marks(&mut self) -> std::vec::Drain<'_, EngineMark> {
        self.reader.marks.drain(..)
    }

    fn fill(&mut self) {
        self.reader.calls.clear();
        self.next = 0;
        while self.reader.calls.is_empty() && !self.is_over {
            // What is damaged was said when the calls were added up.
            self.is_over = !self.walk.step(&mut self.reader, STEP).unwrap_or(true);
            if self.is_over {
                self.reader.close();
            }
        }
    }
}

fn mark(run: &EntryRun) -> EngineMark {
    EngineMark { start: run.start, end: run.end, count: run.count }
}

impl<'a> PageReader<'a> {
    #[inline]
    fn close(&mut self) {
        self.calls.extend(self.current.take());
    }

    #[inline]
    fn begin(&mut self, start: u64, end: u64, inside: u64, count: u64, signature: Option<&'a Signature>) {
        self.close();
        let Some(signature) = signature else { return };
        if self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        let (failed, open, engine, arrived) = (false, false, Entries::default(), None);
        self.current = Some(SingleCall { start, end, inside, count, signature, failed, open, engine, arrived });
    }

    #[inline]
    fn signature(&self, number: u32) -> Option<&'a Signature> {
        self.signatures.get(number as usize).copied().flatten()
    }
}

impl Visitor for PageReader<'_> {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.begin(start, start.wrapping_add(duration), duration, 1, self.signature(signature));
    }

    fn open(&mut self, call: &OpenCall) {
        let signature = self.thread.signature_of(call).filter(|signature| signature.flags & NESTED == 0);
        self.begin(call.start, call.until, call.duration(), 1, signature);
        if let Some(current) = &mut self.current {
            current.open = true;
        }
    }

    fn torn(&mut self, _request: Option<u64>) {
        self.close();
    }

    fn polls(&mut self, polls: &Polls) {
        self.begin(polls.start, polls.end, polls.total, polls.count, self.signature(polls.signature as u32));
    }

    fn arrived(&mut self, arrived: Arrived) {
        if let Some(call) = &mut self.current {
            call.arrived = Some((arrived.source, arrived.bytes));
        }
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        if let Some(call) = &mut self.current {
            call.failed = true;
        }
    }

    #[inline]
    fn engine(&mut self, during: Entries) {
        if let Some(call) = &mut self.current {
            call.engine += during;
        }
    }

    fn productive(&mut self, run: &EntryRun) {
        self.marks.push(mark(run));
    }
}
