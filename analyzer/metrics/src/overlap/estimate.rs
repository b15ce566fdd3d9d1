//! Overhead, transfer time and what was hidden, of requests of one place and size.
//!
//! In: their lives. Out: medians, since one interruption on a busy machine is longer than many transfers.

use super::gathered::{GatheredRequests, PostingSite, RequestSize};
use super::transfer::TransferTime;
use crate::median::{interval, median};
use model::overlap::{Lives, RequestLife};

/// See the module. Times in nanoseconds, shares of 100.
#[derive(Clone, Copy, Default, Debug)]
pub struct Estimate {
    /// All of a life.
    pub whole: Option<f64>,
    /// Time in posting, in testing and in waiting calls.
    pub parts: [Option<f64>; 3],
    /// These together, and between which they lie with 95 % confidence.
    pub overhead: Option<f64>,
    /// See above.
    pub overhead_between: Option<(f64, f64)>,
    /// What recording these calls took the program besides: as measured at the start, or what lay between such calls where nothing
    /// else did. A program that has not made them for a while waits longer for the recorder's code and memory, too.
    pub recording: Option<f64>,
    /// How long a transfer takes that nothing overlaps.
    pub transfer: Option<TransferTime>,
    /// It was measured at this place.
    pub is_own: bool,
    /// Application availability; SMB prints the same.
    pub availability: Option<f64>,
    /// Overlap as the OSU benchmarks define it: the share of the transfer that cost the program nothing.
    pub osu_overlap: Option<f64>,
    /// Between which that lies: with 95 % confidence, and whether what recording took counts or not.
    pub osu_between: Option<(f64, f64)>,
    /// Overlap as IMB defines it: the same as a share of the computation where that was shorter.
    pub imb_overlap: Option<f64>,
    /// The least and the most that was hidden, for which no transfer time of this size is asked.
    pub bounds: Option<(f64, f64)>,
}

impl Estimate {
    /// Of these requests among all.
    pub fn of(all: &GatheredRequests, place: &PostingSite, size: RequestSize, lives: &Lives) -> Estimate {
        let own = TransferTime::of(lives.waited_right_after());
        let transfer = own.or_else(|| all.transfer(place, size.bytes));
        let pure = transfer.map(|transfer| transfer.median);
        let chosen = Chosen::of(lives, pure);
        let among = |figure: &dyn Fn(&RequestLife) -> f64| median(chosen.lives.iter().map(|life| figure(life)));
        let overhead = among(&|life| life.overhead() as f64);
        let beside = transfer.map_or(0.0, |transfer| transfer.between_calls);
        let recording = among(&|life| (life.recording as f64).max(life.calls as f64 * beside));
        let is_at_once = lives.at_once == lives.requests;
        let availability = pure.zip(overhead).filter(|_| chosen.is_covered || is_at_once);
        let least = all.least_transfer(place, size.bytes);
        let least = |life: &RequestLife| least.map_or(0.0, |transfer| hidden(transfer, life.overhead() as f64));
        let bounds = || {
            let most = among(&|life| hidden(life.over as f64, life.overhead() as f64))?;
            Some((among(&least)?.min(most), most))
        };
        let telling = pure.filter(|_| chosen.is_postponed).map_or(Vec::new(), |pure| chosen.telling(pure));
        let overheads = overheads(&telling);
        let osu_overlap = pure.and_then(|pure| Some(hidden(pure, median(overheads.iter().copied())?)));
        let osu_between = transfer.and_then(|transfer| transfer.between).zip(interval(&overheads));
        Estimate {
            whole: among(&|life| life.whole as f64),
            parts: [
                among(&|life| life.posting as f64),
                among(&|life| life.testing as f64),
                among(&|life| life.waiting as f64),
            ],
            overhead,
            overhead_between: interval(&self::overheads(&chosen.lives)),
            recording,
            transfer,
            is_own: own.is_some(),
            availability: availability.map(|(transfer, overhead)| hidden(transfer, overhead)),
            osu_overlap,
            osu_between: osu_between.map(|(pure, overhead)| {
                let seen = overhead.1 + recording.unwrap_or(0.0);
                (hidden(pure.0, seen), hidden(pure.1, overhead.0))
            }),
            imb_overlap: pure.and_then(|pure| median(telling.iter().map(|life| imb_overlap(pure, life)))),
            bounds: if chosen.is_postponed { bounds() } else { None },
        }
    }
}

impl Estimate {
    /// How long a transfer takes that nothing overlaps.
    pub fn pure(&self) -> Option<f64> {
        self.transfer.map(|transfer| transfer.median)
    }
}

/// The share of a transfer that its overhead leaves, of 100.
fn hidden(transfer: f64, overhead: f64) -> f64 {
    (100.0 * (1.0 - overhead / transfer)).clamp(0.0, 100.0)
}

/// (t_pure + t_compute - t_total) / min(t_pure, t_compute), of 100 and from 0 to 100.
fn imb_overlap(pure: f64, life: &RequestLife) -> f64 {
    let least = pure.min(life.computing() as f64);
    (100.0 * (pure - life.overhead() as f64) / least).clamp(0.0, 100.0)
}

/// The smallest first.
fn overheads(lives: &[&RequestLife]) -> Vec<f64> {
    let mut overheads: Vec<f64> = lives.iter().map(|life| life.overhead() as f64).collect();
    overheads.sort_by(f64::total_cmp);
    overheads
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

impl<'a> Chosen<'a> {
    /// Those whose transfer had the time; else those that were not waited for right after; else all.
    fn of(lives: &'a Lives, transfer: Option<f64>) -> Chosen<'a> {
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

    /// Those of a computation that is not much shorter than the transfer: else the difference is of two transfers, not of what was
    /// hidden.
    fn telling(&self, pure: f64) -> Vec<&'a RequestLife> {
        let tells = |life: &&&RequestLife| life.computing() as f64 >= pure * LEAST_COMPUTATION;
        self.lives.iter().filter(tells).copied().collect()
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
