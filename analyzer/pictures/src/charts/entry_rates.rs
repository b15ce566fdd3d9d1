//! Rate of entries into the progress engine over the run.

use model::Run;
use model::engine::{EngineAccount, SLICES};

use crate::plot::EntryRates;

/// Entries per second of all ranks.
pub fn entry_rates(run: &Run, engines: &[Vec<EngineAccount>]) -> EntryRates {
    let wall = run.ranks.iter().map(|rank| rank.wall()).fold(0.0, f64::max).max(1e-9);
    let slice = wall / SLICES as f64;
    let (mut all, mut productive) = (vec![0.0; SLICES], vec![0.0; SLICES]);
    for engine in engines.iter().flatten() {
        for (at, one) in engine.slices.iter().enumerate() {
            all[at] += one.entries / slice;
            productive[at] += one.productive / slice;
        }
    }
    EntryRates { wall, all, productive }
}
