//! What one rank does at the moment.

use serde::{Deserialize, Serialize};

use super::file::FileMoment;
use super::rates::{RateMeter, Rates, Sum};
use crate::process::{Process, ProcessState};
use crate::standing::Spot;
use crate::{ProcessFate, Rank};

/// See the module.
#[derive(Clone, Serialize, Deserialize)]
pub struct RankView {
    /// Where it is.
    pub spot: Spot,
    /// Its process, if that is on the host of whoever looked.
    pub process: Option<Process>,
    /// Seconds since its recording began: until now, or until the process that has ended was last known to live.
    pub age: f64,
    /// Seconds since its file last changed, as far as that was seen.
    pub data_age: f64,
    /// What its calls so far add up to.
    pub sum: Sum,
    /// The same a second, lately.
    pub rates: Option<Rates>,
    /// Requests that have begun and are not complete.
    pub pending: u64,
    /// How many seconds ago the oldest of them was begun.
    pub oldest: Option<f64>,
    /// How many ranks have come to the collective call that it is in, of how many.
    pub came: Option<(u64, u64)>,
}

impl RankView {
    /// By what its file says at a moment, `now` seconds after its recording began.
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

    /// The same so many seconds later, if nothing has happened that is known here.
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

    /// For how many seconds it has been where it is, or was, if anything is known to have happened meanwhile.
    pub fn since(&self) -> Option<f64> {
        Some(self.age - self.spot.since()?).filter(|since| *since > 0.0)
    }
}
