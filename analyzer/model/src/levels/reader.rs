//! Reads a thread's calls from its pages, with the activity of the progress engine, a bounded number at a time.

use traces::progress::{Entries, EntryRun};
use traces::read::ThreadPages;
use traces::signature::Signature;

use crate::Rank;
use crate::selection::{Cursor, LEFT_OUT};
use crate::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};

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
    /// Function, call site and arguments.
    pub signature: &'a Signature,
    /// The call returned an error.
    pub failed: bool,
    /// The call has not returned.
    pub open: bool,
    /// Entries into the engine during the call.
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
        let open = self.thread.tail.calls.iter().find(|open| open.start == call.start && open.number == call.signature);
        self.thread.signature_of(open?)
    }
}
