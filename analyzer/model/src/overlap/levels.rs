//! Finds loops that post one request per iteration and work longer from level to level, by Doerfler and Brightwell's method, as
//! Sandia's mpi_overhead does.
//!
//! In: a thread's calls in order, and which of them complete requests. Out: a [`LevelLoop`] for each posting. Iterations are
//! equal if they make the same calls; a level is a row of equal iterations, and ends where the program calls something else.
//! Successive levels with the same number of iterations and work that does not shrink belong to one loop.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::Posting;

/// A level: the same work in each iteration. Ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkLevel {
    pub rounds: u64,
    /// Time from the first of the calls before each post, such as a barrier, to the first post; `None` if other calls come before the
    /// first post than before the others.
    pub lead: Option<u64>,
    /// From the first post to the last completion.
    pub time: u64,
    /// Sum of the times from each post to its completion.
    pub lives: u64,
    /// Sum of the times outside MPI between post and completion.
    pub computed: u64,
    /// From the last completion to the next call, where a benchmark does the same work alone.
    pub behind: u64,
}

/// The levels of a loop, least work first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LevelLoop {
    pub levels: Vec<WorkLevel>,
}

/// Maximum number of levels of a loop; each doubles the work.
const MOST: usize = 64;
/// Minimum number of levels of a loop, and of iterations of a level.
const LEAST_LEVELS: usize = 4;
const LEAST_ROUNDS: u64 = 4;
/// A level begins another loop if it has less than this share of the previous level's work, and the previous level works long enough
/// to be the last.
const LESS: f64 = 0.5;
/// Number of calls after a completion that are compared with those before a post.
const COMPARED: usize = 4;
/// The last level has at least this multiple of the least work, and its iterations take at least this multiple of the shortest ones:
/// benchmarks stop when iterations take half as long again.
const WORKS: f64 = 2.0;
const LASTS: f64 = 1.4;

impl WorkLevel {
    /// Mean time of an iteration, ticks.
    pub fn round(&self) -> f64 {
        if let Some(lead) = self.lead {
            return self.time.saturating_add(lead) as f64 / self.rounds.max(1) as f64;
        }
        // Between n iterations lie n - 1 gaps from completion to post.
        let between = self.time.saturating_sub(self.lives) as f64 / (self.rounds - 1).max(1) as f64;
        self.lives as f64 / self.rounds.max(1) as f64 + between
    }

    /// Mean work of an iteration, ticks.
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

    /// True if the levels show the method: the last one works longest, and long enough to lengthen its iterations.
    fn is_one(&self) -> bool {
        let least = |of: fn(&WorkLevel) -> f64| self.levels.iter().map(of).fold(f64::INFINITY, f64::min);
        let is_last = |last: &WorkLevel| {
            last.work() >= WORKS * least(WorkLevel::work) && last.round() >= LASTS * least(WorkLevel::round)
        };
        self.levels.len() >= LEAST_LEVELS && self.levels.last().is_some_and(is_last)
    }
}

/// An iteration, from its post on.
#[derive(Default)]
struct Round {
    start: u64,
    /// Hash of the calls after the post.
    calls: FxHasher,
    computed: u64,
    /// End of the last call.
    end: u64,
    /// Time at which the post was complete.
    complete: Option<u64>,
    behind: Option<u64>,
    /// Signatures of the first calls after the completion, and the number of such calls.
    rest: ([u32; COMPARED], usize),
}

/// A row of equal iterations.
struct Row {
    signature: u32,
    posting: Posting,
    /// Hash of the calls of each iteration, once one has ended; and the calls after its completion.
    calls: Option<u64>,
    rest: ([u32; COMPARED], usize),
    /// Calls before the first iteration.
    before: [(u32, u64); COMPARED],
    rounds: u64,
    start: u64,
    computed: u64,
    lives: u64,
}

/// Finds the levels of a thread.
#[derive(Default)]
pub struct LevelReader {
    current: Option<(Row, Round)>,
    /// The last calls with their starts, the latest last.
    recent: [(u32, u64); COMPARED],
    loops: FxHashMap<Posting, LevelSeries>,
}

/// Levels of a posting that may be a loop, and the last loop found.
#[derive(Default)]
struct LevelSeries {
    open: LevelLoop,
    found: Option<LevelLoop>,
}

pub struct LevelCall {
    pub signature: u32,
    /// Begin and end, ticks.
    pub start: u64,
    pub end: u64,
    pub posting: Option<Posting>,
    /// It completes the posted request, or waits for it.
    pub completes: bool,
}

impl LevelReader {
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

    /// Time from the first of the calls before each post to the first post: 0 if there are no such calls. `None` if other calls
    /// precede the first post, or if there are more than [`COMPARED`].
    fn lead(&self) -> Option<u64> {
        let (signatures, count) = self.rest;
        let first = COMPARED.checked_sub(count)?;
        let before = &self.before[first..];
        let is_same = before.iter().map(|call| call.0).eq(signatures[..count].iter().copied());
        is_same.then(|| before.first().map_or(0, |call| self.start.saturating_sub(call.1)))
    }

    fn add(&mut self, round: &Round) {
        self.computed = self.computed.saturating_add(round.computed);
        let life = round.complete.map_or(0, |complete| complete.saturating_sub(round.start));
        self.lives = self.lives.saturating_add(life);
    }
}

impl Round {
    /// Notes a call after the completion.
    fn follow(&mut self, signature: u32) {
        if self.complete.is_some() {
            let (signatures, count) = &mut self.rest;
            if let Some(free) = signatures.get_mut(*count) {
                *free = signature;
            }
            *count += 1;
        }
    }

    /// Handles the begin of the next call.
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
