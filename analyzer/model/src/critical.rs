//! The critical path: the chain of computation and calls, from rank to rank, that set the run's length.
//!
//! In: the waits of a run, as [`Jump`]s. Out: the time on the path, by call site. The path goes back in time from the rank that
//! ends last; where a call waited for another rank, it continues on that rank at the awaited event (Böhme, de Supinski,
//! Geimer, Schulz, Wolf: "Scalable critical-path based performance analysis", 2012).

use rustc_hash::FxHashMap;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::common_clock::ClockLine;
use super::matching::{Jump, NEVER, RankTime, Settled};
use super::roles::{CallSites, Role};
use super::spill::{Backward, RankRecord, Sorted, Spill};
use super::stream::TimedCall;
use super::sums::{Grow, SpansAhead, shared_time};
use crate::process::ProcessFate;
use crate::{Rank, Run};

/// A stretch of the path on one rank, nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct PathSegment {
    from: i64,
    to: i64,
    /// The rank, by place in [`Run::ranks`].
    rank: u64,
}

impl RankRecord for PathSegment {
    fn rank(&self) -> u32 {
        self.rank as u32
    }

    fn order(&self) -> impl Ord {
        (self.from, self.to)
    }
}

/// A part of the program that the path goes through, by numbers of call sites.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathSite {
    /// A call.
    In(u32),
    /// Computation between two calls.
    Between(u32, u32),
}

#[derive(Default)]
pub struct CriticalPath {
    /// Number of stretches in the selected parts of the path, each on one rank.
    pub stretches: u64,
    /// Nanoseconds on the path, by rank.
    pub ranks: FxHashMap<u32, i64>,
    /// Time on the path, by call site.
    pub places: FxHashMap<PathSite, Time>,
}

/// Nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct Time {
    /// Time on the path, by rank.
    pub on_path: FxHashMap<u32, i64>,
    /// Time of all ranks, on the path or not.
    pub total: i64,
    /// Some rank has not returned from the call.
    pub is_open: bool,
}

/// A rank's times by numbers of call sites, each as (total, on the path).
#[derive(Default)]
pub struct Sums {
    calls: FxHashMap<u32, (i64, i64)>,
    between: FxHashMap<(u32, u32), (i64, i64)>,
    /// Call site of the call that has not returned.
    open: Option<u32>,
}

/// Goes back along the path.
struct PathWalk<'a> {
    jumps: Backward<'a, Jump>,
    times: &'a [RankTime],
    /// Rank and end of the path's next segment.
    next: Option<(usize, i64)>,
}

impl<'a> PathWalk<'a> {
    fn new(jumps: &'a Sorted<Jump>, times: &'a [RankTime]) -> PathWalk<'a> {
        // Of ranks that end together, prefer one that did not end in a wait for an event that never happened.
        let last = times.iter().enumerate().max_by_key(|(_, time)| (time.end, time.in_vain == 0));
        PathWalk { jumps: jumps.backward(times.len()), times, next: last.map(|(rank, time)| (rank, time.end)) }
    }

    /// Time of the event that a jump leads to; for an event that never happened, the end of its rank.
    fn cause_at(&self, jump: &Jump) -> i64 {
        match jump.cause_at {
            NEVER => self.times[jump.cause_rank as usize].end.min(jump.end - 1),
            at => at,
        }
    }
}

impl Iterator for PathWalk<'_> {
    type Item = PathSegment;

    fn next(&mut self) -> Option<PathSegment> {
        let (rank, to) = self.next?;
        let begin = self.times[rank].begin;
        // The path only goes back in time.
        let jump = self.jumps.take(rank, |jump| jump.end > to);
        self.next = jump.map(|jump| (jump.cause_rank as usize, self.cause_at(&jump)));
        // Ignores a jump that goes forward by the clocks, or before the rank's begin.
        self.next = self.next.filter(|(_, at)| *at < to && *at > begin);
        let from = self.next.map_or(begin, |(_, at)| at);
        Some(PathSegment { rank: rank as u64, from: from.min(to), to })
    }
}

/// The parts of a segment that are selected, latest first.
fn shared(segment: PathSegment, asked: &[(i64, i64)]) -> impl Iterator<Item = PathSegment> {
    let first = asked.partition_point(|(_, to)| *to <= segment.from);
    let last = asked.partition_point(|(from, _)| *from < segment.to);
    asked[first..last.max(first)].iter().rev().map(move |(from, to)| PathSegment {
        from: segment.from.max(*from),
        to: segment.to.min(*to),
        ..segment
    })
}

