//! What a rank's calls add up to, and how fast that grows.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::file::FileMoment;
use crate::Rank;

/// Rates are of at most so many seconds.
const LATELY: f64 = 5.0;

/// What a rank's calls add up to since its recording began.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sum {
    /// Seconds in MPI, all threads, the calls that they are in among them.
    pub in_mpi: f64,
    /// Threads that called MPI.
    pub threads: usize,
    /// Bytes handed out.
    pub sent: u64,
    /// Entries into the progress engine inside calls that achieved nothing.
    pub empty_entries: u64,
}

/// The same a second.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// The share of its threads' time in MPI, of 1.
    pub in_mpi: f64,
    /// Bytes handed out.
    pub sent: f64,
    /// Entries into the progress engine inside calls that achieved nothing.
    pub empty_entries: f64,
}

impl Sum {
    /// That of a rank's file at a moment, `age` seconds after its recording began.
    pub fn of(rank: &Rank, moment: &FileMoment, age: f64) -> Sum {
        let open: f64 = moment.inside.iter().map(|since| (age - rank.since_begin(*since)).max(0.0)).sum();
        Sum {
            in_mpi: rank.clock.seconds(moment.in_mpi) + open,
            threads: moment.threads,
            sent: moment.sent,
            empty_entries: moment.empty_entries,
        }
    }

    fn rates_since(&self, before: &Sum, seconds: f64) -> Rates {
        let a_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        Rates {
            in_mpi: ((self.in_mpi - before.in_mpi) / (seconds * self.threads as f64)).clamp(0.0, 1.0),
            sent: a_second(self.sent, before.sent),
            empty_entries: a_second(self.empty_entries, before.empty_entries),
        }
    }
}

/// A rank's sums at its last looks. Times in seconds since its recording began.
#[derive(Default)]
pub struct RateMeter {
    sums: VecDeque<(f64, Sum)>,
    /// What would change with the file.
    last: Option<(f64, u64, u64)>,
    changed: f64,
}

impl RateMeter {
    /// A look. `newest` is the last time that the file tells of.
    pub fn add(&mut self, age: f64, sum: Sum, newest: f64) {
        while self.sums.get(1).is_some_and(|(second, _)| age - second >= LATELY) {
            self.sums.pop_front();
        }
        self.sums.push_back((age, sum));
        let seen = (newest, sum.empty_entries, sum.sent);
        let has_changed = self.last.replace(seen).is_some_and(|before| before != seen);
        self.changed = if has_changed { age } else { self.changed.max(newest) };
    }

    /// For how long the file has not changed.
    pub fn data_age(&self, age: f64) -> f64 {
        (age - self.changed).max(0.0)
    }

    /// Between the first look that is kept and the last.
    pub fn rates(&self) -> Option<Rates> {
        let (first, last) = (self.sums.front()?, self.sums.back()?);
        let seconds = last.0 - first.0;
        (seconds > 0.0).then(|| last.1.rates_since(&first.1, seconds))
    }
}
