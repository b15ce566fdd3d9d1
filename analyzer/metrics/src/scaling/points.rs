//! The times and efficiencies at each number of ranks: means over the runs with that number.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{self, Expected, Model};
use crate::compare::Figures;
use crate::reports::ByPlace;
use crate::totals::percent;
use crate::{overview, pop};

/// Predictions are for this many times the largest number of ranks measured.
const AHEAD: f64 = 10.0;
/// A function with a smaller share of the wall time, in percent, is a few short calls.
const LEAST_PERCENT: f64 = 0.1;
/// Computation that grows by at least this share of what the ranks grow by suggests that each rank has its own work.
const NEARLY: f64 = 0.75;

/// The figures of all runs, by number of ranks.
pub struct Grown {
    /// The number of runs for each number of ranks.
    pub runs: BTreeMap<u32, usize>,
    /// Wall time, time in MPI, and the time of each function.
    pub times: Vec<Grows>,
    /// The POP metrics in percent, by number of ranks and name.
    pub pop: BTreeMap<u32, BTreeMap<String, f64>>,
    /// Seconds of all ranks outside MPI, by number of ranks.
    pub useful: BTreeMap<u32, f64>,
    /// The work of each rank is said to be the same in all runs.
    pub is_weak: bool,
}

/// A time at each number of ranks.
pub struct Grows {
    /// The name of the function, or of the figure of the whole run.
    pub name: String,
    /// True if it is the time of a function or call site rather than of the whole run.
    pub is_part: bool,
    /// Seconds, mean of the ranks, by number of ranks.
    pub points: BTreeMap<u32, f64>,
    /// The models that are not ruled out, the best first.
    pub models: Vec<Model>,
}

/// Joins the figures of runs whose call sites are named as `by` needs them. With `is_weak`, the work of each rank is the same in all
/// runs (weak scaling).
pub fn grown(runs: &[Figures], is_weak: bool, by: ByPlace) -> Grown {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for run in runs {
        *counts.entry(run.ranks).or_default() += 1;
    }
    let mut times = vec![
        Grows::of(runs, "wall time", |run| run.fact(overview::WALL_TIME.name)),
        Grows::of(runs, "in MPI", |run| run.fact(overview::MPI_TIME_MEAN.name)),
    ];
    let parts: Vec<BTreeMap<String, f64>> = runs.iter().map(|run| parts(run, by)).collect();
    let names: BTreeSet<&String> = parts.iter().flat_map(BTreeMap::keys).collect();
    let mut of_parts = Vec::new();
    for name in names {
        // If a run has no such calls, their time is missing rather than 0: the models' errors are relative.
        let points: Vec<(u32, f64)> =
            runs.iter().zip(&parts).filter_map(|(run, parts)| Some((run.ranks, *parts.get(name)?))).collect();
        of_parts.push(Grows::at(points, name, true));
    }
    of_parts.sort_by(|one, other| other.last().total_cmp(&one.last()));
    times.extend(of_parts);
    let useful = means(values(runs, |run| Some(run.fact(pop::USEFUL_MEAN.name)? * f64::from(run.ranks))));
    let mut pop: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    let metrics: BTreeSet<&str> = runs.iter().flat_map(Figures::efficiencies).map(|(name, _)| name).collect();
    for metric in metrics {
        let of_metric =
            |run: &Figures| run.efficiencies().find(|(name, _)| *name == metric).map(|(_, percent)| percent);
        for (ranks, percent) in means(values(runs, of_metric)) {
            pop.entry(ranks).or_default().insert(metric.to_string(), percent);
        }
    }
    let mut grown = Grown { runs: counts, times, pop, useful, is_weak };
    grown.add_scalability();
    grown
}

