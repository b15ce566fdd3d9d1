//! The current state of one rank, as shown by a watch.

use serde::{Deserialize, Serialize};
use traces::signature::Signature;

use super::account::BegunRequest;
use super::file::FileMoment;
use super::rates::{RateMeter, Rates, Sum};
use crate::bytes;
use crate::process::{Process, ProcessState};
use crate::standing::Spot;
use crate::{ProcessFate, Rank};

#[derive(Clone, Serialize, Deserialize)]
pub struct RankView {
    pub spot: Spot,
    /// Its process, if it is on the host of the watch.
    pub process: Option<Process>,
    /// Seconds since its recording began: until now, or until the last sign of life of an ended process.
    pub age: f64,
    /// Seconds since its file was last seen to change.
    pub data_age: f64,
    /// Sums over its calls so far.
    pub sum: Sum,
    /// Rates over the last seconds.
    pub rates: Option<Rates>,
    pub pending: u64,
    pub requests: Vec<ListedRequest>,
    pub threads: Vec<ThreadView>,
    /// Number of ranks that have reached its collective call, and number of all ranks of the call.
    pub came: Option<(u64, u64)>,
    /// Places of the ranks that its call waits for, as far as they are known.
    pub waits_for: Vec<u32>,
}

/// A pending request that a look lists. The call began it, or created it if it is persistent.
#[derive(Clone, Serialize, Deserialize)]
pub struct ListedRequest {
    #[serde(with = "bytes")]
    pub call: Signature,
    /// Its begin, seconds since the rank's recording began.
    pub begun: f64,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct ThreadView {
    pub number: u32,
    pub spot: Spot,
}

/// A rank that has been in one call for this many seconds waits in it.
pub const STAY: f64 = 0.5;

impl RankView {
    /// The view by a file's moment, `now` seconds after its recording began.
    pub fn of(rank: &mut Rank, meter: &mut RateMeter, moment: &FileMoment, now: f64) -> RankView {
        rank.fate = ProcessFate::of(&rank.process, rank.header.pid);
        let newest = rank.since_begin(moment.newest);
        let age = if rank.fate == ProcessFate::Ended { newest } else { now };
        let process = (rank.fate != ProcessFate::Unknown).then(|| Process::of(rank.header.pid)).flatten();
        let sum = Sum::of(rank, moment, age);
        meter.add(now, sum, newest);
        let request =
            |request: &BegunRequest| ListedRequest { call: request.call, begun: rank.since_begin(request.at) };
        RankView {
            spot: moment.spot,
            process,
            age,
            data_age: meter.data_age(now),
            sum,
            rates: meter.rates().filter(|_| rank.fate != ProcessFate::Ended),
            pending: moment.pending as u64,
            requests: moment.requests.iter().map(request).collect(),
            threads: moment.spots.iter().map(|(number, spot)| ThreadView { number: *number, spot: *spot }).collect(),
            came: None,
            waits_for: Vec::new(),
        }
    }

    /// This view some seconds later, without news.
    pub fn later(&self, seconds: f64) -> RankView {
        let lives = self.process.is_none_or(|process| process.state != ProcessState::Gone);
        let longer = if lives { seconds } else { 0.0 };
        RankView { age: self.age + longer, data_age: self.data_age + seconds, ..self.clone() }
    }

    /// Seconds that it has been at its spot; `None` if it came there after `age`.
    pub fn since(&self) -> Option<f64> {
        self.since_spot(&self.spot)
    }

    /// Seconds that one of its threads has been at its spot.
    pub fn since_spot(&self, spot: &Spot) -> Option<f64> {
        Some(self.age - spot.since()?).filter(|since| *since > 0.0)
    }

    /// Age of the oldest pending request, seconds.
    pub fn oldest(&self) -> Option<f64> {
        self.requests.first().map(|request| (self.age - request.begun).max(0.0))
    }

    /// True if all its threads have been in one call each for a while.
    pub fn stays(&self) -> bool {
        let is_inside = |spot: &Spot| matches!(spot, Spot::Inside(..));
        let stays = |spot: &Spot| is_inside(spot) && self.since_spot(spot).is_some_and(|since| since >= STAY);
        stays(&self.spot) && self.threads.iter().all(|thread| stays(&thread.spot))
    }
}
