//! `overhear why`: each rank's time by kind, place and rank, and what ranks waited for.
//!
//! In: the attribution of a run's time. Out: tables that only add it up: the kinds of a table make up the ranks' time, and the causes
//! make up the waits.

mod causes;
mod iterations;
mod places;
mod reason;
mod threads;
mod time;

use model::Run;
use model::attribution::{Attribution, RankTimes, Spent, ThreadTimes};
use model::origins::WaitOrigins;
use model::sums::Total;
use tables::{Fact, Table, Value, facts};

pub use causes::CauseRow;
pub use iterations::{IterationRow, Iterations};
pub use places::PlaceRow;
pub use threads::OtherThreadRow;
pub use time::{KindRow, RankRow};

use crate::totals::{percent, seconds};
use crate::words::plural;

/// If less of the time than this lies between readings of the use of the machine, percent, it is said.
const MOSTLY_READ: f64 = 90.0;

/// The evidence of the tables. Only asked ranks count, but any rank may be the one that they waited for.
pub struct Why<'a> {
    pub run: &'a Run,
    pub attribution: &'a Attribution,
    pub origins: &'a WaitOrigins,
}

facts! {
    LIFE = "rank_time_s", Seconds, always, "Time from the end of MPI_Init to the begin of MPI_Finalize, mean of the ranks.";
    WAITING = "waiting_percent", Percent, always, "Share of the ranks' time in which they waited for others.";
    UNRESOLVED = "unresolved_s", Seconds, always,
        "Waiting time per rank that leads to no rank's recorded time: no single rank was late, or the late one has no record of it.";
    ITERATIONS = "iterations", Count, sometimes, "Iterations of the loop that the run consists of, by the order of its calls.";
    ITERATION = "iteration_s", Seconds, sometimes, "Time of the usual iteration, the median of all.";
    SLOWER = "iteration_growth", Ratio, sometimes, "Time of the last tenth of the iterations over that of the first tenth.";
    READ = "read_percent", Percent, always,
        "Share of the ranks' time between two readings of their use of the machine: only of that it is known how long they had no core, slept or were in the kernel.";
    UNSEEN_THREADS = "unfollowed_threads", Count, always, "Threads other than the first that called MPI: they have a table of their own.";
}

impl<'a> Why<'a> {
    fn asked(&self) -> impl Iterator<Item = (usize, &'a RankTimes)> {
        self.run.asked_places().map(|(at, _)| (at, &self.attribution.ranks[at]))
    }

    fn ranks(&self) -> i64 {
        self.run.asked().count().max(1) as i64
    }

    /// Nanoseconds of all asked ranks.
    fn life(&self) -> i64 {
        self.asked().map(|(_, times)| times.life).total()
    }

    /// The mean rank's seconds.
    fn per_rank(&self, nanoseconds: i64) -> f64 {
        seconds(nanoseconds) / self.ranks() as f64
    }

    fn share(&self, nanoseconds: i64) -> Option<f64> {
        percent(nanoseconds as f64, self.life() as f64)
    }

    pub fn facts(&self) -> Vec<Fact> {
        let waited = self.asked().map(|(_, times)| times.of(|key| key.spent.waits().is_some())).total();
        let computed = self.asked().map(|(_, times)| times.of(|key| key.spent == Spent::Computing)).total();
        let unresolved: i64 = self.attribution.unresolved.values().copied().total();
        let threads = self.run.asked().map(|rank| rank.thread_count().saturating_sub(1)).sum::<usize>() as u64;
        let read = self.share(self.asked().map(|(_, times)| times.read).total()).unwrap_or(0.0);
        let share = |time| self.share(time).unwrap_or(0.0);
        let mut life = Fact::new(LIFE, "time", Value::Seconds(self.per_rank(self.life())));
        life = life.note(format!(
            " per rank: {:.1} % computing, {:.1} % waiting for others",
            share(computed),
            share(waited)
        ));
        if read < MOSTLY_READ {
            life = life.note(format!("; the use of cores is known for {read:.0} % of it"));
        }
        if threads > 0 {
            life = life.note(format!("; of the first threads, {} more call MPI", plural(threads, "thread")));
        }
        vec![
            life,
            Fact::hidden(WAITING, Value::Percent(share(waited))),
            Fact::hidden(READ, Value::Percent(read)),
            Fact::hidden(UNRESOLVED, Value::Seconds(self.per_rank(unresolved))),
            Fact::hidden(UNSEEN_THREADS, Value::Count(threads)),
        ]
    }

    pub fn causes(&self) -> Table<CauseRow> {
        causes::table(self)
    }

    pub fn kinds(&self) -> Table<KindRow> {
        time::kinds(self)
    }

    pub fn by_rank(&self) -> Table<RankRow> {
        time::ranks(self)
    }

    pub fn threads(&self, threads: &[ThreadTimes]) -> Table<OtherThreadRow> {
        threads::table(self, threads)
    }

    pub fn places(&self) -> Table<PlaceRow> {
        places::table(self)
    }
}
