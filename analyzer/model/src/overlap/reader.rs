//! Follows each request of a thread from the posting call to the completing call.
//!
//! Time in calls is summed once per thread, and a request keeps the sums at its post. So the cost does not grow with the number
//! of requests under way, and a call counts for each request in whose life it lies.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traces::read::ThreadPages;
use traces::signature::Signature;

use super::levels::{LevelCall, LevelReader};
use super::life::RequestLife;
use super::meaning::{OverlapMeaning, Purpose};
use super::page_turns::PageTurns;
use super::rule::BoundRule;
use super::{Posting, RankRequests};
use crate::Rank;
use crate::request_numbers::{RequestChange, RequestRun};
use crate::selection::{Cursor, LEFT_OUT};
use crate::sites::AlikeSites;
use crate::sums::Grow;
use crate::thread_calls::{Detail, Extras, ThreadCall, ThreadCalls};

pub fn read(
    thread: &ThreadPages<'_>,
    (rank, alike): (&Rank, &AlikeSites),
    rule: BoundRule,
    requests: &mut RankRequests,
) {
    let meaning = |signature: &Signature, at_once: bool| OverlapMeaning::of(&alike.signature(signature), at_once);
    let mut reader = Reader {
        thread: thread.number,
        rank,
        rule,
        requests,
        cursor: Cursor::new(rank.stretches(thread.number)),
        by_number: thread.signatures.by_number(OverlapMeaning::NONE, meaning),
        first_numbers: alike.numbers(thread),
        open: FxHashMap::default(),
        resting: VecDeque::new(),
        tested: VecDeque::new(),
        created: FxHashMap::default(),
        sums: Sums::default(),
        turns: PageTurns::of(thread),
        gaps: FxHashMap::default(),
        ended: None,
        levels: LevelReader::default(),
        entered_until: 0,
        until: 0,
    };
    let mut calls = ThreadCalls::whole(thread, Extras::FOUND_COMPLETE);
    while let Some(call) = calls.peek() {
        reader.call(call, calls.details(call));
        calls.advance();
    }
    reader.give_up(0, 0);
    let pending = reader.open.values().filter(|open| open.counts).count() as u64;
    let loops = reader.levels.finish();
    requests.pending.grow(pending);
    requests.loops.extend(loops);
}

/// Maximum number of complete requests that a thread may still wait for.
const RESTING: usize = 1024;

/// A thread's time in calls so far, in ticks, by [`Purpose`].
#[derive(Clone, Copy, Default)]
struct Sums {
    time: [u64; 5],
    /// Number of calls that post, test and wait.
    calls: u64,
    tests: u64,
    /// Number of calls that entered the engine.
    entering: u64,
    /// Ticks of the recorder's page turns between calls.
    turning: u64,
}

/// A request that is not complete.
struct OpenRequest {
    posting: Posting,
    /// The row of iterations in which it was posted.
    row: u64,
    start: u64,
    /// End of the posting call.
    posted: u64,
    /// Sums before and after the posting call.
    before: Sums,
    behind: Sums,
    counts: bool,
    /// The request was complete when the posting call returned.
    at_once: bool,
    /// Time at which MPI reported it complete.
    found: Option<u64>,
}

/// A request that is complete, for which a later call may wait.
struct FinishedRequest {
    open: OpenRequest,
    /// End of the call that noticed the completion, and latest end of the transfer.
    end: u64,
    over: u64,
    /// Sums before and after that call.
    sums: [Sums; 2],
    came: Option<u64>,
}

/// Requests that a call started and completed.
#[derive(Default)]
struct CallRequests {
    /// Started requests, by number.
    begun: Vec<(u64, Posting)>,
    /// Completed requests, with the bytes that the last of them received.
    completed: Vec<(RequestRun, Option<u64>)>,
}

struct Reader<'a> {
    thread: u32,
    rank: &'a Rank,
    rule: BoundRule,
    requests: &'a mut RankRequests,
    cursor: Cursor<'a>,
    by_number: Vec<OverlapMeaning>,
    /// By signature number: the first number with the same meaning.
    first_numbers: Vec<u32>,
    open: FxHashMap<u64, OpenRequest>,
    /// Requests that were complete at their post, until a call waits for them; no record names those.
    resting: VecDeque<FinishedRequest>,
    /// Requests that a test completed, while only tests follow: the program may compute until it waits for nothing.
    tested: VecDeque<FinishedRequest>,
    created: FxHashMap<u64, Posting>,
    sums: Sums,
    turns: PageTurns,
    /// Time before the last call of each signature.
    gaps: FxHashMap<u32, u64>,
    /// Posting of the last request that a call completed.
    ended: Option<Posting>,
    levels: LevelReader,
    /// End of the last call that entered the engine.
    entered_until: u64,
    until: u64,
}

