//! The critical path: the chain of computation and calls, from rank to rank, that set the run's length.
//!
//! In: the waits of a run, as [`Jump`]s. Out: the time on the path, by call site. The path goes back in time from the rank that
//! ends last; where a call waited for another rank, it continues on that rank at the awaited event (Böhme, de Supinski,
//! Geimer, Schulz, Wolf: "Scalable critical-path based performance analysis", 2012).

use rustc_hash::FxHashMap;

use super::common_clock::{ClockLine, CommonClock};
use super::fate::ProcessFate;
use super::matching::{Jump, Links, NEVER, Settled};
use super::rank::End;
use super::roles::{CallSite, CallSites, Role};
use super::selection::LEFT_OUT;
use super::stream::TimedCall;
use super::sums::{Grow, shared_time};
use crate::{Rank, Run};

/// A stretch of the path on one rank, nanoseconds on the run's common clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSegment {
    /// The rank, by place in [`Run::ranks`].
    pub rank: u32,
    pub from: i64,
    pub to: i64,
}

/// A call of the program, or the computation before it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PathSite {
    /// The call, or the call that ended the computation.
    pub place: CallSite,
    /// True for the call, false for the computation.
    pub in_mpi: bool,
}

/// The critical path of a run.
pub struct CriticalPath {
    /// Its selected parts, latest first.
    pub segments: Vec<PathSegment>,
    /// Time on it, by call site.
    pub places: FxHashMap<PathSite, Time>,
}

/// The selected parts of the path, by the jumps of an account, which are used up.
pub fn segments(run: &Run, settled: &mut Settled) -> Vec<PathSegment> {
    let path = path(std::mem::take(&mut settled.account.jumps), &settled.account.links);
    selected(run, &settled.common_clock, path)
}

/// Time at a call site, nanoseconds.
#[derive(Clone, Default, Debug)]
pub struct Time {
    /// Time on the path, by rank.
    pub on_path: FxHashMap<u32, i64>,
    /// Time of all ranks, on the path or not.
    pub total: i64,
    /// Some rank has not returned from the call.
    pub is_open: bool,
}

/// A rank's times by number of the call site, each as (total, on the path), for the computation before the call and the call.
#[derive(Default)]
pub struct Sums {
    times: Vec<[(i64, i64); 2]>,
    /// Call site of the call that has not returned.
    open: Option<usize>,
}

/// Name of the end of a rank that did not finalize MPI.
const THE_END: &str = "the end";
/// Name of the end of a rank that still runs.
const NOW: &str = "now";

/// The path by each rank's jumps, latest first; `links` gives the ends of the ranks.
fn path(mut jumps: Vec<Vec<Jump>>, links: &[Links]) -> Vec<PathSegment> {
    for jumps in jumps.iter_mut().filter(|jumps| !jumps.is_sorted_by_key(|jump| jump.end)) {
        jumps.sort_unstable_by_key(|jump| jump.end);
    }
    // Among ranks that end together, one that does not wait for others.
    let last = links.iter().enumerate().max_by_key(|(_, links)| (links.end, links.in_vain == 0));
    let Some((mut rank, mut to)) = last.map(|(rank, links)| (rank, links.end)) else { return Vec::new() };
    let mut path = Vec::new();
    loop {
        // The path only goes back in time.
        while jumps[rank].pop_if(|jump| jump.end > to).is_some() {}
        // A jump must go back in time, whatever the clocks say.
        let jump = jumps[rank].pop().map(|jump| arrived(jump, links));
        let jump = jump.filter(|jump| jump.cause_at < to && jump.cause_at > links[rank].begin);
        let from = jump.map_or(links[rank].begin, |jump| jump.cause_at);
        path.push(PathSegment { rank: rank as u32, from: from.min(to), to });
        let Some(jump) = jump else { return path };
        (rank, to) = (jump.cause_rank as usize, jump.cause_at);
    }
}

/// The jump to an event that never happened leads to the end of the rank that it was awaited from.
fn arrived(jump: Jump, links: &[Links]) -> Jump {
    match jump.cause_at {
        NEVER => Jump { cause_at: links[jump.cause_rank as usize].end.min(jump.end - 1), ..jump },
        _ => jump,
    }
}

/// The selected parts of a path.
fn selected(run: &Run, common_clock: &CommonClock, path: Vec<PathSegment>) -> Vec<PathSegment> {
    if run.ranks.iter().all(|rank| rank.selection.is_none()) {
        return path;
    }
    let asked: Vec<Vec<(i64, i64)>> = (0..run.ranks.len()).map(|rank| of_rank(run, common_clock, rank)).collect();
    let shared = |stretch: &PathSegment| {
        let asked = asked[stretch.rank as usize].as_slice();
        let first = asked.partition_point(|(_, to)| *to <= stretch.from);
        let last = asked.partition_point(|(from, _)| *from < stretch.to);
        let one = |(from, to): &(i64, i64)| PathSegment {
            from: stretch.from.max(*from),
            to: stretch.to.min(*to),
            rank: stretch.rank,
        };
        asked[first..last.max(first)].iter().rev().map(one).collect::<Vec<_>>()
    };
    path.iter().flat_map(shared).collect()
}

