//! What was measured at each number of ranks: means over the runs that have as many.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{self, Expected, Model};
use crate::compare::Figures;
use crate::{overview, pop};

/// Ranks that are foreseen, by the most that were measured.
const AHEAD: f64 = 10.0;

/// All runs.
pub struct Grown {
    /// The numbers of ranks, upwards, and how many runs there are of each.
    pub runs: BTreeMap<u32, usize>,
    /// What all functions took, and the run as a whole.
    pub times: Vec<Grows>,
    /// The POP metrics by number of ranks, of 100.
    pub pop: BTreeMap<u32, BTreeMap<String, f64>>,
    /// Seconds of all ranks outside MPI, by number of ranks.
    pub useful: BTreeMap<u32, f64>,
}

/// A time at each number of ranks.
pub struct Grows {
    /// What it is of.
    pub name: String,
    /// It is of a function, and no sum of others.
    pub is_function: bool,
    /// Seconds of a rank in the mean, by number of ranks.
    pub points: BTreeMap<u32, f64>,
    /// The models that are not ruled out, the best first.
    pub models: Vec<Model>,
}

/// Joins the figures of runs. `is_weak`: the work of a rank is always the same.
pub fn grown(runs: &[Figures], is_weak: bool) -> Grown {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    runs.iter().for_each(|run| *counts.entry(run.ranks).or_default() += 1);
    let mut times = vec![
        Grows::of(runs, "wall time", false, |run| run.fact(overview::WALL_TIME.name)),
        Grows::of(runs, "in MPI", false, |run| run.fact(overview::MPI_TIME_MEAN.name)),
    ];
    let names: BTreeSet<&str> = runs.iter().flat_map(Figures::functions).map(|(name, _)| name).collect();
    // A function that a run did not call has no place in a model of relative errors.
    let functions = names.into_iter().map(|name| {
        Grows::of(runs, name, true, |run| run.functions().find(|(function, _)| *function == name).map(|(_, time)| time))
    });
    let mut functions: Vec<Grows> = functions.collect();
    functions.sort_by(|one, other| other.last().total_cmp(&one.last()));
    times.extend(functions);
    let useful = means(runs, |run| Some(run.fact(pop::USEFUL_MEAN.name)? * f64::from(run.ranks)));
    let mut pop: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    let metrics: BTreeSet<&str> = runs.iter().flat_map(Figures::efficiencies).map(|(name, _)| name).collect();
    for metric in metrics {
        let of = |run: &Figures| run.efficiencies().find(|(name, _)| *name == metric).map(|(_, percent)| percent);
        for (ranks, percent) in means(runs, of) {
            pop.entry(ranks).or_default().insert(metric.to_string(), percent);
        }
    }
    let mut grown = Grown { runs: counts, times, pop, useful };
    grown.add_scalability(is_weak);
    grown
}

impl Grown {
    /// Computation scalability: the useful time of the fewest ranks over that of these, all ranks together, or of a rank where
    /// each has its own work. Global efficiency is that times parallel efficiency.
    fn add_scalability(&mut self, is_weak: bool) {
        let each = |ranks: u32, useful: f64| if is_weak { useful / f64::from(ranks) } else { useful };
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

    /// The most ranks that were measured.
    pub fn most(&self) -> u32 {
        self.runs.last_key_value().map_or(0, |(ranks, _)| *ranks)
    }

    /// How many ranks are foreseen.
    pub fn ahead(&self) -> f64 {
        AHEAD * f64::from(self.most())
    }
}

/// What all is lost by.
pub const GLOBAL: &str = "global efficiency";
/// What the ranks lose to each other.
pub const PARALLEL: &str = "parallel efficiency";
/// What is lost by computing longer.
pub const SCALABILITY: &str = "computation scalability";

impl Grows {
    fn of(runs: &[Figures], name: &str, is_function: bool, time: impl Fn(&Figures) -> Option<f64>) -> Grows {
        let all: Vec<(f64, f64)> = runs.iter().filter_map(|run| Some((f64::from(run.ranks), time(run)?))).collect();
        let models = fit::models(&all);
        Grows { name: name.into(), is_function, points: means(runs, &time), models }
    }

    /// The time at the most ranks.
    pub fn last(&self) -> f64 {
        self.points.last_key_value().map_or(0.0, |(_, time)| *time)
    }

    /// What is expected of so many ranks.
    pub fn expected(&self, ranks: f64) -> Option<Expected> {
        fit::expected(&self.models, ranks)
    }
}

/// Means over the runs of as many ranks.
fn means(runs: &[Figures], value: impl Fn(&Figures) -> Option<f64>) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (ranks, value) in runs.iter().filter_map(|run| Some((run.ranks, value(run)?))) {
        let (sum, count) = sums.entry(ranks).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter().map(|(ranks, (sum, count))| (ranks, sum / count)).collect()
}
