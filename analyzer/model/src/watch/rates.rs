//! Computes the growth rates of a rank's sums.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::file::FileMoment;
use crate::Rank;

/// Maximum time over which rates are taken, seconds.
const LATELY: f64 = 5.0;

/// Sums over a rank's calls since its recording began.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sum {
    /// Seconds in MPI, all threads, including open calls.
    pub in_mpi: f64,
    /// Number of threads that called MPI.
    pub threads: usize,
    pub sent: u64,
    /// Entries into the progress engine inside calls without progress.
    pub empty_entries: u64,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// Share of its threads' time in MPI, 0 to 1.
    pub in_mpi: f64,
    pub sent: f64,
    /// Entries into the progress engine without progress, per second.
    pub empty_entries: f64,
}

impl Sum {
    /// Sums of a file's moment, `age` seconds after its recording began.
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
    /// Values that change whenever the file does.
    last: Option<(f64, u64, u64)>,
    changed: f64,
}

impl RateMeter {
    /// Adds a look. `newest` is the last time known from the file.
    pub fn add(&mut self, age: f64, sum: Sum, newest: f64) {
        while self.sums.get(1).is_some_and(|(second, _)| age - second >= LATELY) {
            self.sums.pop_front();
        }
        self.sums.push_back((age, sum));
        let seen = (newest, sum.empty_entries, sum.sent);
        let has_changed = self.last.replace(seen).is_some_and(|before| before != seen);
        self.changed = if has_changed { age } else { self.changed.max(newest) };
    }

    /// Seconds since the file last changed.
    pub fn data_age(&self, age: f64) -> f64 {
        (age - self.changed).max(0.0)
    }

    /// Rates between the oldest look kept and the latest.
    pub fn rates(&self) -> Option<Rates> {
        let (first, last) = (self.sums.front()?, self.sums.back()?);
        let seconds = last.0 - first.0;
        (seconds > 0.0).then(|| last.1.rates_since(&first.1, seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_last_seconds() {
        let mut meter = RateMeter::default();
        // A hundred bytes a second, and a thousand from the tenth second on.
        for second in 0..=20u64 {
            let sent = 100 * second.min(10) + 1_000 * second.saturating_sub(10);
            meter.add(second as f64, Sum { in_mpi: 0.0, threads: 1, sent, empty_entries: 0 }, second as f64);
            let rate = meter.rates().map(|rates| rates.sent);
            match second {
                0 => assert_eq!(rate, None),
                1..=10 => assert_eq!(rate, Some(100.0)),
                11..15 => assert!(rate.is_some_and(|rate| 100.0 < rate && rate < 1_000.0), "{rate:?}"),
                _ => assert_eq!(rate, Some(1_000.0), "second {second}"),
            }
        }
    }
}
