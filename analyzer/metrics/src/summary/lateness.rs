//! Finds parts of the program that kept ranks waiting, the late ranks there, and the number of cases.

use super::limits::limits;
use std::collections::BTreeMap;

use super::finding::LEAST_SHARE_OF_JITTER;
use super::{Evidence, activity_places};
use crate::median::lower_median;
use crate::scheduling::scheduled;
use crate::totals::{seconds, world_rank};
use model::Run;
use model::attribution::Spent;
use model::habits::SiteHabits;
use model::matching::{RankSite, WaitKey, WaitState};
use model::origins::{Activity, ActivityTimes, WaitOrigins};
use model::roles::{CallPart, CallSite};
use model::shared_walk::SharedWalk;
use model::sites::CallTree;
use model::sums::{Grow, Total};
use rustc_hash::{FxHashMap, FxHashSet};
use tables::WorldRank;
use traces::calls::Call;

limits! {
    /// The ranks that cause this share of the waiting are named.
    MOST_OF_IT = 0.8, Least, "of the waits", Convention;
    /// Ranks that are late in this share of the cases are always late.
    STEADY = 0.8, Least, "of the cases", Convention;
    /// An activity that costs less than this share of the run is not judged by itself.
    LEAST_SHARE_OF_ACTIVITY = 0.005, Least, "of the run", Convention;
    /// All ranks compute about as long if none takes this many times as long as another.
    EVEN = 1.25, Most, "times", Convention;
    /// A way to a call is minor if less than this share of the waiting is for it.
    MINOR = 0.25, Most, "of the waits", Convention;
    /// Fewer cases are no pattern: a rank may have left MPI_Init late, or may have been kept from its core for long.
    LEAST_CASES = 4, Least, "cases", Convention;
    /// Their least share of the run where ranks share cores and the late one may have lacked its own: the scheduler keeps each rank from its
    /// core for long now and then.
    MUCH_OF_SHARED = 0.2, Least, "of the run", Measured;
    /// A call follows at once if the time before it is at most this share of the wait in the one before.
    AT_ONCE = 0.1, Most, "of the wait", Convention;
    /// Least share of the waiting that is in receives from any source; at the end of a step, others wait for the last rank, too.
    FROM_ANY = 0.9, Least, "of the waits", Convention;
    /// A rank with this share of the critical path is the bottleneck: only less work there makes the run much shorter. So is one that
    /// computes for this share of the run, and clearly longer than all others.
    BOTTLENECK = 0.8, Least, "of the path", Convention;
    /// The scheduler's part of a rank's lateness is an estimate: a smaller rest counts as none.
    UNSURE = 0.25, Least, "of its lateness", Convention;
    /// Ranks with even work differ by a few percent: less work beyond that of others counts as none.
    UNEVEN = 0.1, Least, "of the usual work", Convention;
}

/// Figures that all activities share.
pub struct LateContext<'a> {
    pub known: &'a Evidence<'a>,
    walk: &'a SharedWalk,
    /// By the rank's place in the run, the parts of its lateness by computation and by calls that are its own and not the scheduler's.
    own: Vec<[f64; 2]>,
    /// The functions that ranks were sampled in, if they were.
    pub sampled: Option<CallTree>,
    /// The place in the run of the rank whose work sets the run's length.
    bottleneck: Option<u32>,
}

impl<'a> LateContext<'a> {
    pub fn of(known: &'a Evidence<'a>, walk: &'a SharedWalk) -> Self {
        let is_sampled = known.run.asked().any(|rank| rank.samples.period > 0);
        let sampled = is_sampled.then(|| CallTree::of(&known.run.sites, &known.run.ranks));
        LateContext { known, walk, own: own_shares(known, walk), bottleneck: bottleneck(known, walk), sampled }
    }

    /// Rank time that others waited for a rank's own lateness.
    fn own_part(&self, activity: Activity, (rank, times): &(u32, &ActivityTimes)) -> i64 {
        (times.blamed as f64 * self.own[*rank as usize][usize::from(activity.is_call())]) as i64
    }
}

