//! Finds loops that post one request per iteration and work longer from level to level, by Doerfler and Brightwell's method, as
//! Sandia's mpi_overhead does.
//!
//! In: a thread's calls in order, and which of them complete requests. Out: a [`LevelLoop`] for each posting. Iterations are
//! equal if they make the same calls; a level is a row of equal iterations, and ends where the program calls something else.
//! Successive levels with the same number of iterations and work that does not shrink belong to one loop. Behind the last one the
//! work may be timed alone.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::Posting;
use super::work_alone::{OtherCalls, WorkAlone};

/// A level: the same work in each iteration. Ticks.
#[derive(Clone, Copy, PartialEq, Debug)]
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
    /// The shortest of these times: interruptions do not lengthen it.
    pub least_computed: u64,
    /// From the last completion to the next call, where a benchmark may do the same work alone.
    pub behind: u64,
    /// Mean time of an iteration behind the level with the same calls, but without the request.
    pub alone: Option<f64>,
}

/// The levels of a loop, least work first.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LevelLoop {
    pub levels: Vec<WorkLevel>,
}

/// Maximum number of levels of a loop; each doubles the work.
const MOST: usize = 64;
/// Minimum number of levels of a loop, with and without its work alone behind it, and of iterations of a level.
const LEAST_LEVELS_WITH_WORK_ALONE: usize = 2;
const LEAST_LEVELS: usize = 4;
const LEAST_ROUNDS: u64 = 4;
/// A level begins another loop if it has less than this share of the previous level's work, and the previous level works long enough
/// to be the last.
const LESS: f64 = 0.5;
/// Number of calls after a completion that are compared with those before a post.
const COMPARED: usize = 4;
/// The iterations of the last level take at least this multiple of the shortest ones: benchmarks stop when they take half as long
/// again.
const LASTS: f64 = 1.4;
/// The work of the last level is at least this multiple of the least. The rank to which such a loop sends does
/// not work, it waits longer from level to level.
const WORKS: u64 = 2;

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

    /// True if the levels show the method: the last one takes longer than those before.
    fn is_one(&self) -> bool {
        let Some(last) = self.levels.last() else { return false };
        let shortest = self.levels.iter().map(WorkLevel::round).fold(f64::INFINITY, f64::min);
        let least = if last.alone.is_some() { LEAST_LEVELS_WITH_WORK_ALONE } else { LEAST_LEVELS };
        self.levels.len() >= least && last.round() >= LASTS * shortest
    }

    /// True if this rank works longer from level to level; `gap` ticks between two calls are no work.
    pub fn works(&self, gap: u64) -> bool {
        let least = self.levels.iter().map(|level| level.least_computed).min().unwrap_or(0);
        self.levels.last().is_some_and(|last| last.least_computed >= (WORKS * least).max(least + gap))
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
    /// Calls before the completion and after it, but those that post, test and wait.
    others: [OtherCalls; 2],
    alone: WorkAlone,
}

/// A row of equal iterations.
struct Row {
    signature: u32,
    posting: Posting,
    /// Hash of the calls of each iteration, once one has ended; and the calls after its completion.
    calls: Option<u64>,
    rest: ([u32; COMPARED], usize),
    /// The other calls of an iteration from its first call on.
    others: Option<OtherCalls>,
    /// Calls before the first iteration.
    before: [(u32, u64); COMPARED],
    rounds: u64,
    start: u64,
    computed: u64,
    least_computed: u64,
    lives: u64,
}

/// Finds the levels of a thread.
#[derive(Default)]
pub struct LevelReader {
    current: Option<(Row, Round)>,
    /// The number of rows so far.
    rows: u64,
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
    /// The function, if it neither posts nor tests nor waits.
    pub other: Option<u16>,
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
        } else if let Some((row, round)) = &mut self.current {
            call.signature.hash(&mut round.calls);
            round.follow(row, call);
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

    /// The number of the current row; a request belongs to the row in which it is posted.
    pub fn row(&self) -> u64 {
        self.rows
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
            return self.begin(Row::of(call, posting, self.recent), round);
        };
        let calls = last.calls.finish();
        if row.signature == call.signature && row.calls.is_none_or(|own| own == calls) {
            row.rounds += 1;
            (row.calls, row.rest) = (Some(calls), last.rest);
            row.others = last.others[1].then(&last.others[0]);
            row.add(&last);
            self.current = Some((row, round));
        } else {
            self.end(row, &last);
            self.begin(Row::of(call, posting, self.recent), round);
        }
    }

    fn begin(&mut self, row: Row, round: Round) {
        self.rows += 1;
        self.current = Some((row, round));
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
            least_computed: row.least_computed,
            behind: last.behind.unwrap_or(0),
            alone: last.alone.found(),
        };
        self.loops.entry(row.posting).or_default().add(level);
    }
}

impl Row {
    fn of(call: &LevelCall, posting: Posting, before: [(u32, u64); COMPARED]) -> Row {
        let (signature, start, rest) = (call.signature, call.start, Default::default());
        let (computed, least_computed) = (0, u64::MAX);
        let (calls, others, rounds, lives) = (None, None, 1, 0);
        Row { signature, posting, calls, rest, others, before, rounds, start, computed, least_computed, lives }
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
        self.least_computed = self.least_computed.min(round.computed);
        let life = round.complete.map_or(0, |complete| complete.saturating_sub(round.start));
        self.lives = self.lives.saturating_add(life);
    }
}

impl Round {
    /// Notes a call after the post.
    fn follow(&mut self, row: &Row, call: &LevelCall) {
        let is_complete = self.complete.is_some();
        if is_complete {
            let (signatures, count) = &mut self.rest;
            if let Some(free) = signatures.get_mut(*count) {
                *free = call.signature;
            }
            *count += 1;
        }
        let Some(function) = call.other else { return };
        self.others[usize::from(is_complete)].push(function);
        if let Some(others) = row.others.filter(|_| is_complete) {
            self.alone.call(&others, row.rounds, (call.signature, function), call.start);
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
