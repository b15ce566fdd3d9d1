//! Chooses the requests that show what their kind costs and how much of their transfers was hidden.

use super::means::{FEW, WaitForm};
use crate::median::median;
use model::overlap::{Lives, RequestLife};

/// The least computation that shows what was hidden, as a share of the transfer.
const LEAST_COMPUTATION: f64 = 0.25;

pub struct Chosen<'a> {
    pub lives: Vec<&'a RequestLife>,
    /// Whether their transfers had the time to proceed while the program computed.
    pub is_covered: bool,
    /// Whether they were waited for later than right after the post.
    pub is_postponed: bool,
}

impl<'a> Chosen<'a> {
    /// Requests whose transfer had the time to proceed; else those that were waited for later; else all. A small share
    /// of either kind is ignored, since it was interrupted.
    pub fn of(lives: &'a Lives, transfer: Option<f64>) -> Chosen<'a> {
        if WaitForm::of(lives) == WaitForm::RightAfter {
            return Chosen { lives: lives.of_direct.values().collect(), is_covered: false, is_postponed: false };
        }
        let covered = transfer.map_or(Vec::new(), |transfer| covered(lives, transfer));
        if !covered.is_empty() && covered.len() as f64 * in_all(lives) >= FEW * lives.requests as f64 {
            return Chosen { lives: covered, is_covered: true, is_postponed: true };
        }
        Chosen { lives: lives.of_postponed.values().collect(), is_covered: false, is_postponed: true }
    }

    /// Requests whose computation is not much shorter than the transfer. With less, the difference of two transfers
    /// would outweigh what was hidden.
    pub fn telling(&self, pure: f64) -> Vec<&'a RequestLife> {
        let tells = |life: &&&RequestLife| life.computing() as f64 >= pure * LEAST_COMPUTATION;
        self.lives.iter().filter(tells).copied().collect()
    }
}

/// Whether this much computation shows how much of a transfer was hidden.
pub fn tells(computing: f64, pure: f64) -> bool {
    computing >= pure * LEAST_COMPUTATION
}

/// The number of postponed requests for each one in their sample.
fn in_all(lives: &Lives) -> f64 {
    lives.of_postponed.count() as f64 / lives.of_postponed.values().count().max(1) as f64
}

/// Requests whose transfer, if it takes this long, had the time to proceed while the program computed. Doerfler and
/// Brightwell's method stops when an iteration takes half as long again, and takes the overhead at the longest work.
/// Requests are chosen by their computation and a typical overhead: by their own overhead, those with the most would be
/// chosen.
fn covered(lives: &Lives, transfer: f64) -> Vec<&RequestLife> {
    let computed = |life: &&RequestLife, least: f64| life.computing() as f64 >= least.max(transfer / 3.0);
    let is_long = |life: &&RequestLife| computed(life, 0.0) && life.whole as f64 >= 1.5 * transfer;
    let typical = median(lives.of_postponed.values().filter(is_long).map(|life| life.overhead() as f64));
    let Some(typical) = typical else { return Vec::new() };
    let mut covered: Vec<_> =
        lives.of_postponed.values().filter(|life| computed(life, 1.5 * transfer - typical)).collect();
    covered.sort_by_key(|life| life.computing());
    // An interruption of the computation makes it look longer than it was.
    let long = covered.get(covered.len() * 3 / 4).map_or(0, |life| life.computing());
    covered.retain(|life| life.computing() as f64 >= long as f64 / std::f64::consts::SQRT_2);
    covered
}
