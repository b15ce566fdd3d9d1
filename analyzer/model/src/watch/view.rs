//! The current state of one rank, as shown by a watch.

use serde::{Deserialize, Serialize};

use super::file::FileMoment;
use super::rates::{RateMeter, Rates, Sum};
use crate::process::{Process, ProcessState};
use crate::standing::Spot;
use crate::{ProcessFate, Rank};

/// State of a rank.
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
    /// Number of pending requests.
    pub pending: u64,
    /// Age of the oldest pending request, seconds.
    pub oldest: Option<f64>,
    /// Number of ranks that have reached its collective call, of how many.
    pub came: Option<(u64, u64)>,
}

impl RankView {
    /// The view by a file's moment, `now` seconds after its recording began.
    pub fn of(rank: &mut Rank, meter: &mut RateMeter, moment: &FileMoment, now: f64) -> RankView {
        rank.fate = ProcessFate::of(&rank.process, rank.header.pid);
        let newest = rank.since_begin(moment.newest);
        let age = if rank.fate == ProcessFate::Ended { newest } else { now };
        let process = (rank.fate != ProcessFate::Unknown).then(|| Process::of(rank.header.pid)).flatten();
        let sum = Sum::of(rank, moment, age);
        meter.add(now, sum, newest);
        RankView {
            spot: moment.spot,
            process,
            age,
            data_age: meter.data_age(now),
            sum,
            rates: meter.rates().filter(|_| rank.fate != ProcessFate::Ended),
            pending: moment.pending as u64,
            oldest: moment.oldest.map(|tick| (age - rank.since_begin(tick)).max(0.0)),
            came: None,
        }
    }

    /// This view some seconds later, if nothing is known to have happened.
    pub fn later(&self, seconds: f64) -> RankView {
        let lives = self.process.is_none_or(|process| process.state != ProcessState::Gone);
        let longer = if lives { seconds } else { 0.0 };
        RankView {
            age: self.age + longer,
            data_age: self.data_age + seconds,
            oldest: self.oldest.map(|oldest| oldest + longer),
            ..self.clone()
        }
    }

    /// Seconds that it has been at its spot; `None` if it came there after `age`.
    pub fn since(&self) -> Option<f64> {
        Some(self.age - self.spot.since()?).filter(|since| *since > 0.0)
    }
}
