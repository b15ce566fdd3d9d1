//! Parts of the program that kept ranks waiting: who is late there, and how often.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Evidence;
use crate::scheduling::scheduled;
use crate::totals::{seconds, world_rank};
use crate::words::site_in_words;
use model::matching::{WaitKey, WaitState};
use model::origins::{Activity, ActivityTimes, WaitOrigins};
use model::roles::CallSite;
use model::shared_walk::SharedWalk;
use model::sums::Grow;
use model::{Rank, Run};
use tables::WorldRank;

/// Ranks that cause this share of the waiting are the ones to name.
const MOST_OF_IT: f64 = 0.8;
/// An activity that costs less than this share of the run is not judged by itself.
const LEAST_SHARE: f64 = 0.005;

/// A way to a call is minor if less than this share of the waiting is for it.
const MINOR: f64 = 0.25;

/// The scheduler's part of a rank's lateness is an estimate: a smaller rest is not told from none.
const UNSURE: f64 = 0.25;

/// One activity, and how late which ranks are there.
pub struct LateActivity<'a> {
    pub known: &'a Evidence<'a>,
    walk: &'a SharedWalk,
    pub activity: Activity,
    /// All ranks' times there, by their places in the run; those that others waited for most come first.
    pub ranks: Vec<(u32, &'a ActivityTimes)>,
    /// By the rank's place in the run, the part of its lateness that is its own and not the scheduler's.
    own: Rc<[[f64; 2]]>,
    /// Rank time that others waited, less the scheduler's part, also where a minor way led to the same call.
    pub blamed: i64,
}

/// Activities that ranks wait for, the costliest first.
pub fn late_activities<'a>(known: &'a Evidence<'a>) -> Vec<LateActivity<'a>> {
    let Some(walk) = known.walk else { return Vec::new() };
    let mut by_activity: BTreeMap<Activity, Vec<(u32, &ActivityTimes)>> = BTreeMap::new();
    for ((rank, activity), times) in &walk.origins.activities {
        by_activity.entry(*activity).or_default().push((*rank, times));
    }
    let own: Rc<[[f64; 2]]> = own_shares(known.run, &walk.origins).into();
    let mut late: Vec<LateActivity<'_>> = Vec::new();
    for (activity, mut ranks) in by_activity {
        ranks.sort_by_key(|(rank, times)| (std::cmp::Reverse(own_part(&own, activity, *rank, times)), *rank));
        let blamed = ranks.iter().map(|(rank, times)| own_part(&own, activity, *rank, times)).sum();
        late.push(LateActivity { known, walk, activity, ranks, own: own.clone(), blamed });
    }
    join_minor_ways(&mut late);
    late.retain(|late| late.costs() >= LEAST_SHARE * known.wall() && late.blamed > 0);
    late.sort_by_key(|late| std::cmp::Reverse(late.blamed));
    late
}

/// For computation and for calls, the share of each rank's lateness that the time in which it was ready but did not run cannot
/// explain: nobody is to blame for what the scheduler did.
fn own_shares(run: &Run, origins: &WaitOrigins) -> Vec<[f64; 2]> {
    let mut waited_for = vec![[0i64; 2]; run.ranks.len()];
    for ((rank, activity), times) in &origins.activities {
        waited_for[*rank as usize][kind_of(*activity)].grow(times.waited_for);
    }
    let share = |(rank, waited_for): (&Rank, [i64; 2])| {
        let scheduled = scheduled(rank);
        let delays = scheduled.map_or([0.0; 2], |one| [one.work_delay, one.delay - one.work_delay]);
        let own = |kind: usize| 1.0 - delays[kind] / seconds(waited_for[kind]).max(f64::MIN_POSITIVE);
        [0, 1].map(|kind| if own(kind) < UNSURE { 0.0 } else { own(kind).min(1.0) })
    };
    run.ranks.iter().zip(waited_for).map(share).collect()
}

/// 0 for computation, 1 for calls.
fn kind_of(activity: Activity) -> usize {
    usize::from(matches!(activity, Activity::In(_)))
}

/// Rank time that others waited for a rank's own lateness.
fn own_part(own: &[[f64; 2]], activity: Activity, rank: u32, times: &ActivityTimes) -> i64 {
    (times.blamed as f64 * own[rank as usize][kind_of(activity)]) as i64
}

