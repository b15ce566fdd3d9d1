//! Goes through a thread's records and follows each request from the call that posts it to the one that completes it.
//!
//! Time inside calls is added up once for the thread; a request keeps what the sums were when it was posted. So many requests under
//! way cost no more than one, and a call counts for each request in whose life it lies.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use traces::progress::{Entries, Polls};
use traces::read::{OpenCall, ThreadPages, Visitor, walk_thread};
use traces::record::{Arrived, RecordKind};

use super::levels::{LevelCall, LevelReader};
use super::life::RequestLife;
use super::meaning::{OverlapMeaning, Purpose};
use super::page_turns::PageTurns;
use super::rule::BoundRule;
use super::{Posting, RankRequests};
use crate::Rank;
use crate::selection::{Cursor, LEFT_OUT};
use crate::sums::Grow;

/// Adds the requests of a thread.
pub fn read(thread: &ThreadPages<'_>, rank: &Rank, rule: BoundRule, requests: &mut RankRequests) {
    let mut reader = Reader {
        rank,
        rule,
        requests,
        cursor: Cursor::new(rank.stretches(thread.number)),
        by_number: thread.signatures.by_number(OverlapMeaning::NONE, OverlapMeaning::of),
        next: 0,
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
        current: None,
        begun: Vec::new(),
        completed: Vec::new(),
    };
    walk_thread(thread, &mut reader);
    reader.close();
    reader.give_up(0, 0);
    let pending = reader.open.values().filter(|open| open.counts).count() as u64;
    let loops = reader.levels.finish();
    requests.pending.grow(pending);
    requests.loops.extend(loops);
}

/// Requests that are complete and that a thread may wait for later.
const RESTING: usize = 1024;

/// A thread's time in calls so far, ticks, by [`Purpose`].
#[derive(Clone, Copy, Default)]
struct Sums {
    time: [u64; 5],
    /// Calls that post, test and wait.
    calls: u64,
    tests: u64,
    /// Calls that entered the engine.
    entering: u64,
    /// Ticks between calls in which the recorder took new pages.
    turning: u64,
}

/// A request that is not complete.
struct OpenRequest {
    posting: Posting,
    start: u64,
    /// When the call that posted it ended.
    posted: u64,
    /// The sums before that call, and behind it.
    before: Sums,
    behind: Sums,
    counts: bool,
    /// It was complete when that call returned.
    at_once: bool,
    /// When MPI said that it is complete.
    found: Option<u64>,
}

/// A request that was complete before a call waited for it, if one does.
struct FinishedRequest {
    open: OpenRequest,
    /// When the call returned that noticed it, and when the transfer was over for certain.
    end: u64,
    over: u64,
    /// The sums before that call, and behind it.
    sums: [Sums; 2],
    came: Option<u64>,
}

/// The call, or run of calls, that the records which follow belong to.
#[derive(Clone, Copy)]
struct CurrentCall {
    meaning: OverlapMeaning,
    signature: u32,
    start: u64,
    end: u64,
    inside: u64,
    times: u64,
    /// The request it takes.
    number: u64,
    enters: bool,
    failed: bool,
}

struct Reader<'a> {
    rank: &'a Rank,
    rule: BoundRule,
    requests: &'a mut RankRequests,
    cursor: Cursor<'a>,
    by_number: Vec<OverlapMeaning>,
    /// The number that the next request gets.
    next: u64,
    open: FxHashMap<u64, OpenRequest>,
    /// Those that were complete when they were posted, until a call waits for them: no record says which.
    resting: VecDeque<FinishedRequest>,
    /// Those that a test completed, as long as nothing but tests follows: the program may compute on until it waits for nothing.
    tested: VecDeque<FinishedRequest>,
    /// Persistent requests.
    created: FxHashMap<u64, Posting>,
    sums: Sums,
    turns: PageTurns,
    /// What lay before the last call of a signature.
    gaps: FxHashMap<u32, u64>,
    /// What the last call completed a request of.
    ended: Option<Posting>,
    levels: LevelReader,
    /// When the last call ended that entered the engine.
    entered_until: u64,
    /// When the last call ended.
    until: u64,
    current: Option<CurrentCall>,
    /// Of the current call: requests it posted, and those it completed, with what came for the last of them.
    begun: Vec<(u64, Posting)>,
    completed: Vec<(u64, u32, Option<u64>)>,
}

