//! The calls of all ranks at one line, and the time that others waited for them.

use super::limits::limits;
use std::collections::BTreeMap;

use super::Evidence;
use crate::cost;
use crate::scheduling::scheduled;
use crate::totals::{seconds, world_rank};
use crate::words::site_in_words;
use model::Run;
use model::habits::SiteHabits;
use model::matching::{BlockedSends, QueuedMessages};
use model::roles::CallSite;
use model::sums::{Grow, Total};
use tables::{Value, WorldRank};
use traces::calls::{Call, Class};

limits! {
    /// The scheduler's pauses are milliseconds long, calls in a row take microseconds: more pauses than this share of the calls are the
    /// program's own.
    MOST_PAUSES = 0.01, Most, "of the calls", Derived;
    /// Brief pauses leave no time for work if they take no more than this share of the time in the calls: without any work between, reading the
    /// clock and the loop itself took up to 5 % beside calls of 0.4 us.
    MOST_BRIEFLY = 0.1, Most, "of the calls' time", Measured;
    /// Ranks with this part of the largest cost are named with the rank that has it: alike ranks differ by less.
    PART_OF_MOST = 0.25, Least, "of the largest cost", Convention;
}

pub struct UsedSite<'a> {
    pub known: &'a Evidence<'a>,
    pub site: &'a CallSite,
    /// The number of the call site.
    pub number: u32,
    /// By the ranks' places in the run, in their order.
    pub ranks: Vec<(u32, &'a SiteHabits)>,
    /// Blocking sends at this line to receivers that were late: sender, receiver, sums.
    pub blocked: Vec<(u32, u32, &'a BlockedSends)>,
    /// Messages in queues whose receives were posted at this line, by rank.
    pub queued: Vec<(u32, &'a QueuedMessages)>,
}

/// All call sites, in the order of their numbers.
pub fn used_sites<'a>(known: &'a Evidence<'a>) -> Vec<UsedSite<'a>> {
    let Some(walk) = known.walk else { return Vec::new() };
    let mut by_site: BTreeMap<u32, UsedSite<'a>> = BTreeMap::new();
    for ((rank, site), habits) in &walk.habits {
        let used = by_site.entry(*site).or_insert_with(|| UsedSite::new(known, *site));
        used.ranks.push((*rank, habits));
    }
    let account = known.account();
    for ((sender, receiver), sends) in account.into_iter().flat_map(|account| &account.blocked) {
        if let Some(used) = by_site.get_mut(&(sender.place.number() as u32)) {
            used.blocked.push((sender.rank, *receiver, sends));
        }
    }
    for (at, queued) in account.into_iter().flat_map(|account| &account.queued) {
        if let Some(used) = by_site.get_mut(&(at.place.number() as u32)) {
            used.queued.push((at.rank, queued));
        }
    }
    for used in by_site.values_mut() {
        used.ranks.sort_by_key(|(rank, _)| *rank);
    }
    by_site.into_values().collect()
}

/// The site with this number among all sites.
pub fn at<'s, 'a>(sites: &'s [UsedSite<'a>], number: u32) -> Option<&'s UsedSite<'a>> {
    sites.binary_search_by_key(&number, |used| used.number).ok().map(|at| &sites[at])
}

impl<'a> UsedSite<'a> {
    fn new(known: &'a Evidence<'a>, number: u32) -> UsedSite<'a> {
        let (ranks, blocked, queued) = (Vec::new(), Vec::new(), Vec::new());
        UsedSite { known, site: &known.run.call_sites()[number as usize], number, ranks, blocked, queued }
    }

    pub fn call(&self) -> Option<Call> {
        self.ranks.first().and_then(|(_, habits)| Call::from_number(habits.function))
    }

    /// True if the calls wait until requests are complete.
    pub fn completes(&self) -> bool {
        self.call().is_some_and(Call::waits_for_requests)
    }

    /// True if the calls move data between ranks, by whichever way.
    pub fn moves_data(&self) -> bool {
        let classes = [Class::PointToPoint, Class::Completion, Class::Collective];
        self.call().is_some_and(|call| classes.contains(&call.class()))
    }

    /// The sum over all ranks.
    pub fn total<T: Grow + Default>(&self, of: impl Fn(&SiteHabits) -> T) -> T {
        let mut total = T::default();
        for (_, habits) in &self.ranks {
            total.grow(of(habits));
        }
        total
    }

    pub fn count(&self) -> u64 {
        self.total(|habits| habits.count)
    }

    pub fn bytes(&self) -> u64 {
        self.total(|habits| habits.bytes)
    }

    /// Time of all ranks, nanoseconds.
    pub fn own(&self) -> i64 {
        self.total(|habits| habits.own())
    }

    /// Time of one rank, nanoseconds.
    pub fn own_of(&self, rank: u32) -> i64 {
        let at = self.ranks.binary_search_by_key(&rank, |(of, _)| *of);
        at.map_or(0, |at| self.ranks[at].1.own())
    }

    /// Calls in a row, on average, where a pause ends a row.
    pub fn row(&self) -> f64 {
        let repeated = self.total(|habits| habits.repeated);
        self.count() as f64 / self.count().saturating_sub(repeated).max(1) as f64
    }

    /// Time of all ranks between two calls of a row, nanoseconds: pauses end rows.
    fn between(&self) -> i64 {
        let paused = self.total(|habits| habits.paused.by_length.iter().map(|(_, time)| *time).total());
        (self.known.activities().at(self.number).between - paused).max(0)
    }

    /// True if the calls of a row had better be one, where all of them cost `cost` nanoseconds: what waits for the next call in a buffer comes
    /// later by the time between the two, and saves the price of a call.
    pub fn pays_to_combine(&self, cost: i64) -> bool {
        self.between() <= cost
    }

    /// `3000 in a row`. The number is left out if no pause that would end a row is the program's, and nothing else does.
    pub fn row_in_words(&self) -> String {
        let of_others = self.ranks.iter().map(|(at, habits)| {
            let rank = &self.known.run.ranks[*at as usize];
            let delay = scheduled(rank).map_or(0.0, |scheduled| scheduled.delay);
            others_pauses(habits, delay + cost::timed(rank))
        });
        let of_others: u64 = of_others.total();
        let row = row_in_words(self.ranks.len() as u64, self.count(), self.total(|habits| habits.repeated), of_others);
        row.unwrap_or_else(|| {
            endless_in_words(self.count(), self.known.activities().at(self.number).between, self.own())
        })
    }

    /// `MPI_Send at p.c:3`.
    pub fn place(&self) -> String {
        site_in_words(self.site)
    }

    /// The line, if known.
    pub fn sites(&self) -> Vec<String> {
        self.site.line().into_iter().collect()
    }

    /// Time of other ranks that waited for a rank in these calls, or between two of them if little is done there.
    /// Nanoseconds.
    pub fn blamed(&self) -> i64 {
        let here = self.known.activities().at(self.number);
        let between = if here.between > self.own() { 0 } else { here.blamed_between };
        here.blamed_inside.saturating_add(between)
    }

    /// Time of other ranks that waited for a rank in these calls, nanoseconds.
    pub fn blamed_inside(&self) -> i64 {
        self.known.activities().at(self.number).blamed_inside
    }

    /// The ranks with a large part of a cost, in order.
    pub fn culprits(&self, cost: impl Fn(&SiteHabits) -> i64) -> Vec<WorldRank> {
        self.culprits_of(|_, habits| cost(habits))
    }

    /// Like [`culprits`](Self::culprits), for a cost that depends on the rank.
    pub fn culprits_of(&self, cost: impl Fn(u32, &SiteHabits) -> i64) -> Vec<WorldRank> {
        named(self.known.run, &self.ranks.iter().map(|(rank, habits)| (*rank, cost(*rank, habits))).collect())
    }
}

