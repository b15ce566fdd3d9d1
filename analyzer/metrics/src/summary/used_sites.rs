//! The calls of all ranks at one line, and what others waited for them.

use std::collections::BTreeMap;

use super::Evidence;
use crate::totals::world_rank;
use crate::words::site_in_words;
use model::habits::SiteHabits;
use model::origins::Activity;
use model::roles::CallSite;
use model::sums::{Grow, Total};
use tables::WorldRank;
use traces::calls::Call;

/// Ranks that hold this share of a cost are the ones to name.
const MOST_OF_IT: f64 = 0.8;

pub struct UsedSite<'a> {
    pub known: &'a Evidence<'a>,
    pub site: &'a CallSite,
    /// By the ranks' places in the run.
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

    /// `MPI_Send at p.c:3`.
    pub fn place(&self) -> String {
        site_in_words(self.site)
    }

    /// The function, and the line where that is known.
    pub fn sites(&self) -> Vec<String> {
        Some(self.site.site.clone()).filter(|site| !site.is_empty()).into_iter().collect()
    }

    /// Time of other ranks that waited for a rank in these calls, or between two of them where nothing much is done there.
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

    /// The ranks that hold most of a cost, in order; none if that is nearly all of them.
    pub fn culprits(&self, cost: impl Fn(&SiteHabits) -> i64) -> Vec<WorldRank> {
        let mut costs: Vec<(i64, u32)> = self.ranks.iter().map(|(rank, habits)| (cost(habits), *rank)).collect();
        costs.sort_by_key(|(cost, rank)| (std::cmp::Reverse(*cost), *rank));
        let all = costs.iter().map(|(cost, _)| *cost).total();
        let mut seen = 0;
        let mut named: Vec<u32> = Vec::new();
        for (cost, rank) in costs {
            if seen as f64 >= MOST_OF_IT * all as f64 {
                break;
            }
            seen += cost;
            named.push(rank);
        }
        named.sort_unstable();
        named.iter().map(|rank| world_rank(&self.known.run.ranks[*rank as usize])).collect()
    }
}
