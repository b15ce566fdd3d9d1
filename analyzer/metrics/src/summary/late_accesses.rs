//! What late ranks and others do between two calls by functions of the C library that are recorded: accesses to files, and sleeps.

use std::collections::BTreeMap;

use super::lateness::LateActivity;
use crate::files;
use crate::totals::seconds;
use model::origins::ActivityTimes;
use traces::accesses::Operation;

/// What accesses of several ranks have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AccessKind {
    pub operation: Operation,
    pub file: String,
    /// Where the program makes them: file and line.
    pub place: String,
}

impl AccessKind {
    /// The file's name without its folder.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or_default()
    }
}

/// Seconds of the mean late rank and of the mean other one in accesses of a kind at a place.
pub struct AccessTimes(BTreeMap<AccessKind, [f64; 2]>);

impl AccessTimes {
    /// The times in operations that are meant.
    pub fn of(late: &LateActivity, others: &[(u32, &ActivityTimes)], is_meant: fn(Operation) -> bool) -> AccessTimes {
        let mut times: BTreeMap<AccessKind, [f64; 2]> = BTreeMap::new();
        let Some(walk) = late.known.walk else { return AccessTimes(times) };
        for (which, ranks) in [late.culprits(), others].into_iter().enumerate() {
            for (at, _) in ranks {
                let rank = &late.run().ranks[*at as usize];
                for ((activity, key), time) in &walk.attribution.ranks[*at as usize].accesses {
                    if *activity != late.activity || !is_meant(key.operation) {
                        continue;
                    }
                    let (_, place) = late.run().sites.outside_headers(rank, key.site);
                    let file = files::file_name(rank, key.file);
                    let accessed = AccessKind { operation: key.operation, file, place };
                    times.entry(accessed).or_default()[which] += seconds(*time) / ranks.len() as f64;
                }
            }
        }
        AccessTimes(times)
    }

    /// The time of the mean late rank.
    pub fn own(&self) -> f64 {
        self.0.values().map(|[own, _]| own).sum()
    }

    /// How much longer it is than that of the mean other rank.
    pub fn beyond(&self) -> f64 {
        self.0.values().map(|[own, others]| own - others).sum()
    }

    /// The accesses in which the late ranks are longest beyond the others, with the times of both.
    pub fn most(&self) -> Option<(AccessKind, [f64; 2])> {
        let beyond = |times: &[f64; 2]| times[0] - times[1];
        let most = self.0.iter().max_by(|(_, one), (_, other)| beyond(one).total_cmp(&beyond(other)))?;
        Some((most.0.clone(), *most.1))
    }
}