/// Computation that a loop's first step reaches by another call is the loop's: it counts with the way that most waiting is for.
fn join_minor_ways(late: &mut Vec<LateActivity<'_>>) {
    late.sort_by_key(|late| std::cmp::Reverse(late.blamed));
    let mut main: BTreeMap<u32, usize> = BTreeMap::new();
    let mut joined: Vec<LateActivity<'_>> = Vec::new();
    for one in late.drain(..) {
        let Activity::Between(_, to) = one.activity else {
            joined.push(one);
            continue;
        };
        match main.get(&to).map(|at| &mut joined[*at]) {
            Some(main) if (one.blamed as f64) < MINOR * main.blamed as f64 => main.blamed.grow(one.blamed),
            Some(_) => joined.push(one),
            None => {
                main.insert(to, joined.len());
                joined.push(one);
            }
        }
    }
    *late = joined;
}

impl LateActivity<'_> {
    /// The mean rank's time that the waiting costs, seconds.
    pub fn costs(&self) -> f64 {
        self.known.mean(self.blamed)
    }

    /// Rank time that others waited, with the scheduler's part.
    pub fn waited(&self) -> i64 {
        self.ranks.iter().map(|(_, times)| times.blamed).sum()
    }

    /// Ranks that nearly all of the waiting is for, the one with the most first.
    pub fn culprits(&self) -> &[(u32, &ActivityTimes)] {
        let part = |(rank, times): &(u32, &ActivityTimes)| own_part(&self.own, self.activity, *rank, times);
        let all: i64 = self.ranks.iter().map(part).sum();
        let mut seen = 0i64;
        for (at, one) in self.ranks.iter().enumerate() {
            seen.grow(part(one));
            if seen as f64 >= MOST_OF_IT * all as f64 {
                return &self.ranks[..=at];
            }
        }
        &self.ranks
    }

    /// Times of ranks that are not culprits.
    pub fn others(&self) -> &[(u32, &ActivityTimes)] {
        &self.ranks[self.culprits().len()..]
    }

    pub fn run(&self) -> &Run {
        self.known.run
    }

    pub fn world_ranks(&self, ranks: &[(u32, &ActivityTimes)]) -> Vec<WorldRank> {
        let mut places: Vec<u32> = ranks.iter().map(|(rank, _)| *rank).collect();
        places.sort_unstable();
        places.iter().map(|rank| world_rank(&self.run().ranks[*rank as usize])).collect()
    }

    /// The waits that led here, by their state.
    pub fn states(&self) -> BTreeMap<WaitState, i64> {
        let mut states: BTreeMap<WaitState, i64> = BTreeMap::new();
        for (wait, time) in self.ranks.iter().flat_map(|(_, times)| &times.waits) {
            states.entry(wait.state).or_default().grow(*time);
        }
        states
    }

    /// The wait with the most time that led here.
    pub fn main_wait(&self) -> Option<WaitKey> {
        let waits = self.ranks.iter().flat_map(|(_, times)| &times.waits);
        waits.max_by_key(|(wait, time)| (**time, **wait)).map(|(wait, _)| *wait)
    }

    /// The call site of a place of an account's wait.
    pub fn site_of_wait(&self, number: usize) -> Option<&CallSite> {
        self.known.account?.places.get(number)
    }

    pub fn site(&self, number: u32) -> &CallSite {
        &self.walk.sites[number as usize]
    }

    /// `between MPI_Gather at p.c:3 and MPI_Bcast at p.c:6`.
    pub fn place(&self) -> String {
        match self.activity {
            Activity::Between(from, to) if from == to => {
                format!("between two calls of {}", site_in_words(self.site(from)))
            }
            Activity::Between(from, to) => {
                format!("between {} and {}", site_in_words(self.site(from)), site_in_words(self.site(to)))
            }
            Activity::In(site) => format!("in {}", site_in_words(self.site(site))),
        }
    }

    /// The call sites that it is named by, the later one first: that is the line that the others wait for.
    pub fn sites(&self) -> Vec<String> {
        let numbers = match self.activity {
            Activity::Between(from, to) if from == to => vec![from],
            Activity::Between(from, to) => vec![to, from],
            Activity::In(site) => vec![site],
        };
        numbers.into_iter().map(|number| self.site(number).site.clone()).filter(|site| !site.is_empty()).collect()
    }
}
