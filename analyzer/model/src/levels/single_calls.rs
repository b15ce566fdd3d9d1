//! Reads a rank's single calls on the run's common clock, in the order they began.

use traces::progress::{Entries, EntryRun};
use traces::read::{Contents, ThreadPages};
use traces::signature::Signature;

use crate::Rank;
use crate::common_clock::ClockLine;
use crate::selection::{Cursor, LEFT_OUT};
use crate::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};

/// Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCall<'a> {
    /// The thread, by place among the rank's.
    pub thread: usize,
    pub start: i64,
    /// End; for a call that has not returned, the time until which it lasted for certain.
    pub end: i64,
    /// Time inside MPI: less than `end - start` for a run of tests.
    pub inside: i64,
    /// Number of calls it stands for: 1, except for a run of tests.
    pub count: u64,
    pub signature: &'a Signature,
    pub failed: bool,
    pub open: bool,
    /// Entries into the engine during the call, and how many of them made progress.
    pub engine: (u64, u64),
    /// Source and bytes of its last message.
    pub arrived: Option<(i32, u64)>,
}

/// A rank's calls, read on demand.
pub struct RankCalls<'a> {
    line: &'a ClockLine,
    threads: Vec<SingleCalls<'a>>,
    /// Begin, end and number of productive engine entries that were read and not returned yet.
    marks: Vec<(i64, i64, u64)>,
}

impl<'a> RankCalls<'a> {
    pub fn new(rank: &'a Rank, contents: &'a Contents<'a>, line: &'a ClockLine) -> RankCalls<'a> {
        let calls = |thread| SingleCalls::new(thread, rank, Extras::PRODUCTIVE);
        let threads = contents.threads.iter().map(calls).collect();
        RankCalls { line, threads, marks: Vec::new() }
    }

    /// Calls not returned yet that begin before `to`, and the productive engine entries among them.
    pub fn until(&mut self, to: i64) -> (Vec<PlacedCall<'a>>, Vec<(i64, i64, u64)>) {
        let mut calls = Vec::new();
        for (at, thread) in self.threads.iter_mut().enumerate() {
            while let Some(call) = thread.peek() {
                let start = self.line.nanoseconds_at(call.start);
                if start >= to {
                    break;
                }
                let end = self.line.nanoseconds_at(call.end).max(start);
                let spread = call.inside != call.end.wrapping_sub(call.start);
                let inside = if spread { self.line.duration(call.inside).min(end - start) } else { end - start };
                calls.push(PlacedCall {
                    thread: at,
                    start,
                    end,
                    inside,
                    count: call.count,
                    signature: call.signature,
                    failed: call.failed,
                    open: call.open,
                    engine: (call.engine.entries, call.engine.productive),
                    arrived: call.arrived,
                });
                thread.advance();
            }
            let place = |run: EntryRun| {
                let (start, end) = (self.line.nanoseconds_at(run.start), self.line.nanoseconds_at(run.end));
                (start, end.max(start), run.count)
            };
            self.marks.extend(thread.take_productive().map(place));
        }
        if !calls.is_sorted_by_key(|call| call.start) {
            calls.sort_by_key(|call| call.start);
        }
        self.marks.sort_unstable();
        let later = self.marks.split_off(self.marks.partition_point(|mark| mark.0 < to));
        (calls, std::mem::replace(&mut self.marks, later))
    }
}

/// A call, or a run of tests without success. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct SingleCall<'a> {
    pub start: u64,
    /// End; for a call that has not returned, the time until which it lasted for certain.
    pub end: u64,
    /// Time inside MPI: less than `end - start` for a run of tests.
    pub inside: u64,
    /// Number of calls it stands for: 1, except for a run of tests.
    pub count: u64,
    pub signature: &'a Signature,
    pub failed: bool,
    pub open: bool,
    pub engine: Entries,
    /// Source and bytes of its last message.
    pub arrived: Option<(i32, u64)>,
}

/// A thread's selected calls, without those inside other calls.
pub struct SingleCalls<'a> {
    thread: &'a ThreadPages<'a>,
    calls: ThreadCalls<'a>,
    cursor: Cursor<'a>,
    current: Option<SingleCall<'a>>,
}

impl<'a> SingleCalls<'a> {
    /// Starts at the thread's first call.
    pub fn new(thread: &'a ThreadPages<'a>, rank: &'a Rank, extras: Extras) -> SingleCalls<'a> {
        let calls = ThreadCalls::whole(thread, extras);
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut calls = SingleCalls { thread, calls, cursor, current: None };
        calls.read();
        calls
    }

    pub fn peek(&self) -> Option<&SingleCall<'a>> {
        self.current.as_ref()
    }

    pub fn advance(&mut self) {
        self.calls.advance();
        self.read();
    }

    /// Productive engine entries read since the last call of this function. Only with [`Extras::PRODUCTIVE`].
    pub fn take_productive(&mut self) -> std::vec::Drain<'_, EntryRun> {
        self.calls.take_productive()
    }

    /// Finds the next selected call.
    fn read(&mut self) {
        self.current = None;
        while let Some(call) = self.calls.peek() {
            if let Some(signature) = self.signature(call)
                && self.cursor.part_at(call.start) != LEFT_OUT
            {
                let arrived = self.calls.details(call).iter().rev().find_map(Detail::arrived);
                self.current = Some(SingleCall {
                    start: call.start,
                    end: call.end,
                    inside: call.inside,
                    count: call.count,
                    signature,
                    failed: call.failed,
                    open: call.open,
                    engine: call.engine,
                    arrived: arrived.map(|arrived| (arrived.source, arrived.bytes)),
                });
                return;
            }
            self.calls.advance();
        }
    }

    fn signature(&self, call: &ThreadCall) -> Option<&'a Signature> {
        if !call.open {
            return self.thread.signatures.get(call.signature).map(|(signature, _)| signature);
        }
        // A signature that was never recorded has no number.
        let mut open = self.thread.tail.calls.iter();
        let open = open.find(|open| open.start == call.start && open.number == call.signature);
        open.map(|open| &open.signature)
    }
}
