//! Ranks that only serve: they wait for messages nearly all the time and compute little, and no rank waits for them, like the master
//! of a farm or a rank that writes output.
//!
//! In: the origins of waiting. Out: those ranks, the origins without their waits, and a finding. Nothing that other ranks do could
//! make use of their time, so no rank is to blame for their waits.

use super::limits::limits;
use std::borrow::Cow;

use super::{Evidence, Finding, FindingKind, LEAST_SHARE_OF_RUN};
use crate::totals::{seconds, world_rank};
use crate::words::{ranks_in_words, site_in_words, upper, verb};
use model::Rank;
use model::matching::{WaitKey, WaitState};
use model::origins::{ActivityTimes, WaitOrigins};
use model::roles::CallSite;
use model::sums::{Grow, Total};
use rustc_hash::FxHashMap;
use tables::WorldRank;

limits! {
    /// At most one rank in this many serves, if it knows whose message comes next: where more wait nearly always, the work is what is wrong, and of
    /// two ranks one that waits for the other is half of the run. One that takes whatever comes is made to serve.
    MOST_RANKS = 3, Least, "ranks", Convention;
    /// Share of its time that a serving rank waits.
    LEAST_WAITING = 0.8, Least, "of its time", Convention;
    /// Share of its waiting that is for messages.
    FOR_MESSAGES = 0.9, Least, "of its waits", Convention;
    /// Its computation is at most this share of what the others compute on average.
    MOST_WORK = 0.2, Most, "of the others' mean", Convention;
}

/// The waits of one rank, and those of others for it, nanoseconds.
#[derive(Default)]
struct Waits {
    all: i64,
    for_messages: i64,
    longest: Option<(i64, WaitKey)>,
    /// Waits of others for this rank, whether it computes meanwhile or waits itself.
    waited_for: i64,
    /// Waits in calls that have not returned.
    open: i64,
}

/// The serving ranks, by their places in the run, in order.
pub struct ServingRanks<'a> {
    known: &'a Evidence<'a>,
    ranks: Vec<(u32, Waits)>,
}

pub fn serving_ranks<'a>(known: &'a Evidence<'a>) -> ServingRanks<'a> {
    let mut serving = ServingRanks { known, ranks: Vec::new() };
    let Some(account) = known.account().filter(|_| known.walk.is_some()) else { return serving };
    let all = &known.run.ranks;
    let mut waits: FxHashMap<u32, Waits> = FxHashMap::default();
    for (key, sum) in &account.waits.sums {
        waits.entry(key.waiter.rank).or_default().add(*key, sum.time);
        if key.cause.rank != key.waiter.rank {
            waits.entry(key.cause.rank).or_default().waited_for.grow(sum.time);
        }
        if sum.open > 0 {
            waits.entry(key.waiter.rank).or_default().open.grow(sum.time);
        }
    }
    let open = waits.values().map(|waits| waits.open).total();
    let work_of_all: f64 = known.work().iter().sum();
    for ((place, rank), work) in (0..).zip(all).zip(known.work()) {
        let Some(waits) = waits.remove(&place) else { continue };
        let is_waited_for = known.mean(waits.waited_for(open)) >= LEAST_SHARE_OF_RUN.get() * known.wall();
        let others = (work_of_all - work) / (all.len() as f64 - 1.0).max(1.0);
        if waits.are_of_server(rank) && *work <= MOST_WORK.get() * others && !is_waited_for {
            serving.ranks.push((place, waits));
        }
    }
    let most = if serving.take_whatever_comes() { 2 } else { MOST_RANKS.count() as usize };
    if most * serving.ranks.len() > all.len() {
        serving.ranks.clear();
    }
    serving
}

impl Waits {
    fn add(&mut self, key: WaitKey, time: i64) {
        self.all.grow(time);
        if matches!(key.state, WaitState::LateSender | WaitState::WrongOrder) {
            self.for_messages.grow(time);
        }
        self.longest = self.longest.max(Some((time, key)));
    }

    /// Time for which others may have waited for the rank, given the waits of `all` ranks in calls that have not returned: these may be
    /// for any rank, whichever they name.
    fn waited_for(&self, all: i64) -> i64 {
        self.waited_for.max(all.saturating_sub(self.open))
    }

    fn are_of_server(&self, rank: &Rank) -> bool {
        seconds(self.all) >= LEAST_WAITING.get() * rank.wall()
            && self.for_messages as f64 >= FOR_MESSAGES.get() * self.all as f64
    }
}

