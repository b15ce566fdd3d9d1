//! Means of requests' lives over the ranks, as benchmarks print them.
//!
//! Medians withstand a busy machine; benchmarks add up. So a mean includes each interruption. It leaves out each rank's
//! first requests, as benchmarks do, since these do the setup for later ones.

use std::collections::BTreeMap;

use crate::mean::Mean;
use crate::median::median;
use model::batches::{Batches, ValueBatch};
use model::overlap::{LIFE_PARTS, Lives, RequestLife};

/// Batches of each rank, by its place in the run.
pub type BatchesByRank = BTreeMap<u32, RankBatches>;

#[derive(Clone, Default, Debug)]
pub struct RankBatches {
    /// Batches that include the first requests.
    all: Vec<ValueBatch<LIFE_PARTS>>,
    /// Batches without the first requests.
    settled: Vec<ValueBatch<LIFE_PARTS>>,
}

impl RankBatches {
    pub fn of(batches: &Batches<LIFE_PARTS>) -> RankBatches {
        let mut own = RankBatches::default();
        own.add(batches);
        own
    }

    pub fn add(&mut self, batches: &Batches<LIFE_PARTS>) {
        self.all.extend(batches.all());
        self.settled.extend(batches.settled());
    }

    /// Adds the batches of another place.
    pub fn extend(&mut self, other: &RankBatches) {
        self.all.extend(&other.all);
        self.settled.extend(&other.settled);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstRequests {
    LeftOut,
    Counted,
}

/// Time of the waits for the requests of one place and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitForm {
    /// All right after the post, except for interruptions.
    RightAfter,
    /// All later, except for a few.
    Later,
    /// Some right after, some later.
    Both,
}

/// A share of requests this small says nothing about the others: they were interrupted, or are the first.
pub const FEW: f64 = 1.0 / 25.0;

impl WaitForm {
    /// The form of lives of one place and size.
    pub fn of(lives: &Lives) -> WaitForm {
        let (direct, later) = (lives.of_direct.count() as f64, lives.of_postponed.count() as f64);
        match (direct + later) * FEW {
            few if later < few || later == 0.0 => WaitForm::RightAfter,
            few if direct < few || direct == 0.0 => WaitForm::Later,
            _ => WaitForm::Both,
        }
    }
}

/// Means over ranks, in nanoseconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct LifeMeans {
    /// From the post to the end of the wait.
    pub whole: Option<Mean>,
    /// Time in calls that post, test and wait.
    pub parts: [Option<Mean>; 3],
    /// These three times together.
    pub overhead: Option<Mean>,
    /// Time outside all MPI calls.
    pub computing: Option<Mean>,
    /// The number of calls that post, test and wait.
    pub calls: f64,
    /// Time in which the recorder turned trace pages, which no other figure includes.
    pub turning: f64,
    /// From the end of the wait to the next call.
    pub behind: f64,
}

impl LifeMeans {
    /// The means of the ranks' batches. With `has_others`, other MPI calls between post and wait count as overhead,
    /// too, as they do in the known transfer times.
    pub fn of(ranks: &BatchesByRank, first: FirstRequests, has_others: bool) -> LifeMeans {
        let batches = |rank: &RankBatches| match first {
            FirstRequests::LeftOut => rank.settled.clone(),
            FirstRequests::Counted => rank.all.clone(),
        };
        let ranks: Vec<Vec<ValueBatch<LIFE_PARTS>>> = ranks.values().map(batches).collect();
        let mean = |figure: &dyn Fn(&ValueBatch<LIFE_PARTS>) -> f64| Mean::of(ranks.iter().map(Vec::as_slice), figure);
        LifeMeans {
            whole: mean(&|batch| batch.mean(WHOLE)),
            parts: [POSTING, TESTING, WAITING].map(|part| mean(&|batch| batch.mean(part))),
            overhead: mean(&|batch| overhead(batch, has_others)),
            computing: mean(&computing),
            calls: mean(&|batch| batch.mean(CALLS)).map_or(0.0, |calls| calls.value),
            turning: mean(&|batch| batch.mean(TURNING)).map_or(0.0, |turning| turning.value),
            behind: mean(&|batch| batch.mean(BEHIND)).map_or(0.0, |behind| behind.value),
        }
    }

    /// The means of one rank, with its first requests.
    pub fn of_rank(batches: &RankBatches) -> LifeMeans {
        LifeMeans::of(&BTreeMap::from([(0, batches.clone())]), FirstRequests::Counted, true)
    }
}

const WHOLE: usize = 0;
const POSTING: usize = 1;
const TESTING: usize = 2;
const WAITING: usize = 3;
const ELSEWHERE: usize = 4;
const CALLS: usize = 5;
const TURNING: usize = 6;
const BEHIND: usize = 7;

fn overhead(batch: &ValueBatch<LIFE_PARTS>, has_others: bool) -> f64 {
    let own: f64 = [POSTING, TESTING, WAITING].map(|part| batch.mean(part)).iter().sum();
    if has_others { own + batch.mean(ELSEWHERE) } else { own }
}

fn computing(batch: &ValueBatch<LIFE_PARTS>) -> f64 {
    batch.mean(WHOLE) - overhead(batch, true)
}

/// The least computation that shows the hidden share, as a share of the transfer.
const LEAST_COMPUTATION: f64 = 0.25;

pub struct Chosen<'a> {
    pub lives: Vec<&'a RequestLife>,
    /// True if their transfers had the time to proceed while the program computed.
    pub is_covered: bool,
    /// True if they were waited for later than right after the post.
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
    /// would outweigh the hidden share.
    pub fn telling(&self, pure: f64) -> Vec<&'a RequestLife> {
        let tells = |life: &&&RequestLife| life.computing() as f64 >= pure * LEAST_COMPUTATION;
        self.lives.iter().filter(tells).copied().collect()
    }
}

/// True if this much computation shows how much of a transfer was hidden.
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
