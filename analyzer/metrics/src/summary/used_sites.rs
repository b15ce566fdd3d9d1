//! The calls of all ranks at one line, and the time that others waited for them.

use super::limits::limits;
use std::collections::BTreeMap;

use super::Evidence;
use crate::totals::world_rank;
use crate::words::site_in_words;
use model::Run;
use model::habits::SiteHabits;
use model::matching::{BlockedSends, QueuedMessages};
use model::roles::CallSite;
use model::sums::Grow;
use tables::WorldRank;
use tables::number::whole;
use traces::calls::{Call, Class};

limits! {
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

    pub fn is_collective(&self) -> bool {
        self.call().is_some_and(|call| call.class() == Class::Collective)
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
        let paused = self.total(|habits| habits.paused);
        (self.known.activities().at(self.number).between - paused).max(0)
    }

    /// True if the calls of a row had better be one, where all of them cost `cost` nanoseconds: what waits for the next call in a buffer comes
    /// later by the time between the two, and saves the price of a call.
    pub fn pays_to_combine(&self, cost: i64) -> bool {
        self.between() <= cost
    }

    /// `on average 3,000 in a row`.
    pub fn row_in_words(&self) -> String {
        format!("on average {} in a row", whole(self.row().round() as u64))
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

/// The ranks with a large part of a cost, in order. `costs`: by the ranks' places in the run.
pub fn named(run: &Run, costs: &BTreeMap<u32, i64>) -> Vec<WorldRank> {
    let most = costs.values().copied().max().unwrap_or(0);
    let has_much = |cost: i64| cost > 0 && cost as f64 >= PART_OF_MOST.get() * most as f64;
    let named = costs.iter().filter(|(_, cost)| has_much(**cost));
    named.map(|(rank, _)| world_rank(&run.ranks[*rank as usize])).collect()
}
