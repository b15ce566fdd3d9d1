//! A thread's calls as they stand in its pages, with what the progress engine did, a bounded number at a time.

use traces::progress::{Entries, EntryRun};
use traces::read::ThreadPages;
use traces::signature::Signature;

use crate::Rank;
use crate::selection::{Cursor, LEFT_OUT};
use crate::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};

/// A call, or a run of tests that all found nothing. Times in ticks.
#[derive(Clone, Copy, Debug)]
pub struct SingleCall<'a> {
    /// When it began.
    pub start: u64,
    /// When it ended; of one that has not returned, until when it is known to have lasted.
    pub end: u64,
    /// Inside MPI: less than from start to end for a run of tests.
    pub inside: u64,
    /// How many calls it stands for: 1, except for a run of tests.
    pub count: u64,
    /// Its function, call site and arguments.
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

/// A thread's calls that are asked about. Those inside other calls are left out.
pub struct SingleCalls<'a> {
    thread: &'a ThreadPages<'a>,
    calls: ThreadCalls<'a>,
    cursor: Cursor<'a>,
    current: Option<SingleCall<'a>>,
}

impl<'a> SingleCalls<'a> {
    /// From the first call of a rank's thread on.
    pub fn new(thread: &'a ThreadPages<'a>, rank: &'a Rank, extras: Extras) -> SingleCalls<'a> {
        let calls = ThreadCalls::whole(thread, extras);
        let cursor = Cursor::new(rank.stretches(thread.number));
        let mut calls = SingleCalls { thread, calls, cursor, current: None };
        calls.read();
        calls
    }

    /// The thread's number.
    pub fn number(&self) -> u32 {
        self.thread.number
    }

    /// The next call, if there is one.
    pub fn peek(&self) -> Option<&SingleCall<'a>> {
        self.current.as_ref()
    }

    /// Goes on to the next call.
    pub fn advance(&mut self) {
        self.calls.advance();
        self.read();
    }

    /// When the engine achieved something, as far as that was read, since this was asked last. Only with [`Extras::PRODUCTIVE`].
    pub fn take_productive(&mut self) -> std::vec::Drain<'_, EntryRun> {
        self.calls.take_productive()
    }

    /// Finds the next call that is asked about.
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
        // One that was never recorded has no number.
        let open = self.thread.tail.calls.iter().find(|open| open.start == call.start && open.number == call.signature);
        self.thread.signature_of(open?)
    }
}