/// The share of each rank's lateness by computation, and by calls, that is its own for certain: what remains if all its delays hit while others
/// waited, or its work beyond the usual, whichever is more. No rank is to blame for the scheduler.
fn own_shares(known: &Evidence, walk: &SharedWalk) -> Vec<[f64; 2]> {
    let mut waited_for = vec![[0i64; 2]; known.work().len()];
    for ((rank, activity), times) in &walk.origins.activities {
        waited_for[*rank as usize][usize::from(activity.is_call())].grow(times.waited_for);
    }
    let usual = lower_median(known.work().iter().copied());
    let told = |time: f64, least: f64| if time < least { 0.0 } else { time };
    let share = |waited: i64, delay: f64, more: f64| {
        let waited = seconds(waited).max(f64::MIN_POSITIVE);
        (told(waited - delay, UNSURE.get() * waited).max(more) / waited).min(1.0)
    };
    let ranks = known.run.ranks.iter().zip(known.work()).zip(known.delays_in_calls()).zip(waited_for);
    let shares = ranks.map(|(((rank, work), in_calls), [computing, calling])| {
        let delay = scheduled(rank).map_or(0.0, |scheduled| scheduled.most_work_delay);
        let more = told(work - usual, UNEVEN.get() * usual);
        [share(computing, delay, more), share(calling, in_calls, 0.0)]
    });
    shares.collect()
}

fn bottleneck(known: &Evidence, walk: &SharedWalk) -> Option<u32> {
    let on_path = &walk.path.ranks;
    let path = on_path.values().copied().total() as f64;
    if let Some((rank, most)) = on_path.iter().max_by_key(|(_, time)| **time)
        && *most as f64 >= BOTTLENECK.get() * path
    {
        return Some(*rank);
    }
    let mut work: Vec<(f64, u32)> = known.work().iter().copied().zip(0..).collect();
    work.sort_by(|a, b| b.0.total_cmp(&a.0));
    let [(most, rank), (next, _), ..] = work[..] else { return None };
    (most >= BOTTLENECK.get() * known.wall() && most >= EVEN.get() * next).then_some(rank)
}

/// One activity, and the lateness of the ranks there.
pub struct LateActivity<'a> {
    pub context: &'a LateContext<'a>,
    pub known: &'a Evidence<'a>,
    pub activity: Activity,
    /// All ranks' times there, by their places in the run: the culprits, then those that others waited for most.
    pub ranks: Vec<(u32, &'a ActivityTimes)>,
    culprits: usize,
    /// Rank time that others waited, less the scheduler's part, including minor ways to the same call.
    pub blamed: i64,
}

/// Activities that ranks wait for by these origins, the costliest first.
pub fn late_activities<'a>(context: &'a LateContext<'a>, origins: &'a WaitOrigins) -> Vec<LateActivity<'a>> {
    let known = context.known;
    let mut by_activity: BTreeMap<Activity, Vec<(u32, &ActivityTimes)>> = BTreeMap::new();
    for ((rank, activity), times) in &origins.activities {
        by_activity.entry(*activity).or_default().push((*rank, times));
    }
    let mut late: Vec<LateActivity<'_>> = Vec::new();
    for (activity, mut ranks) in by_activity {
        ranks.sort_by_key(|one| (std::cmp::Reverse(context.own_part(activity, one)), one.0));
        let blamed = ranks.iter().map(|one| context.own_part(activity, one)).sum();
        let mut one = LateActivity { context, known, activity, ranks, culprits: 0, blamed };
        one.name_culprits();
        late.push(one);
    }
    join_minor_ways(&mut late);
    late.retain(|late| late.costs() >= LEAST_SHARE_OF_ACTIVITY.get() * known.wall() && late.blamed > 0);
    late.retain(|late| late.cases() >= LEAST_CASES.count() || late.costs() >= late.much_for_few_cases() * known.wall());
    late.sort_by_key(|late| std::cmp::Reverse(late.blamed));
    late
}

/// Joins minor ways to a call with the main one: computation that a loop's first step reaches by another call belongs to the loop.
fn join_minor_ways(late: &mut Vec<LateActivity<'_>>) {
    late.sort_by_key(|late| std::cmp::Reverse(late.blamed));
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    let mut joined: Vec<LateActivity<'_>> = Vec::new();
    for one in late.drain(..) {
        let at = one.later().map_or(joined.len(), |site| *first.entry(site).or_insert(joined.len()));
        match joined.get_mut(at) {
            Some(main) if (one.blamed as f64) < MINOR.get() * main.blamed as f64 => main.blamed.grow(one.blamed),
            _ => joined.push(one),
        }
    }
    *late = joined;
}

impl<'a> LateActivity<'a> {
    /// The least share of the run that a few cases must cost.
    fn much_for_few_cases(&self) -> f64 {
        let may_lack_cores = self.known.lacks_cores() && self.share_spent(Spent::OffCore) > UNSURE.get();
        if may_lack_cores { MUCH_OF_SHARED.get() } else { LEAST_SHARE_OF_JITTER.get() }
    }

    /// The mean rank's time that the waiting costs, seconds.
    pub fn costs(&self) -> f64 {
        self.known.mean(self.blamed)
    }

