//! Splits a rank's lateness into its own part and the part that may be the scheduler's.
//!
//! In: the times of the ranks' activities, and the delays of their threads. Out: each rank's times of computation and in calls.

use super::limits::limits;
use crate::median::lower_median;
use crate::scheduling::scheduled;
use crate::totals::seconds;
use model::Run;
use model::origins::{Activity, WaitOrigins};

limits! {
    /// The scheduler's part of a rank's lateness is an estimate: a smaller rest counts as none.
    UNSURE = 0.25, Least, "of its lateness", Convention;
    /// Ranks with even work differ by a few percent: less work beyond that of others counts as none.
    UNEVEN = 0.1, Least, "of the usual work", Convention;
}

/// One rank's time of computation, or in calls, in seconds.
#[derive(Clone, Copy, Default)]
pub struct OwnTimes {
    /// Time without waits.
    busy: f64,
    /// Part of `busy` in which others waited.
    waited_for: f64,
    /// Part of `busy` in which the rank was ready but did not run: for computation an upper bound, for calls an estimate.
    pub delay: f64,
}

/// A figure of a rank's computation, and of its calls.
#[derive(Clone, Copy, Default)]
pub struct WorkAndCalls<T> {
    pub computing: T,
    pub calling: T,
}

/// Each rank's computation and calls.
pub fn own_times(run: &Run, origins: &WaitOrigins) -> Vec<WorkAndCalls<OwnTimes>> {
    let mut times = vec![WorkAndCalls::default(); run.ranks.len()];
    for ((rank, activity), one) in &origins.activities {
        let WorkAndCalls { computing, calling } = &mut times[*rank as usize];
        let sum: &mut OwnTimes = if matches!(activity, Activity::In(_)) { calling } else { computing };
        sum.busy += seconds(one.total);
        sum.waited_for += seconds(one.waited_for);
    }
    for (rank, WorkAndCalls { computing, calling }) in run.ranks.iter().zip(&mut times) {
        let Some(scheduled) = scheduled(rank) else { continue };
        // Delays are read between the ends of MPI_Init and MPI_Finalize, and may have hit the work more than they hit the polls: no
        // rank is named that they could excuse.
        computing.busy = computing.busy.min(scheduled.outside);
        computing.delay = scheduled.most_work_delay;
        // A rank that waits in MPI polls, and is delayed in its waits as it is in the rest of its calls.
        let in_mpi = (scheduled.wall - scheduled.outside).max(f64::MIN_POSITIVE);
        calling.delay = (scheduled.delay - scheduled.work_delay) * (calling.busy / in_mpi).min(1.0);
    }
    times
}

/// For computation and for calls, the share of each rank's lateness that is its own: no rank is to blame for the scheduler.
pub fn own_shares(times: &[WorkAndCalls<OwnTimes>]) -> Vec<WorkAndCalls<f64>> {
    let computing = lower_median(times.iter().map(|of_rank| of_rank.computing.undelayed()));
    let calling = lower_median(times.iter().map(|of_rank| of_rank.calling.undelayed()));
    let shares = times.iter().map(|of_rank| WorkAndCalls {
        computing: of_rank.computing.own_share(computing),
        calling: of_rank.calling.own_share(calling),
    });
    shares.collect()
}

impl OwnTimes {
    /// Time in which it ran, or slept.
    pub fn undelayed(&self) -> f64 {
        (self.busy - self.delay).max(0.0)
    }

    /// The share of the lateness that is the rank's own for certain, given the usual time of all ranks: what remains if all delays
    /// hit while others waited, or the rank's work beyond the usual, whichever is more.
    fn own_share(&self, usual: f64) -> f64 {
        let told = |time: f64, least: f64| if time < least { 0.0 } else { time };
        let rest = told(self.waited_for - self.delay, UNSURE.get() * self.waited_for);
        let more = told(self.undelayed() - usual, UNEVEN.get() * usual);
        (rest.max(more) / self.waited_for.max(f64::MIN_POSITIVE)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_share(busy: f64, waited_for: f64, delay: f64, usual: f64) -> f64 {
        OwnTimes { busy, waited_for, delay }.own_share(usual)
    }

    #[test]
    fn what_delays_can_explain_is_not_the_ranks_own() {
        assert_eq!(own_share(1.0, 0.4, 0.0, 1.0), 1.0, "the scheduler did nothing");
        assert_eq!(own_share(1.0, 0.5, 0.125, 1.0), 0.75);
        assert_eq!(own_share(1.0, 0.4, 0.35, 1.0), 0.0, "too little is left to be sure");
    }

    #[test]
    fn more_work_than_others_have_is_the_ranks_own_however_long_it_was_delayed() {
        assert_eq!(own_share(1.6, 0.8, 0.8, 0.4), 0.5, "0.8 s of work where 0.4 s are usual");
        assert_eq!(own_share(1.22, 0.8, 0.8, 0.4), 0.0, "a few percent more is even work");
    }
}
