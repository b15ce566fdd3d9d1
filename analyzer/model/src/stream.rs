//! A thread's calls one after another, on the run's time line, with what each of them started and completed.
//!
//! In: the pages of a thread. Out: [`TimedCall`]s in the order they ended, a bounded number at a time; last the one that has not
//! ended, for who asks. Calls inside other calls are left out.

use std::ops::Range;

use traces::progress::Polls;
use traces::read::{OpenCall, RecordedCall, ThreadPages, ThreadWalk, Visitor};
use traces::record::{Arrived, LEFT, RecordKind};

use super::Rank;
use super::roles::{Role, Roles};
use super::selection::{ALL, Cursor, LEFT_OUT};
use super::timeline::ClockLine;

/// A call that ended. Times in nanoseconds on the run's time line.
#[derive(Clone, Debug)]
pub struct TimedCall {
    /// When it began.
    pub start: i64,
    /// When it ended; of one that has not returned, until when it is known to have lasted.
    pub end: i64,
    /// Time inside MPI: less than that between the two where several calls are told in one.
    pub inside: i64,
    /// Between this call and the thread's next one.
    pub behind: i64,
    /// How many calls it is: more than one where they asked in vain.
    pub count: u64,
    /// What it is, to be asked for by [`Stream::role`].
    role: u32,
    /// The number of the request it began or created.
    pub request: u64,
    /// It returned an error, or never.
    pub failed: bool,
    /// An exception or longjmp left it.
    pub left: bool,
    /// It has not returned.
    pub open: bool,
    /// It asked and got no.
    pub in_vain: bool,
    details: Range<u32>,
}

/// What a call did with requests, and what it got.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// So many requests are complete, from this one on. The thread that began them is told where it is another one.
    Completed(Option<u32>, u64, u32),
    /// So many persistent requests were started, each under the next number from one on. The first is told by the number it was
    /// created under, as in [`Detail::Completed`].
    Started(Option<u32>, u64, u64, u32),
    /// So many requests were given up.
    Freed(Option<u32>, u64, u32),
    /// Parts of so many partitioned sends were given out, from this one on.
    Ready(Option<u32>, u64, u32),
    /// What the request completed last got, or the call itself.
    Arrived(Arrived),
}

impl Detail {
    /// What it says of a message that came.
    pub fn arrived(&self) -> Option<Arrived> {
        if let Detail::Arrived(arrived) = self { Some(*arrived) } else { None }
    }
}

/// Records that are read at a time.
const STEP: usize = 1024;

/// See the module.
pub struct Stream<'a> {
    /// The thread's number.
    pub thread: u32,
    walk: ThreadWalk<'a>,
    is_over: bool,
    reader: StreamReader<'a>,
    next: usize,
}

impl<'a> Stream<'a> {
    /// From the first call of a rank's thread on, those that have a record.
    pub fn new(thread: &ThreadPages<'a>, rank: &'a Rank, line: &'a ClockLine, roles: Roles<'a>) -> Stream<'a> {
        Stream::of(ThreadWalk::of_records(thread), thread, rank, line, roles)
    }

    /// The same, and behind them those that asked in vain and the one that has not returned.
    pub fn whole(thread: &ThreadPages<'a>, rank: &'a Rank, line: &'a ClockLine, roles: Roles<'a>) -> Stream<'a> {
        Stream::of(ThreadWalk::new(thread), thread, rank, line, roles)
    }

    fn of(
        walk: ThreadWalk<'a>,
        thread: &ThreadPages<'a>,
        rank: &'a Rank,
        line: &'a ClockLine,
        mut roles: Roles<'a>,
    ) -> Stream<'a> {
        let stretches = rank.stretches(thread.number);
        let mut known = roles.thread(thread);
        let left_out = known.len();
        if *stretches != *ALL {
            known.extend_from_within(..);
            known[left_out..].iter_mut().for_each(|role| role.place = role.place.left_out());
        }
        let reader = StreamReader {
            line,
            cursor: Cursor::new(stretches),
            left_out,
            known,
            roles,
            started: 0,
            current: None,
            last: None,
            last_end: 0,
            until: None,
            calls: Vec::new(),
            details: Vec::new(),
        };
        let mut stream = Stream { thread: thread.number, walk, is_over: false, reader, next: 0 };
        stream.fill();
        stream
    }

    /// The next call, if there is one.
    pub fn peek(&self) -> Option<&TimedCall> {
        self.reader.calls.get(self.next)
    }

    /// Goes on to the next call.
    pub fn advance(&mut self) {
        self.next += 1;
        if self.next == self.reader.calls.len() {
            self.fill();
        }
    }

    /// What belongs to a call that [`peek`](Self::peek) gave.
    pub fn details(&self, call: &TimedCall) -> &[Detail] {
        &self.reader.details[call.details.start as usize..call.details.end as usize]
    }

    /// What a call is that [`peek`](Self::peek) gave.
    #[inline]
    pub fn role(&self, call: &TimedCall) -> &Role {
        &self.reader.known[call.role as usize]
    }

    /// The number of a call's signature.
    #[inline]
    pub fn signature(&self, call: &TimedCall) -> usize {
        let number = call.role as usize;
        if number < self.reader.left_out { number } else { number - self.reader.left_out }
    }

    /// The last call that was read, which may not count.
    pub fn last(&self) -> Option<RecordedCall> {
        self.reader.last
    }

    /// When that ended, ticks.
    pub fn last_end(&self) -> u64 {
        self.reader.last_end
    }

    /// Whom the thread's rank calls by a number in an object.
    pub fn roles(&self) -> &Roles<'a> {
        &self.reader.roles
    }

    fn fill(&mut self) {
        self.reader.calls.clear();
        self.next = 0;
        // Details of the call that is still being read stay.
        let before = self.reader.current.as_ref().map_or(self.reader.details.len(), |call| call.details.start as usize);
        self.reader.details.drain(..before);
        if let Some(call) = &mut self.reader.current {
            call.details = 0..call.details.len() as u32;
        }
        while self.reader.calls.is_empty() && !self.is_over {
            // What was damaged was said when the calls were added up.
            self.is_over = !self.walk.step(&mut self.reader, STEP).unwrap_or(true);
            if self.is_over {
                self.reader.close();
            }
        }
    }
}