/// The length of a row of `count` calls by so many ranks: `repeated` follow one directly, `of_others` after a pause that is not the program's.
/// `None` if no pause of the program ends it.
fn row_in_words(ranks: u64, count: u64, repeated: u64, of_others: u64) -> Option<String> {
    let rows = count.saturating_sub(repeated).saturating_sub(of_others);
    let has_end = of_others == 0 || rows > ranks;
    has_end.then(|| format!("{:.0} in a row", count as f64 / rows.max(1) as f64))
}

/// A row of `count` calls without an end, given the nanoseconds `between` them and in them.
fn endless_in_words(count: u64, between: i64, own: i64) -> String {
    if between as f64 <= MOST_BRIEFLY.get() * own as f64 {
        return "one directly after another".into();
    }
    let each = Value::Seconds(seconds(between) / count.max(1) as f64);
    format!("one after another ({each} between two)")
}

/// The ranks with a large part of a cost, in order. `costs`: by the ranks' places in the run.
pub fn named(run: &Run, costs: &BTreeMap<u32, i64>) -> Vec<WorldRank> {
    let most = costs.values().copied().max().unwrap_or(0);
    let has_much = |cost: i64| cost > 0 && cost as f64 >= PART_OF_MOST.get() * most as f64;
    let named = costs.iter().filter(|(_, cost)| has_much(**cost));
    named.map(|(rank, _)| world_rank(&run.ranks[*rank as usize])).collect()
}