impl Reader<'_> {
    fn call(&mut self, call: &ThreadCall, details: &[Detail]) {
        let meaning = self.by_number.get(call.signature as usize).copied().unwrap_or(OverlapMeaning::NONE);
        let first = self.first_number(call.signature);
        self.reach(first, call.start);
        self.until = call.end;
        let found = self.requests_of(meaning.site, details);
        self.account(call, meaning, &found);
        for detail in details {
            if let Detail::FoundComplete(at, number) = *detail
                && let Some(open) = self.open.get_mut(&number)
            {
                open.found.get_or_insert(at);
            }
        }
    }

    fn first_number(&self, signature: u32) -> u32 {
        self.first_numbers.get(signature as usize).copied().unwrap_or(signature)
    }

    /// Requests that a call started and completed.
    fn requests_of(&mut self, site: u32, details: &[Detail]) -> CallRequests {
        let mut found = CallRequests::default();
        for detail in details {
            match *detail {
                Detail::Requests(RequestChange::Completed(run)) if run.thread == self.thread => {
                    found.completed.push((run, None));
                }
                Detail::Requests(RequestChange::Completed(run)) => self.requests.foreign.grow(run.count.into()),
                Detail::Requests(RequestChange::Freed(run)) if run.thread == self.thread => {
                    for number in run.numbers() {
                        self.created.remove(&number);
                    }
                }
                Detail::Requests(RequestChange::Started { created, first }) if created.thread == self.thread => {
                    for (created, number) in created.numbers().zip(first..) {
                        if let Some(posting) = self.created.get(&created) {
                            found.begun.push((number, Posting { site, ..*posting }));
                        }
                    }
                }
                Detail::Arrived(arrived) => {
                    if let Some(last) = found.completed.last_mut() {
                        last.1 = Some(arrived.bytes);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Handles the begin of a call. If the recorder turned a page since the last call, the program's share of the gap is the gap
    /// before the last call of the same signature, and the rest is the recorder's.
    fn reach(&mut self, signature: u32, start: u64) {
        let gap = start.saturating_sub(self.until);
        let turning = match self.turns.is_between(self.until, start) {
            true => gap.saturating_sub(self.gaps.get(&signature).copied().unwrap_or(gap)),
            false => 0,
        };
        self.gaps.insert(signature, gap - turning);
        self.sums.turning.grow(turning);
        let ended = self.ended.take();
        if let Some(lives) = ended.and_then(|posting| self.requests.lives.get_mut(&posting)) {
            let nanoseconds = |ticks: u64| (self.rank.clock.seconds(ticks) * 1e9).round() as u64;
            lives.next_call(nanoseconds(gap));
        }
    }

    /// Adds a call, and follows the requests that it posts and completes.
    fn account(&mut self, call: &ThreadCall, meaning: OverlapMeaning, found: &CallRequests) {
        let (before, purpose) = (self.sums, meaning.purpose);
        // A call that has not returned may not have begun its requests.
        let failed = call.failed || call.open;
        if matches!(purpose, Purpose::Posting | Purpose::Other) {
            self.give_up(RESTING, 0);
        }
        self.add(call, purpose);
        self.follow_levels(call, meaning, !found.completed.is_empty());
        match meaning.posting {
            Some(posting) if meaning.creates => drop(self.created.insert(call.request, posting)),
            Some(posting) if !failed => self.post(call, before, meaning.at_once, (call.request, posting)),
            _ => {}
        }
        for begun in &found.begun {
            self.post(call, before, meaning.at_once, *begun);
        }
        let (sums, mut awaited) = ([before, self.sums], meaning.awaits);
        for (run, came) in &found.completed {
            for number in run.numbers() {
                let Some(open) = self.open.remove(&number) else { continue };
                let over = self.over(&open, call.end);
                let came = came.filter(|_| (run.thread, number) == run.last());
                let finished = FinishedRequest { open, end: call.end, over, sums, came };
                match purpose == Purpose::Testing {
                    true => self.tested.push_back(finished),
                    false => self.end(&finished),
                }
            }
            awaited = awaited.saturating_sub(run.count.into());
        }
        // The other requests it waited for were complete before, in the order of their posts.
        for _ in 0..awaited.min((self.tested.len() + self.resting.len()) as u64) {
            if let Some(found) = self.tested.pop_front().or_else(|| self.resting.pop_front()) {
                self.end(&FinishedRequest { end: call.end, sums, ..found });
            }
        }
        self.give_up(RESTING, RESTING);
    }

    /// Passes a call to the reader of levels if it is selected and no query.
    fn follow_levels(&mut self, call: &ThreadCall, meaning: OverlapMeaning, completes: bool) {
        let ThreadCall { start, end, .. } = *call;
        let failed = call.failed || call.open;
        if meaning.purpose == Purpose::Query || self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        let posting = meaning.posting.filter(|_| !meaning.creates && !failed);
        let completes = completes || meaning.purpose == Purpose::Waiting;
        // Iterations are equal whether or not the request was complete at once: then the post has the next number, and the wait is one for
        // a request that no record names.
        let signature = match meaning.purpose {
            Purpose::Waiting => u32::MAX - meaning.site,
            _ => self.first_number(call.signature) - u32::from(meaning.at_once),
        };
        let other = (meaning.purpose == Purpose::Other).then_some(meaning.function);
        self.levels.call(&LevelCall { signature, other, start, end, posting, completes });
    }

    fn add(&mut self, call: &ThreadCall, purpose: Purpose) {
        self.sums.time[purpose as usize].grow(call.inside);
        if !matches!(purpose, Purpose::Other | Purpose::Query) {
            self.sums.calls.grow(call.count);
        }
        if purpose == Purpose::Testing {
            self.sums.tests.grow(call.count);
        }
        if call.engine.entries > 0 {
            self.sums.entering.grow(1);
            self.entered_until = call.end;
        }
    }

    fn post(&mut self, call: &ThreadCall, before: Sums, at_once: bool, (number, posting): (u64, Posting)) {
        self.requests.posted.grow(1);
        let counts = self.cursor.part_at(call.start) != LEFT_OUT;
        let (start, end, behind) = (call.start, call.end, self.sums);
        let row = self.levels.row();
        let open = OpenRequest { posting, row, start, posted: end, before, behind, counts, at_once, found: None };
        match at_once {
            true => self.resting.push_back(FinishedRequest { open, end, over: end, sums: [behind; 2], came: None }),
            false => drop(self.open.insert(number, open)),
        }
    }

    /// Drops all but the latest `resting` requests that were complete at once, and all but the latest `tested` that a test
    /// completed: nothing waits for those.
    fn give_up(&mut self, resting: usize, tested: usize) {
        while self.resting.len() > resting {
            if let Some(finished) = self.resting.pop_front() {
                self.end(&finished);
            }
        }
        while self.tested.len() > tested {
            if let Some(finished) = self.tested.pop_front() {
                self.end(&finished);
            }
        }
    }

    /// Latest end of the transfer of a request that a call completes, which ends at `end`.
    fn over(&self, open: &OpenRequest, end: u64) -> u64 {
        match self.rule {
            _ if end <= open.posted => open.posted,
            BoundRule::Plain => end,
            BoundRule::Asked => open.found.unwrap_or(end).min(end),
            BoundRule::Engine => self.entered_until.max(open.posted).min(end),
        }
    }

    /// Ends a request's life.
    fn end(&mut self, finished: &FinishedRequest) {
        let FinishedRequest { open, end, over, sums: [before, after], came } = finished;
        if !open.counts {
            return;
        }
        let clock = &self.rank.clock;
        let nanoseconds = |ticks: u64| (clock.seconds(ticks) * 1e9).round() as u64;
        let spent = |of: Purpose| nanoseconds(after.time[of as usize].saturating_sub(open.before.time[of as usize]));
        let calls = after.calls.saturating_sub(open.before.calls);
        let at_once = open.at_once || *end <= open.posted;
        let turning = after.turning.saturating_sub(open.before.turning);
        let life = RequestLife {
            whole: nanoseconds(end.saturating_sub(open.start).saturating_sub(turning)),
            turning: nanoseconds(turning),
            posting: spent(Purpose::Posting),
            testing: spent(Purpose::Testing),
            waiting: spent(Purpose::Waiting),
            elsewhere: spent(Purpose::Other),
            over: nanoseconds(over.saturating_sub(open.start).saturating_sub(turning)),
            tests: after.tests.saturating_sub(open.before.tests),
            calls,
            recording: nanoseconds(self.rank.header.wrapper_cost) / 1000,
            progressed: before.entering > open.behind.entering || after.tests > open.behind.tests,
            at_once,
            early: at_once || open.found.is_some(),
        };
        // A receive may get less than its buffer holds.
        let posting = Posting { bytes: came.unwrap_or(open.posting.bytes), ..open.posting };
        self.requests.lives.entry(posting).or_default().add(life, open.row, self.rule);
        self.ended = Some(posting);
    }
}