struct StreamReader<'a> {
    line: &'a ClockLine,
    cursor: Cursor<'a>,
    /// By signature number; behind them the same for calls that are left out, where there are any.
    known: Vec<Role>,
    left_out: usize,
    roles: Roles<'a>,
    started: u64,
    last: Option<RecordedCall>,
    last_end: u64,
    /// The call that what follows belongs to.
    current: Option<TimedCall>,
    /// When the last call ended.
    until: Option<i64>,
    calls: Vec<TimedCall>,
    details: Vec<Detail>,
}

impl StreamReader<'_> {
    #[inline]
    fn close(&mut self) {
        if let Some(call) = self.current.take() {
            self.calls.push(call);
        }
    }

    #[inline]
    fn begin(&mut self, signature: u32, start: u64, end: u64, inside: u64, count: u64) {
        self.close();
        (self.last, self.last_end) = (Some(RecordedCall { start, signature }), end);
        let left_out = self.cursor.part_at(start) == LEFT_OUT;
        if signature as usize >= self.left_out {
            return;
        }
        let number = if left_out { signature + self.left_out as u32 } else { signature };
        let Some(role) = self.known.get(number as usize) else { return };
        let request = self.started;
        self.started += u64::from(role.takes);
        if role.nested {
            return;
        }
        let (start, end) = (self.line.nanoseconds_at(start), self.line.nanoseconds_at(end));
        self.reach(start);
        self.until = Some(end);
        let at = self.details.len() as u32;
        let inside = if inside == u64::MAX { end - start } else { self.line.duration(inside) };
        self.current = Some(TimedCall {
            start,
            end,
            inside,
            behind: 0,
            count,
            role: number,
            request,
            failed: false,
            left: false,
            open: false,
            in_vain: false,
            details: at..at,
        });
    }

    /// A call begins: says so of the last one.
    #[inline]
    fn reach(&mut self, start: i64) {
        if let Some(end) = self.until
            && let Some(last) = self.calls.last_mut()
        {
            last.behind = (start - end).max(0);
        }
    }

    #[inline]
    fn detail(&mut self, detail: Detail) {
        if let Some(call) = &mut self.current {
            self.details.push(detail);
            call.details.end += 1;
        }
    }
}

impl Visitor for StreamReader<'_> {
    #[inline]
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.begin(signature, start, start.wrapping_add(duration), u64::MAX, 1);
    }

    fn open(&mut self, call: &OpenCall) {
        self.call(call.number, call.start, call.duration());
        if let Some(call) = &mut self.current {
            call.open = true;
        }
    }

    fn torn(&mut self, request: Option<u64>) {
        self.close();
        self.started = request.unwrap_or(self.started);
    }

    fn polls(&mut self, polls: &Polls) {
        self.begin(polls.signature as u32, polls.start, polls.end, polls.total, polls.count);
        if let Some(call) = &mut self.current {
            call.in_vain = true;
        }
    }

    fn arrived(&mut self, arrived: Arrived) {
        self.detail(Detail::Arrived(arrived));
    }

    #[inline]
    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        let first = self.started.saturating_sub(age);
        match kind {
            RecordKind::Started => {
                self.detail(Detail::Started(None, first, self.started, count));
                self.started += u64::from(count);
            }
            RecordKind::Completed => self.detail(Detail::Completed(None, first, count)),
            RecordKind::Ready => self.detail(Detail::Ready(None, first, count)),
            _ => self.detail(Detail::Freed(None, first, count)),
        }
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        match kind {
            RecordKind::Started => {
                self.detail(Detail::Started(Some(thread), number, self.started, count));
                self.started += u64::from(count);
            }
            RecordKind::Completed => self.detail(Detail::Completed(Some(thread), number, count)),
            RecordKind::Ready => self.detail(Detail::Ready(Some(thread), number, count)),
            _ => self.detail(Detail::Freed(Some(thread), number, count)),
        }
    }

    fn failed(&mut self, class: u16, _code: i32) {
        if let Some(call) = &mut self.current {
            call.failed = true;
            call.left = class == LEFT;
        }
    }
}
