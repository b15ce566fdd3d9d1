//! Accesses of the ranks to files, and their sleeps: their sums in seconds, and who has how much of them.

use std::collections::BTreeMap;

use super::totals::world_rank;
use model::accesses::{self, AccessKey, AccessSums};
use model::{Rank, Run};
use tables::WorldRank;
use traces::accesses::Operation;

/// The accesses of a rank.
pub struct RankAccesses<'r> {
    pub rank: &'r Rank,
    pub sums: BTreeMap<AccessKey, AccessSums>,
}

/// The accesses of the selected ranks that have any, by operations that are meant.
pub fn of_run(run: &Run, is_meant: impl Fn(Operation) -> bool) -> Vec<RankAccesses<'_>> {
    if !accesses::has_accesses(&run.ranks) {
        return Vec::new();
    }
    let asked: Vec<&Rank> = run.asked_places().map(|(_, rank)| rank).collect();
    let mut found = model::parallel::map(asked.len(), |place| accesses::of_rank(asked[place]));
    for sums in &mut found {
        sums.retain(|key, _| is_meant(key.operation));
    }
    let all = asked.into_iter().zip(found).map(|(rank, sums)| RankAccesses { rank, sums });
    all.filter(|rank| !rank.sums.is_empty()).collect()
}

/// Accesses of several ranks, in seconds.
#[derive(Default)]
pub struct Accessed {
    pub sums: AccessSums,
    pub time: f64,
    pub longest: f64,
    /// Time by rank.
    ranks: Vec<(WorldRank, f64)>,
}

impl Accessed {
    pub fn add(&mut self, rank: &Rank, sums: &AccessSums) {
        let time = rank.clock.seconds(sums.time);
        self.sums.merge(sums);
        self.time += time;
        self.longest = self.longest.max(rank.clock.seconds(sums.longest));
        let own = world_rank(rank);
        // A rank's accesses follow each other.
        match self.ranks.last_mut() {
            Some((last, sum)) if *last == own => *sum += time,
            _ => self.ranks.push((own, time)),
        }
    }

    pub fn count_of_ranks(&self) -> u64 {
        self.ranks.len() as u64
    }

    /// The rank with the most time, and its time.
    pub fn most(&self) -> Option<(WorldRank, f64)> {
        self.ranks.iter().copied().reduce(|most, next| if next.1 > most.1 { next } else { most })
    }
}
