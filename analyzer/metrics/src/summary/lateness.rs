//! Where waiting began, as findings: each part of the program that kept ranks waiting is judged by who is late there, and how often.

use std::collections::BTreeMap;

use super::{Evidence, Finding, late_ranks, slow_calls};
use crate::totals::world_rank;
use model::Run;
use model::matching::{WaitKey, WaitState};
use model::origins::{Activity, ActivityTimes, WaitOrigins};
use model::roles::CallSite;
use model::sums::Grow;
use tables::WorldRank;

/// Ranks that cause this share of the waiting are the ones to name.
const MOST_OF_IT: f64 = 0.8;
/// An activity that costs less than this share of the run is not judged by itself.
const LEAST_SHARE: f64 = 0.005;

/// One activity, and how late which ranks are there.
pub struct LateActivity<'a> {
    pub known: &'a Evidence<'a>,
    pub origins: &'a WaitOrigins,
    pub activity: Activity,
    /// All ranks' times there, by their places in the run; those that others waited for most come first.
    pub ranks: Vec<(u32, &'a ActivityTimes)>,
    /// Rank time that others waited.
    pub blamed: i64,
}

/// All findings about late ranks, but for what others explain already: `of_calls`.
pub fn findings(known: &Evidence, of_calls: &[Finding]) -> Vec<Finding> {
    let Some(origins) = known.origins else { return Vec::new() };
    let mut by_activity: BTreeMap<Activity, Vec<(u32, &ActivityTimes)>> = BTreeMap::new();
    for ((rank, activity), times) in &origins.activities {
        by_activity.entry(*activity).or_default().push((*rank, times));
    }
    let mut late: Vec<LateActivity<'_>> = Vec::new();
    for (activity, mut ranks) in by_activity {
        ranks.sort_by_key(|(rank, times)| (std::cmp::Reverse(times.blamed), *rank));
        let blamed = ranks.iter().map(|(_, times)| times.blamed).sum();
        late.push(LateActivity { known, origins, activity, ranks, blamed });
    }
    late.retain(|late| late.costs() >= LEAST_SHARE * known.wall() && late.blamed > 0);
    late.sort_by_key(|late| std::cmp::Reverse(late.blamed));
    let computation = late.iter().filter(|late| matches!(late.activity, Activity::Between(..)));
    let mut findings: Vec<Finding> = computation.map(late_ranks::finding).collect();
    findings.extend(late.iter().filter_map(slow_calls::finding));
    findings.retain(|finding| !of_calls.iter().any(|other| other.explains(finding)));
    findings
}

impl LateActivity<'_> {
    /// The mean rank's time that the waiting costs, seconds.
    pub fn costs(&self) -> f64 {
        self.known.mean(self.blamed)
    }

    /// Ranks that nearly all of the waiting is for, the one with the most first.
    pub fn culprits(&self) -> &[(u32, &ActivityTimes)] {
        let mut seen = 0i64;
        for (at, (_, times)) in self.ranks.iter().enumerate() {
            seen.grow(times.blamed);
            if seen as f64 >= MOST_OF_IT * self.blamed as f64 {
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
        &self.origins.sites[number as usize]
    }

    /// `between MPI_Gather at p.c:3 and MPI_Bcast at p.c:6`.
    pub fn place(&self) -> String {
        match self.activity {
            Activity::Between(from, to) if from == to => format!("between two calls of {}", in_words(self.site(from))),
            Activity::Between(from, to) => {
                format!("between {} and {}", in_words(self.site(from)), in_words(self.site(to)))
            }
            Activity::In(site) => format!("in {}", in_words(self.site(site))),
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

/// `MPI_Bcast at p.c:6`.
pub fn in_words(site: &CallSite) -> String {
    if site.site.is_empty() { site.function.clone() } else { format!("{} at {}", site.function, site.site) }
}

/// A sentence's first letter as a capital.
pub fn upper(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