/// The times of all ranks by call site.
fn by_site(ranks: Vec<Sums>) -> FxHashMap<PathSite, Time> {
    let mut times: FxHashMap<PathSite, Time> = FxHashMap::default();
    for (rank, sums) in ranks.into_iter().enumerate() {
        let mut add = |site: PathSite, (total, on_path): (i64, i64), is_open: bool| {
            let time = times.entry(site).or_default();
            time.is_open |= is_open;
            time.total.grow(total);
            if on_path > 0 {
                time.on_path.insert(rank as u32, on_path);
            }
        };
        for (at, sum) in sums.calls.into_iter().filter(|(_, sum)| *sum != (0, 0)) {
            add(PathSite::In(at), sum, sums.open == Some(at));
        }
        for ((from, to), sum) in sums.between.into_iter().filter(|(_, sum)| *sum != (0, 0)) {
            add(PathSite::Between(from, to), sum, false);
        }
    }
    times
}

/// A path and the selection, by rank.
pub struct PathParts {
    on: Sorted<PathSegment>,
    stretches: u64,
    ranks: FxHashMap<u32, i64>,
    /// The selected part of each rank's time; `None` for all of it.
    asked: Vec<Option<Vec<(i64, i64)>>>,
}

impl PathParts {
    /// Finds the selected parts of the path. Uses up the account's jumps.
    pub fn of(run: &Run, settled: &mut Settled) -> PathParts {
        let Settled { account, common_clock, .. } = settled;
        let asked = |at: usize| {
            let rank = &run.ranks[at];
            rank.selection.as_ref().map(|_| common_clock.lines[at].selected(rank, rank.first_thread()))
        };
        let asked: Vec<_> = (0..run.ranks.len()).map(asked).collect();
        let (mut on, mut stretches, mut ranks) = (Spill::new(run.ranks.len()), 0, FxHashMap::<u32, i64>::default());
        for segment in PathWalk::new(&std::mem::take(&mut account.jumps), &account.times) {
            // Without a selection a segment counts even if it has no length.
            let whole = [(i64::MIN, i64::MAX)];
            for part in shared(segment, asked[segment.rank as usize].as_deref().unwrap_or(&whole)) {
                stretches += 1;
                ranks.entry(part.rank as u32).or_default().grow(part.to - part.from);
                on.add([part]);
            }
        }
        PathParts { on: on.finish(), stretches, ranks, asked }
    }

    /// Makes the reader of a rank's first thread.
    pub fn reader(&self, rank: &Rank, line: &ClockLine, at: usize) -> PathReader<'_> {
        let site = if rank.fate == ProcessFate::Runs { CallSites::NOW } else { CallSites::THE_END };
        let end = (!rank.is_finalized()).then(|| (site, line.nanoseconds_at(rank.until)));
        // The path was followed back, so the earliest parts came last.
        let rest = Box::new(self.on.runs(at).rev().flatten().map(|segment| (segment.from, segment.to)));
        PathReader {
            on: SpansAhead::default(),
            rest,
            asked: self.asked[at].as_deref(),
            end,
            last: None,
            sums: Sums::default(),
        }
    }

    /// Combines the sums of all ranks' readers into the path.
    pub fn finish(self, sums: Vec<Sums>) -> CriticalPath {
        CriticalPath { stretches: self.stretches, ranks: self.ranks, places: by_site(sums) }
    }
}

/// Adds up a rank's time by call site, and the share of it on the path.
pub struct PathReader<'a> {
    on: SpansAhead,
    /// Later parts of the path.
    rest: Box<dyn Iterator<Item = (i64, i64)> + Send + 'a>,
    /// Selected parts that are not over yet; `None` without a selection.
    asked: Option<&'a [(i64, i64)]>,
    /// Site of what follows the last call, and the time at which the rank ends.
    end: Option<(u32, i64)>,
    /// Site and end of the last call.
    last: Option<(u32, i64)>,
    sums: Sums,
}

impl PathReader<'_> {
    pub fn call(&mut self, call: &TimedCall, role: &Role) {
        let site = role.place.number() as u32;
        self.compute(site, call.start);
        let time = self.time((call.start, call.end));
        add(self.sums.calls.entry(site).or_default(), time);
        self.last = Some((site, call.end));
        if call.open {
            self.sums.open = Some(site);
        }
    }

    pub fn finish(mut self) -> Sums {
        if let Some((site, end)) = self.end {
            self.compute(site, end);
        }
        self.sums
    }

    /// Adds the computation between the last call and what follows at `site`.
    fn compute(&mut self, site: u32, until: i64) {
        if let Some((last, from)) = self.last.filter(|(_, from)| *from < until) {
            let time = self.time((from, until));
            add(self.sums.between.entry((last, site)).or_default(), time);
        }
    }

    /// The selected part of a time, and its part on the path.
    fn time(&mut self, (from, to): (i64, i64)) -> (i64, i64) {
        let all = self.asked.as_mut().map_or(to - from, |asked| shared_time(asked, (from, to)));
        self.on.add_until(&mut self.rest, to);
        (all, self.on.shared_time((from, to)))
    }
}

fn add(sum: &mut (i64, i64), (all, on_path): (i64, i64)) {
    sum.0.grow(all);
    sum.1.grow(on_path);
}
