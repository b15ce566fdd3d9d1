//! A rank's single calls on the run's common clock, in the order they began.

use traces::progress::EntryRun;
use traces::read::Contents;
use traces::signature::Signature;

use super::reader::SingleCalls;
use crate::Rank;
use crate::common_clock::ClockLine;
use crate::thread_calls::Extras;

/// A call. Times in nanoseconds on the run's common clock.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCall<'a> {
    /// The thread, by its place among the rank's.
    pub thread: usize,
    /// When it began.
    pub start: i64,
    /// When it ended; of one that has not returned, until when it is known to have lasted.
    pub end: i64,
    /// Inside MPI: less than from start to end for a run of tests.
    pub inside: i64,
    /// How many calls it stands for: 1, except for a run of tests.
    pub count: u64,
    /// Its function, call site and arguments.
    pub signature: &'a Signature,
    /// It returned an error.
    pub failed: bool,
    /// It has not returned.
    pub open: bool,
    /// Entries into the engine meanwhile, and those that achieved something.
    pub engine: (u64, u64),
    /// What it got last: from whom, and how many bytes.
    pub arrived: Option<(i32, u64)>,
}

/// A rank's calls from the first on, read as they are asked for.
pub struct RankCalls<'a> {
    line: &'a ClockLine,
    threads: Vec<SingleCalls<'a>>,
    /// What the engine achieved in calls that were read and not asked for yet.
    marks: Vec<(i64, i64, u64)>,
}

impl<'a> RankCalls<'a> {
    /// Of a rank.
    pub fn new(rank: &'a Rank, contents: &'a Contents<'a>, line: &'a ClockLine) -> RankCalls<'a> {
        let calls = |thread| SingleCalls::new(thread, rank, Extras::PRODUCTIVE);
        let threads = contents.threads.iter().map(calls).collect();
        RankCalls { line, threads, marks: Vec::new() }
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The calls that begin before a time and were not asked for yet; and when the engine achieved how much.
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