    /// Rank time that others waited, with the scheduler's part.
    pub fn waited(&self) -> i64 {
        self.ranks.iter().map(|(_, times)| times.blamed).sum()
    }

    /// The share of the waiting for these ranks, of which there is some, that the scheduler does not explain.
    pub fn own_share(&self, ranks: &[(u32, &ActivityTimes)]) -> f64 {
        let (mut own, mut all) = (0.0, 0.0);
        for one in ranks {
            own += self.context.own_part(self.activity, one) as f64;
            all += one.1.blamed as f64;
        }
        own / all
    }

    /// The share of the time in which others waited for the culprits that these spent in one way, by the attribution.
    pub fn share_spent(&self, spent: Spent) -> f64 {
        let (mut all, mut part) = (0i64, 0i64);
        let is_culprit = |rank: u32| self.culprits().iter().any(|(one, _)| *one == rank);
        for (key, wait) in &self.context.walk.attribution.causes {
            if key.late.place == Some(self.activity) && is_culprit(key.rank) {
                all.grow(wait.time);
                if key.late.spent == spent {
                    part.grow(wait.time);
                }
            }
        }
        part as f64 / all.max(1) as f64
    }

    /// Puts the culprits first: the ranks that cause nearly all of the waiting, the one with the most first. If some of them compute
    /// longer than ranks that are not among them, only these: the others are waited for while they do what every rank does.
    fn name_culprits(&mut self) {
        let part = |one: &(u32, &ActivityTimes)| self.context.own_part(self.activity, one);
        let all: i64 = self.ranks.iter().map(part).sum();
        let mut seen = 0i64;
        self.culprits = self.ranks.len();
        for (at, one) in self.ranks.iter().enumerate() {
            seen.grow(part(one));
            if seen as f64 >= MOST_OF_IT.get() * all as f64 {
                self.culprits = at + 1;
                break;
            }
        }
        // The work of the few that are left says nothing, and calls are no work.
        let is_few = 2 * self.culprits <= self.ranks.len() && matches!(self.activity, Activity::Between(..));
        let Some(usual) = self.mean_work_of_rest().filter(|_| is_few) else { return };
        let longer = |one: &(u32, &ActivityTimes)| self.work(one) - usual >= UNSURE.get() * seconds(one.1.waited_for);
        let (longer, like_others): (Vec<_>, Vec<_>) = self.culprits().iter().copied().partition(longer);
        if !longer.is_empty() {
            let others = self.others().to_vec();
            self.culprits = longer.len();
            self.ranks = [longer, like_others, others].concat();
        }
    }

