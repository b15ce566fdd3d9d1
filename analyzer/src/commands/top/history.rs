//! The last minute: shares in MPI, and of ranks that have long been in one call, one of each a look.

use std::collections::{HashMap, VecDeque};

use model::watch::{RankView, Watch};

/// Number of looks that are kept: a minute of them.
pub const KEPT: usize = 60;

/// Percentages, the latest last.
#[derive(Default)]
pub struct Series(VecDeque<u64>);

impl Series {
    fn add(&mut self, percent: f64) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(percent.round() as u64);
    }

    pub fn values(&self) -> Vec<u64> {
        self.0.iter().copied().collect()
    }
}

/// The share of the time in MPI, and the share of ranks that have long been in one call. Short waits are in the first one
/// alone: nobody knows of a call that is over whether it waited before ranks are matched.
#[derive(Default)]
pub struct Shares {
    pub in_mpi: Series,
    pub staying: Series,
}

#[derive(Default)]
pub struct History {
    pub total: Shares,
    /// By the name of the rank's file.
    ranks: HashMap<String, Shares>,
}

impl History {
    /// Adds a look. Ranks that have finished do not count.
    pub fn add(&mut self, watch: &Watch) {
        let (mut in_mpi, mut staying) = (Vec::new(), Vec::new());
        for (rank, view) in watch.ranks.iter().zip(&watch.views) {
            let Some(rates) = view.rates else { continue };
            let shares = (100.0 * rates.in_mpi, stays(view));
            in_mpi.push(shares.0);
            staying.push(shares.1);
            let own = self.ranks.entry(rank.file.clone()).or_default();
            own.in_mpi.add(shares.0);
            own.staying.add(shares.1);
        }
        if !in_mpi.is_empty() {
            let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
            self.total.in_mpi.add(mean(&in_mpi));
            self.total.staying.add(mean(&staying));
        }
    }

    pub fn of(&self, file: &str) -> Option<&Shares> {
        self.ranks.get(file)
    }
}

fn stays(view: &RankView) -> f64 {
    if view.stays() { 100.0 } else { 0.0 }
}