impl Reader<'_> {
    fn begin(&mut self, signature: u32, start: u64, end: u64, inside: u64, times: u64) {
        self.close();
        let meaning = self.by_number.get(signature as usize).copied().unwrap_or(OverlapMeaning::NONE);
        let number = self.next;
        self.next = self.next.wrapping_add(u64::from(meaning.takes));
        // The time of a call inside another is the other's.
        if meaning.nested {
            return;
        }
        self.reach(signature, start);
        self.until = end;
        let (enters, failed) = (false, false);
        self.current = Some(CurrentCall { meaning, signature, start, end, inside, times, number, enters, failed });
    }

    /// A call begins. If the recorder took a new page since the last one, as much of the time between as before the same call the last
    /// time is the program's, and the rest the recorder's.
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

    /// All is known of the current call.
    fn close(&mut self) {
        let (begun, completed) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.completed));
        let Some(call) = self.current.take() else { return };
        let (before, purpose) = (self.sums, call.meaning.purpose);
        if matches!(purpose, Purpose::Posting | Purpose::Other) {
            self.give_up(RESTING, 0);
        }
        self.add(&call);
        self.follow_levels(&call, !completed.is_empty());
        match call.meaning.posting {
            Some(posting) if call.meaning.creates => drop(self.created.insert(call.number, posting)),
            Some(posting) if !call.failed => self.post(&call, before, call.number, posting),
            _ => {}
        }
        for (number, posting) in &begun {
            self.post(&call, before, *number, *posting);
        }
        let (sums, mut awaited) = ([before, self.sums], call.meaning.awaits);
        for (first, count, came) in &completed {
            let end = first.saturating_add((*count).into());
            for number in *first..end {
                let Some(open) = self.open.remove(&number) else { continue };
                let over = self.over(&open, call.end);
                let came = came.filter(|_| number + 1 == end);
                let finished = FinishedRequest { open, end: call.end, over, sums, came };
                match purpose == Purpose::Testing {
                    true => self.tested.push_back(finished),
                    false => self.end(&finished),
                }
            }
            awaited = awaited.saturating_sub((*count).into());
        }
        // What else it waited for was complete before, the first that was posted first.
        for _ in 0..awaited.min((self.tested.len() + self.resting.len()) as u64) {
            let found = self.tested.pop_front().or_else(|| self.resting.pop_front());
            found.into_iter().for_each(|found| self.end(&FinishedRequest { end: call.end, sums, ..found }));
        }
        self.give_up(RESTING, RESTING);
        (self.begun, self.completed) = (begun, completed);
        self.begun.clear();
        self.completed.clear();
    }

    /// Tells the reader of levels, of which only calls that count and do more than to ask are a part.
    fn follow_levels(&mut self, call: &CurrentCall, completes: bool) {
        let CurrentCall { meaning, signature, start, end, failed, .. } = *call;
        if meaning.purpose == Purpose::Query || self.cursor.part_at(start) == LEFT_OUT {
            return;
        }
        let posting = meaning.posting.filter(|_| !meaning.creates && !failed);
        let completes = completes || meaning.purpose == Purpose::Waiting;
        self.levels.call(&LevelCall { signature, start, end, posting, completes });
    }

    /// Adds a call to the thread's sums.
    fn add(&mut self, call: &CurrentCall) {
        let purpose = call.meaning.purpose;
        self.sums.time[purpose as usize].grow(call.inside);
        if !matches!(purpose, Purpose::Other | Purpose::Query) {
            self.sums.calls.grow(call.times);
        }
        if purpose == Purpose::Testing {
            self.sums.tests.grow(call.times);
        }
        if call.enters {
            self.sums.entering.grow(1);
            self.entered_until = call.end;
        }
    }

    fn post(&mut self, call: &CurrentCall, before: Sums, number: u64, posting: Posting) {
        self.requests.posted.grow(1);
        let counts = self.cursor.part_at(call.start) != LEFT_OUT;
        let (start, end, behind, at_once) = (call.start, call.end, self.sums, call.meaning.at_once);
        let open = OpenRequest { posting, start, posted: end, before, behind, counts, at_once, found: None };
        match at_once {
            true => self.resting.push_back(FinishedRequest { open, end, over: end, sums: [behind; 2], came: None }),
            false => drop(self.open.insert(number, open)),
        }
    }

    /// Of requests that were complete at once, and of those that a test completed, all but so many are taken for such as
    /// nothing waits for.
    fn give_up(&mut self, resting: usize, tested: usize) {
        while self.resting.len() > resting {
            let finished = self.resting.pop_front();
            finished.into_iter().for_each(|finished| self.end(&finished));
        }
        while self.tested.len() > tested {
            let finished = self.tested.pop_front();
            finished.into_iter().for_each(|finished| self.end(&finished));
        }
    }

    /// When the transfer of a request was over for certain that a call completes which ends at a tick.
    fn over(&self, open: &OpenRequest, end: u64) -> u64 {
        match self.rule {
            _ if end <= open.posted => open.posted,
            BoundRule::Plain => end,
            BoundRule::Asked => open.found.unwrap_or(end).min(end),
            BoundRule::Engine => self.entered_until.max(open.posted).min(end),
        }
    }

    /// A request's life is over.
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
        // A receive takes what comes, which may be less than it has room for.
        let posting = Posting { bytes: came.unwrap_or(open.posting.bytes), ..open.posting };
        self.requests.lives.entry(posting).or_default().add(life, self.rule);
        self.ended = Some(posting);
    }
}

