//! Computation of a run by the calls around it.

use std::collections::BTreeMap;
use std::fmt;

use super::names_of_both::ComparedNames;
use crate::totals::{seconds, world_rank};
use crate::words::site_in_words;
use model::Run;
use model::roles::CallSite;
use model::shared_walk::Computation;
use tables::WorldRank;

pub type Gaps = BTreeMap<GapPlace, Gap>;

/// The calls around computation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GapPlace {
    from: CallSite,
    to: CallSite,
}

/// Computation between two calls.
#[derive(Default)]
pub struct Gap {
    pub passes: f64,
    /// Seconds of each rank that computes there.
    pub of_ranks: Vec<(WorldRank, f64)>,
    /// Seconds, mean of the ranks.
    pub mean: f64,
}

pub fn of_run(run: &Run, computation: &Computation) -> Gaps {
    let mut gaps = Gaps::new();
    for (at, of_rank) in &computation.of_ranks {
        let rank = world_rank(&run.ranks[*at]);
        for gap in of_rank {
            let [from, to] = [gap.from, gap.to].map(|number| place_of(&run.call_sites()[number as usize]));
            let place = gaps.entry(GapPlace { from, to }).or_default();
            place.passes += gap.count as f64;
            match place.of_ranks.last_mut().filter(|(last, _)| *last == rank) {
                Some((_, time)) => *time += seconds(gap.time),
                None => place.of_ranks.push((rank, seconds(gap.time))),
            }
        }
    }
    let ranks = run.asked().count().max(1) as f64;
    for gap in gaps.values_mut() {
        gap.mean = gap.of_ranks.iter().map(|(_, time)| time).sum::<f64>() / ranks;
    }
    gaps
}

impl GapPlace {
    pub fn renamed(&self, names: &ComparedNames) -> GapPlace {
        GapPlace { from: names.call(&self.from), to: names.call(&self.to) }
    }
}

/// A call site next to computation. There is one start and one end, whose lines differ between libraries in Fortran.
fn place_of(site: &CallSite) -> CallSite {
    match site.call() {
        Some(call) if call.begins_mpi() || call.ends_mpi() => CallSite { site: String::new(), ..site.clone() },
        _ => site.clone(),
    }
}

impl Gap {
    pub fn add(&mut self, other: Gap) {
        self.passes += other.passes;
        self.mean += other.mean;
        self.of_ranks.extend(other.of_ranks);
    }
}

/// `MPI_Waitall at halo.c:8 to MPI_Allreduce at dot.c:4`, or `MPI_Allreduce at dot.c:4 to the next`.
impl fmt::Display for GapPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = if self.from == self.to { "the next".to_string() } else { site_in_words(&self.to) };
        write!(formatter, "{} to {next}", site_in_words(&self.from))
    }
}
