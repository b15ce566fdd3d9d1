//! Loops that post one request each time round and work longer from level to level, by Doerfler and Brightwell's method: Sandia's mpi_overhead
//! is one.
//!
//! In: a thread's calls in order, and which of them complete requests. Out: for each posting a [`LevelLoop`]. Times round are alike that
//! make the same calls; a level is a row of such, and ends where the program calls something else. Levels of as many times round, of
//! which each works as long as the one before or longer, are of one loop.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::Posting;

/// A level that worked the same amount each time round. Ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkLevel {
    /// How often it went round.
    pub rounds: u64,
    /// What the first round made before its post, where the others made the same calls.
    pub lead: Option<u64>,
    /// From the first post to the last completion.
    pub time: u64,
    /// From each post to its completion, added up.
    pub lives: u64,
    /// Outside of MPI between post and completion, of all rounds.
    pub computed: u64,
    /// From the last completion to the next call: there a benchmark does the same work alone.
    pub behind: u64,
}

/// The levels of a loop, the shortest work first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LevelLoop {
    /// See above.
    pub levels: Vec<WorkLevel>,
}

/// Levels of a loop that are kept: each doubles the work.
const MOST: usize = 64;
/// Fewer levels are no loop, nor levels of fewer rounds.
const LEAST_LEVELS: usize = 4;
const LEAST_ROUNDS: u64 = 4;
/// A level that works less than so much of the one before begins another loop, where that one works long enough to be the last.
const LESS: f64 = 0.5;
/// Calls behind a completion that are compared with those before a post.
const COMPARED: usize = 4;
/// The last level works so many times as long as the shortest, and its rounds take so many times as long as the shortest ones: benchmarks
/// stop where these take half as long again.
const WORKS: f64 = 2.0;
const LASTS: f64 = 1.4;

impl WorkLevel {
    /// What a time round takes.
    pub fn round(&self) -> f64 {
        if let Some(lead) = self.lead {
            return self.time.saturating_add(lead) as f64 / self.rounds.max(1) as f64;
        }
        // Between completion and post there is one time less than there are rounds.
        let between = self.time.saturating_sub(self.lives) as f64 / (self.rounds - 1).max(1) as f64;
        self.lives as f64 / self.rounds.max(1) as f64 + between
    }

    /// What a time round computes.
    pub fn work(&self) -> f64 {
        self.computed as f64 / self.rounds.max(1) as f64
    }
}

impl LevelLoop {
    fn takes(&self, level: &WorkLevel) -> bool {
        let Some(last) = self.levels.last() else { return true };
        let is_less = level.work() < LESS * last.work();
        level.rounds == last.rounds && self.levels.len() < MOST && !(is_less && self.is_one())
    }

    /// Whether the levels show the method: the last one works longest, and long enough to lengthen its rounds.
    fn is_one(&self) -> bool {
        let least = |of: fn(&WorkLevel) -> f64| self.levels.iter().map(of).fold(f64::INFINITY, f64::min);
        let is_last = |last: &WorkLevel| {
            last.work() >= WORKS * least(WorkLevel::work) && last.round() >= LASTS * least(WorkLevel::round)
        };
        self.levels.len() >= LEAST_LEVELS && self.levels.last().is_some_and(is_last)
    }
}

/// A time round, from a post on.
#[derive(Default)]
struct Round {
    start: u64,
    /// The calls behind the post.
    calls: FxHasher,
    computed: u64,
    /// When the last call ended.
    end: u64,
    /// When the post was complete.
    complete: Option<u64>,
    behind: Option<u64>,
    /// The signatures of the first calls behind that, and how many calls there are.
    rest: ([u32; COMPARED], usize),
}

/// A row of rounds that are alike.
struct Row {
    signature: u32,
    posting: Posting,
    /// The calls of each, where one has ended, and those behind its completion.
    calls: Option<u64>,
    rest: ([u32; COMPARED], usize),
    /// The calls before the first.
    before: [(u32, u64); COMPARED],
    rounds: u64,
    start: u64,
    computed: u64,
    lives: u64,
}

/// See the module.
#[derive(Default)]
pub struct LevelReader {
    current: Option<(Row, Round)>,
    /// The last calls with their starts, the latest one last.
    recent: [(u32, u64); COMPARED],
    loops: FxHashMap<Posting, LevelSeries>,
}

/// The levels of a posting that may be a loop, and the last ones that were.
#[derive(Default)]
struct LevelSeries {
    open: LevelLoop,
    found: Option<LevelLoop>,
}

