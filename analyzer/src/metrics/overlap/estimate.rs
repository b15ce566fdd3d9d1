//! Overhead, transfer time and what was hidden, of requests of one place and size.
//!
//! In: their lives. Out: medians, since one interruption on a busy machine is longer than many transfers.

use super::gathered::{Gathered, PostingSite, RequestSize};
use crate::metrics::median::median;
use crate::model::overlap::{Lives, RequestLife};

/// See the module. Times in nanoseconds, shares of 100.
#[derive(Clone, Copy, Default, Debug)]
pub struct Estimate {
    /// All of a life.
    pub whole: Option<f64>,
    /// Time in posting, in testing and in waiting calls.
    pub parts: [Option<f64>; 3],
    /// These together.
    pub overhead: Option<f64>,
    /// How long a transfer takes that nothing overlaps.
    pub transfer: Option<f64>,
    /// It was measured at this place.
    pub is_own: bool,
    /// Application availability; SMB prints the same.
    pub availability: Option<f64>,
    /// Overlap as the OSU benchmarks and IMB define it.
    pub overlap: Option<f64>,
    /// The least and the most that was hidden, for which no transfer time of this size is asked.
    pub bounds: Option<(f64, f64)>,
}

impl Estimate {
    /// Of these requests among all.
    pub fn of(all: &Gathered, place: &PostingSite, size: RequestSize, lives: &Lives) -> Estimate {
        let own = median(lives.of_direct.values().map(|life| life.transfer() as f64));
        let transfer = own.or_else(|| all.transfer(place, size.bytes));
        let chosen = Chosen::of(lives, transfer);
        let among = |figure: &dyn Fn(&RequestLife) -> f64| median(chosen.lives.iter().map(|life| figure(life)));
        let overhead = among(&|life| life.overhead() as f64);
        let hidden = |transfer: f64, overhead: f64| (100.0 * (1.0 - overhead / transfer)).clamp(0.0, 100.0);
        let is_at_once = lives.at_once == lives.requests;
        let availability = transfer.zip(overhead).filter(|_| chosen.is_covered || is_at_once);
        let least = all.least_transfer(place, size.bytes);
        let least = |life: &RequestLife| least.map_or(0.0, |transfer| hidden(transfer, life.overhead() as f64));
        let bounds = || {
            let most = among(&|life| hidden(life.over as f64, life.overhead() as f64))?;
            Some((among(&least)?.min(most), most))
        };
        Estimate {
            whole: among(&|life| life.whole as f64),
            parts: [
                among(&|life| life.posting as f64),
                among(&|life| life.testing as f64),
                among(&|life| life.waiting as f64),
            ],
            overhead,
            transfer,
            is_own: own.is_some(),
            availability: availability.map(|(transfer, overhead)| hidden(transfer, overhead)),
            overlap: transfer.filter(|_| chosen.is_postponed).and_then(|pure| chosen.overlap(pure)),
            bounds: if chosen.is_postponed { bounds() } else { None },
        }
    }
}

/// Computation that tells what was hidden, as a share of the transfer.
const LEAST_COMPUTATION: f64 = 0.25;

/// The requests that say most.
struct Chosen<'a> {
    lives: Vec<&'a RequestLife>,
    /// Their transfers had the time to go on while the program computed.
    is_covered: bool,
    /// They were not waited for right after.
    is_postponed: bool,
}

impl Chosen<'_> {
    /// Those whose transfer had the time; else those that were not waited for right after; else all.
    fn of(lives: &Lives, transfer: Option<f64>) -> Chosen<'_> {
        let covered = transfer.map_or(Vec::new(), |transfer| covered(lives, transfer));
        if !covered.is_empty() {
            return Chosen { lives: covered, is_covered: true, is_postponed: true };
        }
        let postponed: Vec<_> = lives.of_postponed.values().collect();
        match postponed.is_empty() {
            false => Chosen { lives: postponed, is_covered: false, is_postponed: true },
            true => Chosen { lives: lives.of_direct.values().collect(), is_covered: false, is_postponed: false },
        }
    }

    /// (t_pure + t_compute - t_total) / min(t_pure, t_compute), of 100 and from 0 to 100. A computation much shorter than the
    /// transfer says nothing: the difference is then of two transfers, not of what was hidden.
    fn overlap(&self, pure: f64) -> Option<f64> {
        let computed = self.lives.iter().filter(|life| life.computing() as f64 >= pure * LEAST_COMPUTATION);
        median(computed.map(|life| {
            let least = pure.min(life.computing() as f64);
            (100.0 * (pure - life.overhead() as f64) / least).clamp(0.0, 100.0)
        }))
    }
}

/// Lives whose transfer, if it takes so long, had the time to go on while the program computed: the document stops where an
/// iteration takes half as long again, and takes the overhead at the longest work. They are chosen by what was computed and a
/// typical overhead: chosen by their own, those of the most overhead would be.
fn covered(lives: &Lives, transfer: f64) -> Vec<&RequestLife> {
    let computed = |life: &&RequestLife, least: f64| life.computing() as f64 >= least.max(transfer / 3.0);
    let is_long = |life: &&RequestLife| computed(life, 0.0) && life.whole as f64 >= 1.5 * transfer;
    let typical = median(lives.of_postponed.values().filter(is_long).map(|life| life.overhead() as f64));
    let Some(typical) = typical else { return Vec::new() };
    let mut covered: Vec<_> =
        lives.of_postponed.values().filter(|life| computed(life, 1.5 * transfer - typical)).collect();
    covered.sort_by_key(|life| life.computing());
    // An interruption of the computation makes it longer than it was.
    let long = covered.get(covered.len() * 3 / 4).map_or(0, |life| life.computing());
    covered.retain(|life| life.computing() as f64 >= long as f64 / std::f64::consts::SQRT_2);
    covered
}