impl Grown {
    /// Adds computation scalability: the useful time of all ranks at the fewest ranks over that at these; per rank for weak scaling.
    /// Global efficiency is scalability times parallel efficiency.
    fn add_scalability(&mut self) {
        let each = |ranks: u32, useful: f64| if self.is_weak { useful / f64::from(ranks) } else { useful };
        let Some(reference) = self.useful.first_key_value().map(|(ranks, useful)| each(*ranks, *useful)) else {
            return;
        };
        for (ranks, useful) in &self.useful {
            let metrics = self.pop.entry(*ranks).or_default();
            let scalability = reference / each(*ranks, *useful);
            metrics.insert(SCALABILITY.into(), 100.0 * scalability);
            if let Some(parallel) = metrics.get(PARALLEL).copied() {
                metrics.insert(GLOBAL.into(), parallel * scalability);
            }
        }
    }

    pub fn most(&self) -> u32 {
        self.runs.last_key_value().map_or(0, |(ranks, _)| *ranks)
    }

    /// The functions that take at least `LEAST_PERCENT` of the wall time at the most ranks, each with that share in percent.
    pub fn weighty(&self) -> impl Iterator<Item = (&Grows, f64)> {
        let most = self.most();
        let at_most = move |grows: &Grows| grows.points.get(&most).copied();
        let wall = self.times.first().and_then(at_most).unwrap_or(0.0);
        let shares = self.times.iter().filter(|grows| grows.is_part);
        let shares = shares.filter_map(move |grows| Some((grows, percent(at_most(grows)?, wall)?)));
        shares.filter(|(_, share)| *share >= LEAST_PERCENT)
    }

    /// The computation of all ranks at the most ranks over that at the fewest, if it grows nearly as the ranks do.
    pub fn grown_work(&self) -> Option<f64> {
        let ((fewest, one), (most, other)) = (self.useful.first_key_value()?, self.useful.last_key_value()?);
        let (work, ranks) = (other / one, f64::from(*most) / f64::from(*fewest));
        (ranks > 1.0 && work >= NEARLY * ranks).then_some(work)
    }

    /// The number of ranks that predictions are for.
    pub fn ahead(&self) -> f64 {
        AHEAD * f64::from(self.most())
    }
}

/// The metric for all losses together.
pub const GLOBAL: &str = "global efficiency";
/// The metric for losses by communication and waiting.
pub const PARALLEL: &str = "parallel efficiency";
/// The metric for losses by longer computation.
pub const SCALABILITY: &str = "computation scalability";

impl Grows {
    /// The time of the whole run.
    fn of(runs: &[Figures], name: &str, time: impl Fn(&Figures) -> Option<f64>) -> Grows {
        Grows::at(values(runs, time), name, false)
    }

    fn at(points: Vec<(u32, f64)>, name: &str, is_part: bool) -> Grows {
        let all: Vec<(f64, f64)> = points.iter().map(|(ranks, time)| (f64::from(*ranks), *time)).collect();
        Grows { name: name.into(), is_part, points: means(points), models: fit::models(&all) }
    }

    /// The time at the largest number of ranks.
    pub fn last(&self) -> f64 {
        self.points.last_key_value().map_or(0.0, |(_, time)| *time)
    }

    /// The predicted time at a number of ranks.
    pub fn expected(&self, ranks: f64) -> Option<Expected> {
        fit::expected(&self.models, ranks)
    }
}

/// The time of each function or call site.
fn parts(run: &Figures, by: ByPlace) -> BTreeMap<String, f64> {
    match by {
        ByPlace::Function => run.functions().collect(),
        ByPlace::Site | ByPlace::Caller | ByPlace::Path => run.sites().collect(),
    }
}

/// The number of ranks and the value of each run that has one.
fn values(runs: &[Figures], value: impl Fn(&Figures) -> Option<f64>) -> Vec<(u32, f64)> {
    runs.iter().filter_map(|run| Some((run.ranks, value(run)?))).collect()
}

/// Means by number of ranks.
fn means(values: Vec<(u32, f64)>) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (ranks, value) in values {
        let (sum, count) = sums.entry(ranks).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter().map(|(ranks, (sum, count))| (ranks, sum / count)).collect()
}