impl ServingRanks<'_> {
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// True if each waits longest in a receive from any rank.
    fn take_whatever_comes(&self) -> bool {
        self.ranks.iter().all(|(place, waits)| {
            let site = waits.longest.map(|(_, wait)| wait.waiter.place.number() as u32);
            let habits = self.known.walk.zip(site).and_then(|(walk, site)| walk.habits.get(&(*place, site)));
            habits.is_some_and(|habits| habits.from_any)
        })
    }

    fn serves(&self, place: u32) -> bool {
        self.ranks.binary_search_by_key(&place, |(rank, _)| *rank).is_ok()
    }

    /// The origins of waiting without the waits of serving ranks.
    pub fn without<'o>(&self, origins: &'o WaitOrigins) -> Cow<'o, WaitOrigins> {
        if self.is_empty() {
            return Cow::Borrowed(origins);
        }
        let mut origins = origins.clone();
        for times in origins.activities.values_mut() {
            leave_out(times, |rank| self.serves(rank));
        }
        Cow::Owned(origins)
    }

    pub fn finding(&self) -> Option<Finding> {
        let (_, first) = self.ranks.first()?;
        let run = self.known.run;
        let ranks: Vec<WorldRank> =
            self.ranks.iter().map(|(place, _)| world_rank(&run.ranks[*place as usize])).collect();
        let wall: f64 = self.ranks.iter().map(|(place, _)| run.ranks[*place as usize].wall()).sum();
        let share =
            100.0 * seconds(self.ranks.iter().map(|(_, waits)| waits.all).total()) / wall.max(f64::MIN_POSITIVE);
        let site = first.longest.map(|(_, wait)| &run.call_sites()[wait.waiter.place.number()]);
        let place = site.map(|site| format!(" in {}", site_in_words(site))).unwrap_or_default();
        let (who, them) = (upper(&ranks_in_words(&ranks)), verb(ranks.len(), "it", "them"));
        let serves = verb(ranks.len(), "serves: it waits", "serve: they wait");
        let headline =
            format!("{who} only {serves} {share:.0} % of the time for messages{place}, and no rank waits for {them}.");
        let next =
            format!("If that is not intended, give {them} a share of the other ranks' work, or run fewer ranks.");
        let sites = site.and_then(CallSite::line);
        let finding = Finding::new(FindingKind::Serving, "waits", headline).next(next);
        Some(finding.ranks(ranks).sites(sites.into_iter().collect()))
    }
}

/// Takes the waits of these ranks out of an activity's times; the figures that are not known by waits shrink as the waits do.
fn leave_out(times: &mut ActivityTimes, is_out: impl Fn(u32) -> bool) {
    let before = times.blamed;
    times.waits.retain(|wait, _| !is_out(wait.waiter.rank));
    times.blamed = times.waits.values().copied().total();
    times.waited_for = times.waited_for.min(times.blamed);
    let share = times.blamed as f64 / before.max(1) as f64;
    times.indirect = (times.indirect as f64 * share) as i64;
    times.late = (times.late as f64 * share).round() as u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::matching::RankSite;
    use model::roles::SpottedSite;

    #[test]
    fn without_the_waits_of_a_serving_rank_others_are_waited_for_as_much_less() {
        let by = |rank| {
            let [waiter, cause] = [rank, 1].map(|rank| RankSite { rank, place: SpottedSite::default() });
            WaitKey { state: WaitState::LateSender, waiter, cause }
        };
        let waits = [(by(0), 6000), (by(2), 1500), (by(3), 500)].into_iter().collect();
        let mut times = ActivityTimes {
            blamed: 8000,
            indirect: 800,
            waited_for: 5000,
            late: 10,
            waits,
            ..ActivityTimes::default()
        };
        leave_out(&mut times, |rank| rank == 0);
        assert_eq!((times.blamed, times.waited_for, times.indirect, times.late), (2000, 2000, 200, 3));
        leave_out(&mut times, |_| true);
        assert_eq!((times.blamed, times.waited_for, times.indirect, times.late), (0, 0, 0, 0));
    }

    #[test]
    fn in_a_deadlock_no_rank_only_serves_though_none_is_known_to_be_waited_for() {
        let waits = Waits { open: 5, waited_for: 2, ..Waits::default() };
        assert_eq!([waits.waited_for(15), waits.waited_for(5)], [10, 2]);
    }
}
