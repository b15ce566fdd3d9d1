//! Overhead, transfer time and hidden share of the requests of one place and size.
//!
//! In: the lives of the requests. Out: medians, since one interruption on a busy machine outlasts many transfers; and
//! the figures of benchmarks, which are means.

use super::benchmarks::{self, ImbFigures, OsuFigures, SmbLoop};
use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use super::means::{Chosen, FirstRequests, LifeMeans};
use super::transfer_time::{HiddenBounds, NearTransfers, TransferTime, hidden, hidden_by_each};
use crate::median::{interval, median};
use model::overlap::{Lives, RequestLife};

/// The figures of the requests of one place and size. Times in nanoseconds, shares in percent.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// From the post to the end of the wait.
    pub whole: Option<f64>,
    /// Time in calls that post, test and wait.
    pub parts: [Option<f64>; 3],
    /// These three times together.
    pub overhead: Option<f64>,
    /// The 95 % confidence interval of the overhead.
    pub overhead_between: Option<(f64, f64)>,
    /// Means over the ranks.
    pub means: LifeMeans,
    /// The time that recording these calls added: as measured at the start, or the gap between such calls if nothing
    /// else happened there, which is longer if the recorder's code and memory have left the caches.
    pub recording: Option<f64>,
    /// The time of a transfer that nothing overlaps.
    pub transfer: Option<TransferTime>,
    /// True if that was measured at this place.
    pub is_own: bool,
    pub availability: Option<Availability>,
    /// The share of the transfer that cost the program nothing.
    pub overlap: Option<f64>,
    /// The 95 % confidence interval of the overlap, widened so that it holds whether the cost of recording counts or
    /// not.
    pub overlap_between: Option<(f64, f64)>,
    pub bounds: Option<HiddenBounds>,
    /// The figures that the OSU benchmarks and IMB-NBC would print, or the reason for none.
    pub benchmarks: Result<(OsuFigures, ImbFigures), &'static str>,
    /// The loop of Sandia's mpi_overhead, with the figures that it would print.
    pub smb: Option<SmbLoop>,
}

/// Application availability, after Doerfler and Brightwell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Availability {
    pub percent: f64,
    /// The 95 % confidence interval, in percent.
    pub between: Option<(f64, f64)>,
    pub requests: u64,
}

impl Estimate {
    /// The figures of the requests `lives`, which are part of `all`.
    pub fn of(all: &GatheredRequests, place: &PostingSite, size: RequestSize, lives: &Lives) -> Estimate {
        let own = all.own_transfer(place, size);
        let transfer = own.or_else(|| all.transfer(place, size.bytes));
        let pure = transfer.map(|transfer| transfer.median);
        let has_others = transfer.is_some_and(|transfer| transfer.has_others);
        let host = |life: &RequestLife| if has_others { life.in_mpi() } else { life.overhead() } as f64;
        let chosen = Chosen::of(lives, pure);
        let among = |figure: &dyn Fn(&RequestLife) -> f64| median(chosen.lives.iter().map(|life| figure(life)));
        let beside = transfer.map_or(0.0, |transfer| transfer.between_calls);
        let recording = |life: &RequestLife| {
            let (calls, one) = (life.calls as f64, life.recording as f64);
            (calls * one).max((calls - 1.0).max(0.0) * beside + one)
        };
        let recording = among(&recording);
        let telling = pure.filter(|_| chosen.is_postponed).map_or(Vec::new(), |pure| chosen.telling(pure));
        let later = all.later(place, size);
        let benchmarks = match (transfer, all.printed_later(place, size)) {
            (Some(transfer), Some(later)) => benchmarks::figures(later, transfer),
            (_, None) => Err(benchmarks::NEVER_LATER),
            (None, _) => Err(benchmarks::NEVER_ALONE),
        };
        let (overheads, telling) = (sorted(&chosen.lives, host), sorted(&telling, host));
        let overlap_between = || {
            let (pure, overhead) = (transfer?.between?, interval(&telling)?);
            Some((hidden(pure.0, overhead.1 + recording.unwrap_or(0.0)), hidden(pure.1, overhead.0)))
        };
        // Availability and its bounds rest on the same transfers.
        let near = transfer.map_or_else(|| all.near(place, size.bytes), NearTransfers::from);
        Estimate {
            whole: among(&|life| life.whole as f64),
            parts: [
                among(&|life| life.posting as f64),
                among(&|life| life.testing as f64),
                among(&|life| life.waiting as f64),
            ],
            overhead: median(overheads.iter().copied()),
            overhead_between: interval(&overheads),
            means: later
                .or(all.right_after(place, size))
                .map_or(LifeMeans::default(), |ranks| LifeMeans::of(ranks, FirstRequests::LeftOut, has_others)),
            recording,
            transfer: transfer.cloned(),
            is_own: own.is_some(),
            availability: transfer.and_then(|transfer| Availability::of(&chosen, lives, transfer, host)),
            overlap: pure.and_then(|pure| Some(hidden(pure, median(telling.iter().copied())?))),
            overlap_between: overlap_between(),
            bounds: chosen.is_postponed.then(|| HiddenBounds::of(&chosen.lives, host, near, lives.rule())).flatten(),
            benchmarks,
            smb: all.loops.get(&(place.clone(), size)).copied(),
        }
    }

    /// The median time of a transfer that nothing overlaps.
    pub fn pure(&self) -> Option<f64> {
        self.transfer.as_ref().map(|transfer| transfer.median)
    }
}

impl Availability {
    fn of(
        chosen: &Chosen<'_>,
        lives: &Lives,
        transfer: &TransferTime,
        host: impl Fn(&RequestLife) -> f64 + Copy,
    ) -> Option<Availability> {
        let is_at_once = lives.at_once == lives.requests;
        let percent =
            hidden_by_each(&chosen.lives, transfer.median, host).filter(|_| chosen.is_covered || is_at_once)?;
        let overheads = sorted(&chosen.lives, host);
        let between = || {
            let (pure, overhead) = (transfer.between?, interval(&overheads)?);
            Some(including(percent, (hidden(pure.0, overhead.1), hidden(pure.1, overhead.0))))
        };
        Some(Availability { percent, between: between(), requests: overheads.len() as u64 })
    }
}

/// An interval, widened to a value that is known more closely than the interval's own sources show.
fn including(value: f64, (least, most): (f64, f64)) -> (f64, f64) {
    (least.min(value), most.max(value))
}

/// The figures of all lives, the smallest first.
fn sorted(lives: &[&RequestLife], figure: impl Fn(&RequestLife) -> f64) -> Vec<f64> {
    let mut figures: Vec<f64> = lives.iter().map(|life| figure(life)).collect();
    figures.sort_by(f64::total_cmp);
    figures
}
