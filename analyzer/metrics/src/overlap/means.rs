//! Means of lives, rank by rank: what benchmarks print.
//!
//! Medians withstand a busy machine; benchmarks add up. So a mean holds each interruption, and leaves out the first of a rank's requests, as
//! benchmarks do, since these set up what later ones find.

use std::collections::BTreeMap;

use crate::mean::Mean;
use model::batches::{Batches, ValueBatch};
use model::overlap::{LIFE_PARTS, Lives};

/// Batches of each rank, by its place in the run.
pub type BatchesByRank = BTreeMap<u32, RankBatches>;

/// Batches of a rank.
#[derive(Clone, Default, Debug)]
pub struct RankBatches {
    /// With the first requests.
    all: Vec<ValueBatch<LIFE_PARTS>>,
    /// Without.
    settled: Vec<ValueBatch<LIFE_PARTS>>,
}

impl RankBatches {
    /// Adds those of a place.
    pub fn add(&mut self, batches: &Batches<LIFE_PARTS>) {
        self.all.extend(batches.all());
        self.settled.extend(batches.settled());
    }

    /// Adds those of another.
    pub fn extend(&mut self, other: &RankBatches) {
        self.all.extend(&other.all);
        self.settled.extend(&other.settled);
    }
}

/// Whether the first requests count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstRequests {
    LeftOut,
    Counted,
}

/// How requests of one place and size are waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitForm {
    /// All right after they were posted, but for interruptions.
    RightAfter,
    /// All later, but for a few.
    Later,
    /// Some right after, some later.
    Both,
}

/// One request in so many, or fewer, says nothing of the others: it was interrupted, or is the first.
pub const FEW: f64 = 1.0 / 25.0;

impl WaitForm {
    /// Of lives that have a place and a size in common.
    pub fn of(lives: &Lives) -> WaitForm {
        let (direct, later) = (lives.of_direct.count() as f64, lives.of_postponed.count() as f64);
        match (direct + later) * FEW {
            few if later < few || later == 0.0 => WaitForm::RightAfter,
            few if direct < few || direct == 0.0 => WaitForm::Later,
            _ => WaitForm::Both,
        }
    }
}

/// Means over ranks, nanoseconds.
#[derive(Clone, Copy, Default, Debug)]
pub struct LifeMeans {
    /// All of a life.
    pub whole: Option<Mean>,
    /// In posting, testing and waiting calls.
    pub parts: [Option<Mean>; 3],
    /// These together.
    pub overhead: Option<Mean>,
    /// Outside of all MPI calls.
    pub computing: Option<Mean>,
    /// Calls that post, test and wait.
    pub calls: f64,
    /// What the recorder took to turn pages in a life, which is in none of the others.
    pub turning: f64,
    /// Between the end and the next call.
    pub behind: f64,
}

impl LifeMeans {
    /// Of batches of ranks. Where transfers are known only with other calls in them, these are overhead, too.
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

    /// Of one rank, with its first requests.
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