impl Visitor for Reader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.begin(signature, start, start.wrapping_add(duration), duration, 1);
    }

    fn polls(&mut self, polls: &Polls) {
        self.begin(polls.signature as u32, polls.start, polls.end, polls.total, polls.count);
    }

    fn open(&mut self, call: &OpenCall) {
        self.call(call.number, call.start, call.duration());
        // What it begins may not have begun, and what it completes is not known.
        self.current.iter_mut().for_each(|call| call.failed = true);
    }

    fn torn(&mut self, request: Option<u64>) {
        self.close();
        self.next = request.unwrap_or(self.next);
    }

    fn engine(&mut self, during: Entries) {
        self.current.iter_mut().for_each(|call| call.enters |= during.entries > 0);
    }

    fn failed(&mut self, _class: u16, _code: i32) {
        self.current.iter_mut().for_each(|call| call.failed = true);
    }

    fn found_complete(&mut self, at: u64, age: u64) {
        // It may be of the call before, which posted it.
        self.close();
        if let Some(open) = self.open.get_mut(&self.next.saturating_sub(age)) {
            open.found.get_or_insert(at);
        }
    }

    fn arrived(&mut self, arrived: Arrived) {
        if let Some(last) = self.completed.last_mut() {
            last.2 = Some(arrived.bytes);
        }
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        let first = self.next.saturating_sub(age);
        match kind {
            RecordKind::Completed => self.completed.push((first, count, None)),
            RecordKind::Freed => {
                for number in first..first.saturating_add(count.into()) {
                    self.created.remove(&number);
                }
            }
            RecordKind::Started => {
                let site = self.current.map_or(0, |call| call.meaning.site);
                for (created, number) in (first..).zip(self.next..).take(count as usize) {
                    let posting = self.created.get(&created).map(|posting| Posting { site, ..*posting });
                    self.begun.extend(posting.map(|posting| (number, posting)));
                }
                self.next = self.next.wrapping_add(count.into());
            }
            _ => {}
        }
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, _thread: u32, _number: u64) {
        match kind {
            RecordKind::Completed => self.requests.foreign.grow(count.into()),
            RecordKind::Started => self.next = self.next.wrapping_add(count.into()),
            _ => {}
        }
    }
}