    /// Ranks that cause the waiting, the one with the most first.
    pub fn culprits(&self) -> &[(u32, &'a ActivityTimes)] {
        &self.ranks[..self.culprits]
    }

    /// True if the culprits answer there whoever asks: they have received from any rank, and send.
    pub fn is_answer(&self) -> bool {
        let Activity::Between(asked, answered) = self.activity else { return false };
        let habits = |rank: u32, site: u32| self.context.walk.habits.get(&(rank, site));
        let is_asked = |rank: u32| habits(rank, asked).is_some_and(|habits| habits.from_any);
        let sends = |rank: u32| {
            habits(rank, answered).is_some_and(|habits| matches!(habits.part, CallPart::Message { sends: true, .. }))
        };
        self.culprits().iter().all(|(rank, _)| is_asked(*rank) && sends(*rank))
    }

    /// True if the only culprit is the rank whose work sets the run's length.
    pub fn is_bottleneck(&self) -> bool {
        let [(rank, _)] = self.culprits() else { return false };
        self.context.bottleneck == Some(*rank)
    }

    /// True if all ranks come there.
    pub fn is_common(&self) -> bool {
        self.ranks.len() == self.known.ranks()
    }

    /// The site before which the ranks are late, if they compute.
    pub fn later(&self) -> Option<u32> {
        if let Activity::Between(_, to) = self.activity { Some(to) } else { None }
    }

    /// The call before which the ranks are late, if they compute.
    pub fn later_call(&self) -> Option<Call> {
        self.known.run.call_sites()[self.later()? as usize].call()
    }

    /// True if the ranks compute between two polls at one line.
    pub fn is_between_polls(&self) -> bool {
        matches!(self.activity, Activity::Between(from, to) if from == to) && self.later_call().is_some_and(Call::polls)
    }

    /// True if the ranks hold the lock of a window meanwhile.
    pub fn is_under_lock(&self) -> bool {
        self.later_call().is_some_and(|call| matches!(call, Call::Win_unlock))
    }

    /// Ranks that waited.
    pub fn waiters(&self) -> Vec<WorldRank> {
        let waits = self.ranks.iter().flat_map(|(_, times)| times.waits.keys());
        let mut places: Vec<u32> = waits.map(|wait| wait.waiter.rank).collect();
        places.sort_unstable();
        places.dedup();
        places.iter().map(|rank| world_rank(&self.run().ranks[*rank as usize])).collect()
    }

    /// Seconds that a rank computes: there or, if some ranks do not come there, in all.
    fn work(&self, (rank, times): &(u32, &ActivityTimes)) -> f64 {
        if self.is_common() { seconds(times.total) } else { self.known.work()[*rank as usize] }
    }

    /// True if all ranks compute about as long in all.
    pub fn is_even(&self) -> bool {
        let work = || self.known.work().iter().copied();
        work().fold(0.0, f64::max) <= EVEN.get() * work().fold(f64::INFINITY, f64::min)
    }

    /// The mean work of ranks that are no culprits; `None` if all are.
    fn mean_work_of_rest(&self) -> Option<f64> {
        let all = self.known.work().len();
        let rest = all.checked_sub(self.culprits).filter(|rest| *rest > 0)?;
        let alike = self.others_as_often();
        if !alike.is_empty() {
            let work: f64 = alike.iter().map(|one| self.work(one)).sum();
            return Some(work / alike.len() as f64);
        }
        let named: FxHashSet<u32> = self.culprits().iter().map(|(rank, _)| *rank).collect();
        let others = (0..all as u32).filter(|rank| !named.contains(rank));
        let work: f64 = others.map(|rank| self.known.work()[rank as usize]).sum();
        Some(work / rest as f64)
    }

    /// The other ranks that do this work, too. Those that come there less than half as often do other work, as a rank does that gathers
    /// what all others compute: how long theirs takes says nothing.
    pub fn others_as_often(&self) -> Vec<&(u32, &'a ActivityTimes)> {
        let count: u64 = self.culprits().iter().map(|(_, times)| times.count).total();
        let often = |times: &ActivityTimes| 2 * times.count * self.culprits as u64 >= count;
        self.others().iter().filter(|(_, times)| self.is_common() || often(times)).collect()
    }

    /// Seconds that the mean culprit computes, and the mean of the ranks that it is compared with.
    pub fn own_and_others_work(&self) -> Option<(f64, f64)> {
        let work: f64 = self.culprits().iter().map(|one| self.work(one)).sum();
        Some((work / self.culprits.max(1) as f64, self.mean_work_of_rest()?))
    }

    /// Seconds that the mean culprit computes beyond the mean of the other ranks; `None` if there are none.
    fn more_work(&self) -> Option<f64> {
        let (own, others) = self.own_and_others_work()?;
        Some(own - others)
    }

    /// True if the culprits compute longer than the others. Otherwise they are late because they came late to that work.
    pub fn has_more_work(&self) -> bool {
        let waited: f64 = self.culprits().iter().map(|(_, times)| seconds(times.waited_for)).sum();
        self.more_work().is_none_or(|more| more >= UNSURE.get() * waited / self.culprits.max(1) as f64)
    }

    /// True if the culprits are late in nearly all cases, or if their work beyond that of the others explains most of the waiting.
    pub fn is_steady(&self) -> bool {
        let waiters = self.known.ranks().saturating_sub(self.culprits);
        let explained = self.more_work().unwrap_or(0.0) * (self.culprits * waiters) as f64;
        self.is_in_all_cases() || explained >= seconds(self.blamed) / 2.0
    }

    /// True if the culprits are late in nearly all cases.
    pub fn is_in_all_cases(&self) -> bool {
        let count: u64 = self.culprits().iter().map(|(_, times)| times.count).total();
        self.cases() as f64 >= STEADY.get() * count as f64
    }

    /// Number of times that others waited for the culprits.
    pub fn cases(&self) -> u64 {
        self.culprits().iter().map(|(_, times)| times.late).sum()
    }

    /// Times of ranks that are not culprits.
    pub fn others(&self) -> &[(u32, &'a ActivityTimes)] {
        &self.ranks[self.culprits..]
    }

    pub fn run(&self) -> &Run {
        self.known.run
    }

    pub fn world_ranks(&self, ranks: &[(u32, &ActivityTimes)]) -> Vec<WorldRank> {
        let mut places: Vec<u32> = ranks.iter().map(|(rank, _)| *rank).collect();
        places.sort_unstable();
        places.iter().map(|rank| world_rank(&self.run().ranks[*rank as usize])).collect()
    }

    /// The waits of this state that led here.
    pub fn waited_in(&self, state: WaitState) -> i64 {
        let waits = self.ranks.iter().flat_map(|(_, times)| &times.waits);
        waits.filter(|(wait, _)| wait.state == state).map(|(_, time)| *time).total()
    }

    /// True if most of the waiting has this state.
    pub fn is_mostly(&self, state: WaitState) -> bool {
        2 * self.waited_in(state) > self.waited()
    }

    /// The wait with the most time that led here.
    pub fn main_wait(&self) -> Option<WaitKey> {
        self.longest_wait(|_| true)
    }

    /// The wait of this state with the most time that led here.
    pub fn main_wait_in(&self, state: WaitState) -> Option<WaitKey> {
        self.longest_wait(|wait| wait.state == state)
    }

    fn longest_wait(&self, counts: impl Fn(&WaitKey) -> bool) -> Option<WaitKey> {
        let waits = self.ranks.iter().flat_map(|(_, times)| &times.waits).filter(|(wait, _)| counts(wait));
        waits.max_by_key(|(wait, time)| (**time, **wait)).map(|(wait, _)| *wait)
    }

    /// True if nearly all of the waiting is that of ranks for whoever sends first, and no rank computes longer there than the others: then
    /// which rank came next is chance.
    pub fn is_for_whoever_comes(&self) -> bool {
        let (mut all, mut from_any) = (0i64, 0i64);
        for (wait, time) in self.ranks.iter().flat_map(|(_, times)| &times.waits) {
            all.grow(*time);
            if self.habits_at(*wait).is_some_and(|habits| habits.from_any) {
                from_any.grow(*time);
            }
        }
        // Whoever is kept from its core takes fewer pieces of work: the time with the delays is what is even.
        let most = self.ranks.iter().map(|(_, times)| times.total).max().unwrap_or(0);
        let mean = self.ranks.iter().map(|(_, times)| times.total).total() as f64 / self.ranks.len().max(1) as f64;
        let is_even = most as f64 <= EVEN.get() * mean;
        // Of two ranks, one that answers waits for the other.
        let is_choice = self.ranks.len() > 1 || self.known.ranks() == 2;
        is_choice && is_even && from_any as f64 >= FROM_ANY.get() * all as f64
    }

    /// The waiting rank's habits at the site where it waited.
    fn habits_at(&self, wait: WaitKey) -> Option<&'a SiteHabits> {
        self.context.walk.habits.get(&(wait.waiter.rank, wait.waiter.place.number() as u32))
    }

    /// True if the rank that waits there waits for the same rank again in the call that it makes next.
    pub fn waits_again_at_once(&self, wait: WaitKey) -> bool {
        let Some(account) = self.known.account() else { return false };
        let (waiter, cause, site) = (wait.waiter.rank, wait.cause.rank, wait.waiter.place.number() as u32);
        let Some(waited) = account.waits.sums.get(&wait) else { return false };
        let each = waited.time as f64 / waited.count.max(1) as f64;
        let mut waits_at: FxHashMap<u32, u64> = FxHashMap::default();
        for (key, sum) in &account.waits.sums {
            if (key.waiter.rank, key.cause.rank) == (waiter, cause) {
                waits_at.entry(key.waiter.place.number() as u32).or_default().grow(sum.count);
            }
        }
        let (mut all, mut again) = (0u64, 0u64);
        for ((rank, activity), times) in &self.context.walk.origins.activities {
            let Activity::Between(from, to) = *activity else { continue };
            if *rank != waiter || from != site {
                continue;
            }
            all.grow(times.count);
            if times.total as f64 <= AT_ONCE.get() * each * times.count as f64
                && 2 * waits_at.get(&to).copied().unwrap_or(0) >= waited.count
            {
                again.grow(times.count);
            }
        }
        2 * again > all
    }

    /// Mean bytes of a message at the waiting call site; 0 for sites that complete messages.
    pub fn bytes_sent(&self, wait: WaitKey) -> Option<u64> {
        let habits = self.habits_at(wait)?;
        Some(habits.bytes / habits.count.max(1))
    }

    /// The call site of a rank that waited, or that others waited for.
    pub fn site_of(&self, at: RankSite) -> &'a CallSite {
        &self.known.run.call_sites()[at.place.number()]
    }

    /// `between MPI_Gather at p.c:3 and MPI_Bcast at p.c:6`.
    pub fn place(&self) -> String {
        activity_places::in_words(self.activity, self.known.run.call_sites())
    }

    /// The lines that name the activity, the later one first.
    pub fn sites(&self) -> Vec<String> {
        activity_places::lines(self.activity, self.known.run.call_sites()).collect()
    }
}
