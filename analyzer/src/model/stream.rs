//! A thread's calls one after another, on the run's time line, with what each of them started and completed.
//!
//! In: the pages of a thread. Out: [`TimedCall`]s in the order they ended, a bounded number at a time. Calls inside other calls are
//! left out.

use std::ops::Range;

use traces::progress::Polls;
use traces::read::{RecordedCall, ThreadPages, Visitor, Walk};
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
    /// When it ended.
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
    /// It never returned.
    pub left: bool,
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
    pages: std::vec::IntoIter<Walk<'a>>,
    walk: Option<Walk<'a>>,
    reader: StreamReader<'a>,
    next: usize,
}

impl<'a> Stream<'a> {
    /// From the first call of a rank's thread on.
    pub fn new(thread: &ThreadPages<'a>, rank: &'a Rank, line: &'a ClockLine, mut roles: Roles<'a>) -> Stream<'a> {
        let stretches = rank.stretches(thread.number);
        let mut known = roles.thread(thread);
        let left_out = known.len();
        if *stretches != *ALL {
            known.extend_from_within(..);
            known[left_out..].iter_mut().for_each(|role| role.place = role.place.left_out());
        }
        let pages: Vec<Walk<'a>> = thread.pages.iter().map(Walk::new).collect();
        let reader = StreamReader {
            line,
            cursor: Cursor::new(stretches),
            left_out,
            known,
            roles,
            started: 0,
            last: None,
            open: None,
            until: None,
            calls: Vec::new(),
            details: Vec::new(),
        };
        let mut stream = Stream { thread: thread.number, pages: pages.into_iter(), walk: None, reader, next: 0 };
        stream.walk = stream.pages.next();
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

    /// Whom the thread's rank calls by a number in an object.
    pub fn roles(&self) -> &Roles<'a> {
        &self.reader.roles
    }

    fn fill(&mut self) {
        self.reader.calls.clear();
        self.next = 0;
        // Details of the call that is still open stay.
        let open = self.reader.open.as_ref().map_or(self.reader.details.len(), |call| call.details.start as usize);
        self.reader.details.drain(..open);
        if let Some(call) = &mut self.reader.open {
            call.details = 0..call.details.len() as u32;
        }
        while self.reader.calls.is_empty() {
            let Some(walk) = &mut self.walk else {
                // What was damaged was said when the calls were added up.
                self.reader.close();
                return;
            };
            if !walk.step(&mut self.reader, STEP).unwrap_or(false) {
                self.walk = self.pages.next();
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
    /// The call that what follows belongs to.
    open: Option<TimedCall>,
    /// When the last call ended.
    until: Option<i64>,
    calls: Vec<TimedCall>,
    details: Vec<Detail>,
}

impl StreamReader<'_> {
    #[inline]
    fn close(&mut self) {
        if let Some(call) = self.open.take() {
            self.calls.push(call);
        }
    }

    #[inline]
    fn begin(&mut self, signature: u32, start: u64, end: u64, inside: u64, count: u64) {
        self.close();
        self.last = Some(RecordedCall { start, signature });
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
        let (failed, left, details) = (false, false, at..at);
        self.open =
            Some(TimedCall { start, end, inside, behind: 0, count, role: number, request, failed, left, details });
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
        if let Some(call) = &mut self.open {
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

    fn polls(&mut self, polls: &Polls) {
        self.begin(polls.signature as u32, polls.start, polls.end, polls.total, polls.count);
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
        if let Some(call) = &mut self.open {
            call.failed = true;
            call.left = class == LEFT;
        }
    }
}