/// The number of a rank's pauses that are not the program's: brief ones that leave it no time to do anything, and as many of the shorter others
/// as the scheduler and the recorder, which kept it from its work for `kept` seconds, may have caused.
fn others_pauses(habits: &SiteHabits, kept: f64) -> u64 {
    let [(brief, brief_time), longer @ ..] = habits.paused.by_length;
    let brief = if brief_time as f64 <= MOST_BRIEFLY.get() * habits.own() as f64 { brief } else { 0 };
    let (mut count, mut time) = (0u64, 0i64);
    for (more, nanoseconds) in longer {
        time.grow(nanoseconds);
        if seconds(time) > kept {
            break;
        }
        count.grow(more);
    }
    let are_rare = count as f64 <= MOST_PAUSES.get() * habits.count as f64;
    if are_rare { brief.saturating_add(count) } else { brief }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::habits::Pauses;

    #[test]
    fn rare_pauses_are_the_schedulers_as_far_as_it_kept_the_rank_from_running() {
        let paused = Pauses { by_length: [(0, 0), (0, 0), (6, 9_000_000), (0, 0), (9, 180_000_000)] };
        let of = |count| SiteHabits { count, paused, ..SiteHabits::default() };
        assert_eq!(others_pauses(&of(50_000), 0.9), 15);
        assert_eq!(others_pauses(&of(50_000), 0.05), 6, "the long ones are the program's own");
        assert_eq!([0.0089, 0.009].map(|kept| others_pauses(&of(50_000), kept)), [0, 6]);
        assert_eq!(
            [1499, 1500].map(|count| others_pauses(&of(count), 0.9)),
            [0, 15],
            "more than one pause in a hundred calls"
        );
        assert_eq!(others_pauses(&of(50_000), 0.0), 0);
        assert_eq!(others_pauses(&of(1000), 0.9), 0, "it pauses now and again");
    }

    #[test]
    fn brief_pauses_end_no_row_unless_there_is_time_to_work_in_them() {
        let of = |nanoseconds| {
            let paused = Pauses { by_length: [(2_000, nanoseconds), (0, 0), (0, 0), (0, 0), (0, 0)] };
            others_pauses(&SiteHabits { count: 80_000, time: 30_000_000, paused, ..SiteHabits::default() }, 0.0)
        };
        assert_eq!((of(2_000_000), of(20_000_000)), (2_000, 0));
    }

    #[test]
    fn a_row_has_no_length_where_only_pauses_that_are_not_the_programs_end_it() {
        let row = |repeated, of_others| row_in_words(2, 6000, repeated, of_others).unwrap_or_default();
        assert_eq!(row(5990, 8), "", "each rank has one row");
        assert_eq!(row(5990, 7), "2000 in a row");
        assert_eq!(row(5998, 0), "3000 in a row");
        assert_eq!(row(6000, 0), "6000 in a row");
    }

    #[test]
    fn calls_with_work_between_do_not_follow_one_another_directly() {
        let row = |between| endless_in_words(20_000, between, 1_000_000_000);
        assert_eq!(row(100_000_000), "one directly after another");
        assert_eq!(row(1_002_000_000), "one after another (50.100 µs between two)");
    }
}
