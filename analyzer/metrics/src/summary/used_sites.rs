//! The calls of all ranks at one line, and the time that others waited for them.

use std::collections::BTreeMap;

use super::Evidence;
use crate::totals::world_rank;
use crate::words::site_in_words;
use model::habits::SiteHabits;
use model::origins::Activity;
use model::roles::CallSite;
use model::sums::{Grow, Total};
use tables::WorldRank;
use traces::calls::{Call, Class};

/// Ranks with this part of the largest cost are named with the rank that has it: alike ranks differ by less.
const PART_OF_MOST: f64 = 0.25;

pub struct UsedSite<'a> {
    pub known: &'a Evidence<'a>,
    pub site: &'a CallSite,
    /// By the ranks' places in the run, in their order.
    pub ranks: Vec<(u32, &'a SiteHabits)>,
}

/// All call sites, in the order of their numbers.
pub fn used_sites<'a>(known: &'a Evidence<'a>) -> Vec<UsedSite<'a>> {
    let Some(walk) = known.walk else { return Vec::new() };
    let mut by_site: BTreeMap<u32, Vec<(u32, &SiteHabits)>> = BTreeMap::new();
    for ((rank, site), of_rank) in &walk.habits {
        by_site.entry(*site).or_default().push((*rank, of_rank));
    }
    let used = |(site, mut ranks): (u32, Vec<(u32, &'a SiteHabits)>)| {
        ranks.sort_by_key(|(rank, _)| *rank);
        UsedSite { known, site: &walk.sites[site as usize], ranks }
    };
    by_site.into_iter().map(used).collect()
}

impl UsedSite<'_> {
    pub fn call(&self) -> Option<Call> {
        self.ranks.first().and_then(|(_, habits)| Call::from_number(habits.function))
    }

    /// True if the calls wait until requests are complete.
    pub fn completes(&self) -> bool {
        self.call().is_some_and(|call| call.class() == Class::Completion && !call.polls())
    }

    pub fn count(&self) -> u64 {
        self.ranks.iter().map(|(_, habits)| habits.count).total()
    }

    pub fn bytes(&self) -> u64 {
        self.ranks.iter().map(|(_, habits)| habits.bytes).total()
    }

    /// Time of all ranks, nanoseconds.
    pub fn own(&self) -> i64 {
        self.ranks.iter().map(|(_, habits)| habits.own()).total()
    }

    /// Time of one rank, nanoseconds.
    pub fn own_of(&self, rank: u32) -> i64 {
        let at = self.ranks.binary_search_by_key(&rank, |(of, _)| *of);
        at.map_or(0, |at| self.ranks[at].1.own())
    }

    /// `MPI_Send at p.c:3`.
    pub fn place(&self) -> String {
        site_in_words(self.site)
    }

    /// The line, if known.
    pub fn sites(&self) -> Vec<String> {
        Some(self.site.site.clone()).filter(|site| !site.is_empty()).into_iter().collect()
    }

    /// Time of other ranks that waited for a rank in these calls, or between two of them if little is done there.
    /// Nanoseconds.
    pub fn blamed(&self) -> i64 {
        let Some(walk) = self.known.walk else { return 0 };
        let is_here = |site: &u32| walk.sites[*site as usize] == *self.site;
        let (mut inside, mut between, mut computed) = (0i64, 0i64, 0i64);
        for ((_, activity), times) in &walk.origins.activities {
            match activity {
                Activity::In(site) if is_here(site) => inside.grow(times.blamed),
                Activity::Between(from, to) if from == to && is_here(from) => {
                    between.grow(times.blamed);
                    computed.grow(times.total);
                }
                _ => {}
            }
        }
        if computed > self.own() { inside } else { inside.saturating_add(between) }
    }

    /// The ranks with a large part of a cost, in order.
    pub fn culprits(&self, cost: impl Fn(&SiteHabits) -> i64) -> Vec<WorldRank> {
        self.culprits_of(|_, habits| cost(habits))
    }

    /// The same for a cost that depends on the rank, too.
    pub fn culprits_of(&self, cost: impl Fn(u32, &SiteHabits) -> i64) -> Vec<WorldRank> {
        let costs: Vec<(u32, i64)> = self.ranks.iter().map(|(rank, habits)| (*rank, cost(*rank, habits))).collect();
        let most = costs.iter().map(|(_, cost)| *cost).max().unwrap_or(0);
        let has_much = |cost: i64| cost > 0 && cost as f64 >= PART_OF_MOST * most as f64;
        let named = costs.into_iter().filter(|(_, cost)| has_much(*cost));
        named.map(|(rank, _)| world_rank(&self.known.run.ranks[rank as usize])).collect()
    }
}
