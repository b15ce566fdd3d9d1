//! The results of the analyses, as the rules take them, and answers that many rules need.

use std::cell::OnceCell;

use super::activity_sums::ActivitySums;
use super::stored_sizes::StoredSizes;
use super::{Finding, machine};
use crate::hang::EndVerdict;
use crate::pop::Efficiency;
use crate::scheduling::{Scheduled, by_host, most_shared, scheduled};
use crate::totals::seconds;
use model::attribution::{RankTimes, Spent};
use model::engine::EngineAccount;
use model::matching::{Account, Settled};
use model::shared_walk::SharedWalk;
use model::{Rank, Run};
use tables::Value;

/// The results of the analyses of a run. Without single calls only the run is known.
pub struct Evidence<'a> {
    pub run: &'a Run,
    /// The run's matched calls, and their clock.
    pub settled: Option<&'a Settled>,
    /// Habits, origins of waiting and the critical path.
    pub walk: Option<&'a SharedWalk>,
    pub efficiency: Option<&'a Efficiency>,
    /// The activity of each rank's progress engine, by thread.
    pub engines: &'a [Vec<EngineAccount>],
    /// The verdict on a run that was hanging when it ended, or whose calls did not fit.
    pub at_end: Option<&'a EndVerdict>,
    /// Answers that many rules need, once they are known.
    pub answers: Answers,
}

/// Answers that many rules need. Each is worked out once.
#[derive(Default)]
pub struct Answers {
    ranks: OnceCell<usize>,
    wall: OnceCell<f64>,
    in_mpi: OnceCell<f64>,
    running_in_mpi: OnceCell<f64>,
    are_cores_shared: OnceCell<bool>,
    delays: OnceCell<Option<Finding>>,
    work: OnceCell<Vec<f64>>,
    activities: OnceCell<ActivitySums>,
    stored_sizes: OnceCell<StoredSizes>,
    doubt: OnceCell<Option<(f64, String)>>,
}

impl<'a> Evidence<'a> {
    pub fn account(&self) -> Option<&'a Account> {
        self.settled.map(|settled| &settled.account)
    }

    /// True if the run was hanging when it ended.
    pub fn hung(&self) -> bool {
        self.at_end.is_some_and(|verdict| verdict.is_hang)
    }

    /// Number of ranks that the findings are about.
    pub(super) fn ranks(&self) -> usize {
        *self.answers.ranks.get_or_init(|| self.run.asked().count().max(1))
    }

    /// The mean rank's wall time, seconds.
    pub fn wall(&self) -> f64 {
        let mean = || self.run.asked().map(Rank::wall).sum::<f64>() / self.ranks() as f64;
        *self.answers.wall.get_or_init(mean)
    }

    /// The mean rank's time in MPI, seconds: nothing that the program does can save more.
    pub(super) fn in_mpi(&self) -> f64 {
        let mean = || self.run.asked().map(Rank::mean_time_in_mpi).sum::<f64>() / self.ranks() as f64;
        *self.answers.in_mpi.get_or_init(mean)
    }

    /// True if ranks outnumber the cores of a host.
    pub(super) fn shares_cores(&self) -> bool {
        *self.answers.are_cores_shared.get_or_init(|| {
            by_host(self.run)
                .iter()
                .any(|(host, ranks)| most_shared(host, ranks).is_some_and(|shared| shared.ranks_a_core() > 1.0))
        })
    }

    /// True if ranks outnumber the cores of a host, or are kept from them: then a few percent of lateness are the scheduler's.
    pub(super) fn lacks_cores(&self) -> bool {
        self.shares_cores() || self.delays().is_some()
    }

    /// The finding on ranks that were ready to run but did not.
    pub(super) fn delays(&self) -> Option<&Finding> {
        self.answers.delays.get_or_init(|| machine::finding(self)).as_ref()
    }

    /// Each rank's times with what the scheduler told of it; none without single calls.
    fn ranks_read(&self) -> impl Iterator<Item = (&'a RankTimes, Option<Scheduled>)> {
        let times = self.walk.map_or(&[][..], |walk| &walk.attribution.ranks);
        times.iter().zip(self.run.ranks.iter().map(scheduled))
    }

    /// Seconds that each rank computes, without those in which it may have lacked its core; empty without single calls.
    pub(super) fn work(&self) -> &[f64] {
        let of_rank = |(times, scheduled): (&RankTimes, Option<Scheduled>)| {
            let outside = seconds(times.of(|key| key.spent.is_work()));
            (outside - scheduled.map_or(0.0, |of_rank| of_rank.most_work_delay)).max(0.0)
        };
        self.answers.work.get_or_init(|| self.ranks_read().map(of_rank).collect())
    }

    /// Seconds for which each rank lacked its core in its calls without their waits, an estimate: a rank that waits in MPI polls, and is delayed in
    /// its waits as it is in the rest of its calls.
    pub(super) fn delays_in_calls(&self) -> impl Iterator<Item = f64> {
        self.ranks_read().map(|(times, scheduled)| {
            let in_calls = times.of(|key| matches!(key.spent, Spent::Files | Spent::InCall | Spent::Polling));
            scheduled.map_or(0.0, |of_rank| {
                let in_mpi = (of_rank.wall - of_rank.outside).max(f64::MIN_POSITIVE);
                (of_rank.delay - of_rank.work_delay) * (seconds(in_calls) / in_mpi).min(1.0)
            })
        })
    }

    pub(super) fn activities(&self) -> &ActivitySums {
        let of_walk = |walk: &SharedWalk| ActivitySums::of(&walk.origins);
        self.answers.activities.get_or_init(|| self.walk.map_or_else(ActivitySums::default, of_walk))
    }

    pub(super) fn stored_sizes(&self) -> &StoredSizes {
        let of_account = |account| StoredSizes::of(self.run, account);
        self.answers.stored_sizes.get_or_init(|| self.account().map_or_else(StoredSizes::default, of_account))
    }

    /// The sentence on polls that may be waits, if they take at least this share of the run. `find` finds it, with its seconds.
    pub(super) fn doubt(&self, find: impl FnOnce() -> Option<(f64, String)>, least: f64) -> Option<&str> {
        let (time, sentence) = self.answers.doubt.get_or_init(find).as_ref()?;
        (*time >= least * self.wall()).then_some(sentence)
    }

    /// The share of the mean rank's time in MPI in which the scheduler let it run.
    pub(super) fn running_in_mpi(&self) -> f64 {
        let share = |rank| scheduled(rank).map_or(1.0, |scheduled| scheduled.running_in_mpi());
        let mean = || self.run.asked().map(share).sum::<f64>() / self.ranks() as f64;
        *self.answers.running_in_mpi.get_or_init(mean)
    }

    /// `0.90 s per rank, 28.1 % of the run`.
    pub(super) fn share(&self, time: f64) -> String {
        let share = 100.0 * time / self.wall().max(f64::MIN_POSITIVE);
        format!("{} per rank, {share:.1} % of the run", Value::Seconds(time))
    }

    /// The mean rank's part of a time of all ranks, from nanoseconds to seconds.
    pub(super) fn mean(&self, nanoseconds: i64) -> f64 {
        seconds(nanoseconds) / self.ranks() as f64
    }
}
