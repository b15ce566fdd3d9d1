//! Sums over the activities of a run, by call site and by rank.

use model::origins::{Activity, WaitOrigins};
use model::sums::Grow;
use rustc_hash::FxHashMap;

/// Nanoseconds of all ranks at one call site.
#[derive(Clone, Copy, Default)]
pub struct SiteActivity {
    /// Time of others that waited for a rank in a call.
    pub blamed_inside: i64,
    /// Time of others that waited for a rank between two of the calls.
    pub blamed_between: i64,
    /// Time between two of the calls.
    pub between: i64,
}

/// Nanoseconds of one rank.
#[derive(Clone, Copy, Default)]
pub struct RankActivity {
    /// Time between calls.
    pub between: i64,
    /// The activity that takes most time, and that time.
    pub most: Option<(i64, Activity)>,
}

/// By the site's number, and by the rank's place in the run.
#[derive(Default)]
pub struct ActivitySums {
    sites: FxHashMap<u32, SiteActivity>,
    ranks: FxHashMap<u32, RankActivity>,
}

impl ActivitySums {
    pub fn of(origins: &WaitOrigins) -> ActivitySums {
        let mut sums = ActivitySums::default();
        for ((rank, activity), times) in &origins.activities {
            let of_rank = sums.ranks.entry(*rank).or_default();
            of_rank.most = of_rank.most.max(Some((times.total, *activity)));
            match *activity {
                Activity::In(site) => sums.sites.entry(site).or_default().blamed_inside.grow(times.blamed),
                Activity::Between(from, to) => {
                    of_rank.between.grow(times.total);
                    if from == to {
                        let of_site = sums.sites.entry(from).or_default();
                        of_site.blamed_between.grow(times.blamed);
                        of_site.between.grow(times.total);
                    }
                }
            }
        }
        sums
    }

    pub fn at(&self, site: u32) -> SiteActivity {
        self.sites.get(&site).copied().unwrap_or_default()
    }

    pub fn of_rank(&self, rank: u32) -> RankActivity {
        self.ranks.get(&rank).copied().unwrap_or_default()
    }
}