/// A call, as the reader of levels sees it.
pub struct LevelCall {
    /// Its signature's number.
    pub signature: u32,
    /// When it began and ended, ticks.
    pub start: u64,
    /// See above.
    pub end: u64,
    /// What it posts.
    pub posting: Option<Posting>,
    /// It completes what was posted, or waits for it.
    pub completes: bool,
}

impl LevelReader {
    /// The next call.
    pub fn call(&mut self, call: &LevelCall) {
        if let Some((_, round)) = &mut self.current {
            round.reach(call.start);
        }
        if let Some(posting) = call.posting {
            self.post(call, posting);
        } else if let Some((_, round)) = &mut self.current {
            call.signature.hash(&mut round.calls);
            round.follow(call.signature);
        }
        if let Some((_, round)) = &mut self.current {
            round.end = call.end;
            if call.completes {
                round.complete.get_or_insert(call.end);
            }
        }
        self.recent.rotate_left(1);
        self.recent[COMPARED - 1] = (call.signature, call.start);
    }

    /// A loop for each posting that has one.
    pub fn finish(mut self) -> FxHashMap<Posting, LevelLoop> {
        if let Some((row, round)) = self.current.take() {
            self.end(row, &round);
        }
        let found = |(posting, mut series): (Posting, LevelSeries)| {
            series.close();
            Some((posting, series.found?))
        };
        self.loops.into_iter().filter_map(found).collect()
    }

    fn post(&mut self, call: &LevelCall, posting: Posting) {
        let round = Round { start: call.start, ..Round::default() };
        let Some((mut row, last)) = self.current.take() else {
            self.current = Some((Row::of(call, posting, self.recent), round));
            return;
        };
        let calls = last.calls.finish();
        if row.signature == call.signature && row.calls.is_none_or(|own| own == calls) {
            row.rounds += 1;
            (row.calls, row.rest) = (Some(calls), last.rest);
            row.add(&last);
            self.current = Some((row, round));
        } else {
            self.end(row, &last);
            self.current = Some((Row::of(call, posting, self.recent), round));
        }
    }

    fn end(&mut self, mut row: Row, last: &Round) {
        let Some(complete) = last.complete.filter(|_| row.rounds >= LEAST_ROUNDS) else { return };
        row.add(last);
        let level = WorkLevel {
            rounds: row.rounds,
            lead: row.lead(),
            time: complete.saturating_sub(row.start),
            lives: row.lives,
            computed: row.computed,
            behind: last.behind.unwrap_or(0),
        };
        self.loops.entry(row.posting).or_default().add(level);
    }
}

impl Row {
    fn of(call: &LevelCall, posting: Posting, before: [(u32, u64); COMPARED]) -> Row {
        let (signature, start, rest) = (call.signature, call.start, Default::default());
        Row { signature, posting, calls: None, rest, before, rounds: 1, start, computed: 0, lives: 0 }
    }

    /// How long before the first post the first of the calls began that the others made behind the completion before them.
    fn lead(&self) -> Option<u64> {
        let (signatures, count) = self.rest;
        let first = COMPARED.checked_sub(count)?;
        let before = &self.before[first..];
        let is_same = before.iter().map(|call| call.0).eq(signatures[..count].iter().copied());
        is_same.then(|| before.first().map_or(0, |call| self.start.saturating_sub(call.1)))
    }

    /// A round is over.
    fn add(&mut self, round: &Round) {
        self.computed = self.computed.saturating_add(round.computed);
        let life = round.complete.map_or(0, |complete| complete.saturating_sub(round.start));
        self.lives = self.lives.saturating_add(life);
    }
}

impl Round {
    /// Takes a call down that comes behind the completion.
    fn follow(&mut self, signature: u32) {
        if self.complete.is_some() {
            let (signatures, count) = &mut self.rest;
            if let Some(free) = signatures.get_mut(*count) {
                *free = signature;
            }
            *count += 1;
        }
    }

    /// The next call begins.
    fn reach(&mut self, start: u64) {
        let between = start.saturating_sub(self.end);
        if self.complete.is_some() {
            self.behind.get_or_insert(between);
        } else {
            self.computed = self.computed.saturating_add(between);
        }
    }
}

impl LevelSeries {
    fn add(&mut self, level: WorkLevel) {
        if !self.open.takes(&level) {
            self.close();
        }
        self.open.levels.push(level);
    }

    fn close(&mut self) {
        let closed = std::mem::take(&mut self.open);
        if closed.is_one() {
            self.found = Some(closed);
        }
    }
}