/// The selected parts of a rank's time.
fn of_rank(run: &Run, common_clock: &CommonClock, rank: usize) -> Vec<(i64, i64)> {
    let first = run.ranks[rank].threads.first().map_or(0, |thread| thread.number);
    let mut asked: Vec<(i64, i64)> = Vec::new();
    let mut open = false;
    for (at, part) in run.ranks[rank].stretches(first) {
        let at = if *at == 0 { i64::MIN } else { common_clock.lines[rank].nanoseconds_at(*at) };
        if let Some((_, to)) = asked.last_mut().filter(|_| open) {
            *to = at;
        }
        open = *part != LEFT_OUT;
        if open {
            asked.push((at, i64::MAX));
        }
    }
    asked
}

/// The times of all ranks by call site; the sums name sites by number.
pub fn by_site(ranks: Vec<Sums>, sites: &[CallSite]) -> FxHashMap<PathSite, Time> {
    let mut times: FxHashMap<PathSite, Time> = FxHashMap::default();
    for (rank, sums) in ranks.into_iter().enumerate() {
        let Sums { times: sums, open } = sums;
        let sums = sums.into_iter().zip(sites).flat_map(|(sums, place)| sums.map(|sum| (place, sum)));
        for (at, (place, (total, on_path))) in sums.enumerate().filter(|(_, (_, sum))| *sum != (0, 0)) {
            let time = times.entry(PathSite { place: place.clone(), in_mpi: at % 2 == 1 }).or_default();
            time.is_open |= at % 2 == 1 && open == Some(at / 2);
            time.total.grow(total);
            if on_path > 0 {
                time.on_path.insert(rank as u32, on_path);
            }
        }
    }
    times
}

/// A path and the selection, by rank.
pub struct PathParts {
    /// Earliest first.
    on: Vec<Vec<(i64, i64)>>,
    /// The selected part of each rank's time; `None` for all of it.
    asked: Vec<Option<Vec<(i64, i64)>>>,
}

impl PathParts {
    pub fn of(run: &Run, common_clock: &CommonClock, path: &[PathSegment]) -> PathParts {
        let mut on: Vec<Vec<(i64, i64)>> = run.ranks.iter().map(|_| Vec::new()).collect();
        for segment in path.iter().rev() {
            on[segment.rank as usize].push((segment.from, segment.to));
        }
        let asked = |at: usize| run.ranks[at].selection.as_ref().map(|_| of_rank(run, common_clock, at));
        PathParts { on, asked: (0..run.ranks.len()).map(asked).collect() }
    }

    /// The reader of a rank's first thread; `sites` gets the name of what follows the last call.
    pub fn reader(&self, rank: &Rank, line: &ClockLine, at: usize, sites: &CallSites) -> PathReader<'_> {
        let has_end = !matches!(rank.end, End::Finalized);
        let name = if rank.fate == ProcessFate::Runs { NOW } else { THE_END };
        let end = has_end.then(|| (sites.add(name), line.nanoseconds_at(rank.until)));
        PathReader { on: &self.on[at], asked: self.asked[at].as_deref(), end, last: None, sums: Sums::default() }
    }
}

/// Adds up a rank's time by call site, and the share of it on the path.
pub struct PathReader<'a> {
    /// Parts of the path that are not over.
    on: &'a [(i64, i64)],
    /// Selected parts that are not over; `None` without a selection.
    asked: Option<&'a [(i64, i64)]>,
    /// Site of what follows the last call, and the time at which the rank ends.
    end: Option<(usize, i64)>,
    /// End of the last call.
    last: Option<i64>,
    sums: Sums,
}

impl PathReader<'_> {
    pub fn call(&mut self, call: &TimedCall, role: &Role) {
        let site = role.place.number();
        if let Some(last) = self.last.filter(|last| *last < call.start) {
            self.add(site, (last, call.start), false);
        }
        self.add(site, (call.start, call.end), true);
        self.last = Some(call.end);
        if call.open {
            self.sums.open = Some(site);
        }
    }

    pub fn finish(mut self) -> Sums {
        if let (Some(last), Some((site, end))) = (self.last, self.end)
            && last < end
        {
            self.add(site, (last, end), false);
        }
        self.sums
    }

    fn add(&mut self, site: usize, (from, to): (i64, i64), in_mpi: bool) {
        let sums = &mut self.sums.times;
        if sums.len() <= site {
            sums.resize(site + 1, Default::default());
        }
        let all = self.asked.as_mut().map_or(to - from, |asked| shared_time(asked, (from, to)));
        let on_path = shared_time(&mut self.on, (from, to));
        let sum = &mut sums[site][usize::from(in_mpi)];
        sum.0.grow(all);
        sum.1.grow(on_path);
    }
}
