//! Reads a thread's calls on the run's common clock, each with its role towards other ranks.
//!
//! In: the pages of a thread. Out: [`TimedCall`]s in the order they ended, a bounded number at a time; on request, the call that
//! has not returned comes last. Calls inside other calls are left out.

use std::ops::Range;

use traces::read::{RecordedCall, ThreadPages};

use super::Rank;
use super::common_clock::ClockLine;
use super::roles::{Role, Roles};
use super::selection::{ALL, Cursor, LEFT_OUT};
use super::thread_calls::{Detail, Extras, ThreadCalls};

/// A call. Times in nanoseconds on the run's common clock.
#[derive(Clone, Debug)]
pub struct TimedCall {
    pub start: i64,
    /// End; for a call that has not returned, the time until which it lasted for certain.
    pub end: i64,
    /// Time inside MPI: less than `end - start` for a run of tests.
    pub inside: i64,
    /// Time between this call and the thread's next one.
    pub behind: i64,
    /// Number of calls it stands for: 1, except for a run of tests.
    pub count: u64,
    /// Index of its role; see [`Stream::role`].
    role: u32,
    /// Number of the request that it began or created.
    pub request: u64,
    /// It returned an error, or never returned.
    pub failed: bool,
    /// An exception or longjmp left it.
    pub left: bool,
    /// It has not returned.
    pub open: bool,
    pub in_vain: bool,
    /// It stands for polls with more time between them than in them, which are no wait.
    pub now_and_then: bool,
    details: Range<u32>,
}

#[cfg(test)]
impl TimedCall {
    pub fn at(start: i64, end: i64) -> TimedCall {
        let [failed, left, open, in_vain, now_and_then] = [false; 5];
        let (inside, behind, count, role, request, details) = (end - start, 0, 1, 0, 0, 0..0);
        TimedCall {
            start,
            end,
            inside,
            behind,
            count,
            role,
            request,
            failed,
            left,
            open,
            in_vain,
            now_and_then,
            details,
        }
    }
}

/// A thread's calls with their roles.
pub struct Stream<'a> {
    pub thread: u32,
    calls: ThreadCalls<'a>,
    line: &'a ClockLine,
    cursor: Cursor<'a>,
    /// Roles by signature number; if calls are left out, followed by the same roles marked as left out.
    known: Vec<Role>,
    left_out: usize,
    roles: Roles<'a>,
    current: Option<TimedCall>,
    /// Begin of the call after the current one.
    start_behind: Option<i64>,
}

impl<'a> Stream<'a> {
    /// Reads the recorded calls of a rank's thread.
    pub fn new(thread: &ThreadPages<'a>, rank: &'a Rank, line: &'a ClockLine, roles: Roles<'a>) -> Stream<'a> {
        Stream::of(ThreadCalls::of_records(thread, Extras::empty()), thread, rank, line, roles)
    }

    /// Reads the recorded calls, then tests without success and the call that has not returned.
    pub fn whole(thread: &ThreadPages<'a>, rank: &'a Rank, line: &'a ClockLine, roles: Roles<'a>) -> Stream<'a> {
        Stream::of(ThreadCalls::whole(thread, Extras::empty()), thread, rank, line, roles)
    }

    fn of(
        calls: ThreadCalls<'a>,
        thread: &ThreadPages<'a>,
        rank: &'a Rank,
        line: &'a ClockLine,
        roles: Roles<'a>,
    ) -> Stream<'a> {
        let stretches = rank.stretches(thread.number);
        let mut known = roles.thread(thread);
        let left_out = known.len();
        if *stretches != *ALL {
            known.extend_from_within(..);
            for role in &mut known[left_out..] {
                role.place = role.place.left_out();
            }
        }
        let cursor = Cursor::new(stretches);
        let (thread, current, start_behind) = (thread.number, None, None);
        let mut stream = Stream { thread, calls, line, cursor, known, left_out, roles, current, start_behind };
        stream.read();
        stream
    }

    #[inline]
    pub fn peek(&self) -> Option<&TimedCall> {
        self.current.as_ref()
    }

    /// Begin of the next call.
    #[inline]
    pub fn start(&self) -> Option<i64> {
        self.peek().map(|call| call.start)
    }

    #[inline]
    pub fn advance(&mut self) {
        self.calls.advance();
        self.read();
    }

    pub fn details(&self, call: &TimedCall) -> &[Detail] {
        self.calls.details_at(&call.details)
    }

    /// Role of a call returned by [`peek`](Self::peek).
    #[inline]
    pub fn role(&self, call: &TimedCall) -> &Role {
        &self.known[call.role as usize]
    }

    #[inline]
    pub fn signature(&self, call: &TimedCall) -> usize {
        let number = call.role as usize;
        if number < self.left_out { number } else { number - self.left_out }
    }

    pub fn last(&self) -> Option<RecordedCall> {
        self.calls.last()
    }

    pub fn last_end(&self) -> u64 {
        self.calls.last_end()
    }

    pub fn roles(&self) -> &Roles<'a> {
        &self.roles
    }

    /// Puts the next call that has a role on the common clock.
    #[inline]
    fn read(&mut self) {
        loop {
            let Some(call) = self.calls.peek() else {
                self.current = None;
                return;
            };
            let line = self.line;
            let start = self.start_behind.take().unwrap_or_else(|| line.nanoseconds_at(call.start));
            let end = line.nanoseconds_at(call.end);
            self.start_behind = self.calls.start_behind().map(|start| line.nanoseconds_at(start));
            let is_left_out = self.cursor.part_at(call.start) == LEFT_OUT;
            if call.signature as usize >= self.left_out {
                self.calls.advance();
                continue;
            }
            self.current = Some(TimedCall {
                start,
                end,
                inside: if call.in_vain { line.duration(call.inside) } else { end - start },
                behind: self.start_behind.map_or(0, |start| (start - end).max(0)),
                count: call.count,
                role: if is_left_out { call.signature + self.left_out as u32 } else { call.signature },
                request: call.request,
                failed: call.failed,
                left: call.left,
                open: call.open,
                in_vain: call.in_vain,
                now_and_then: call.polls_now_and_then(),
                details: call.details_place(),
            });
            return;
        }
    }
}
