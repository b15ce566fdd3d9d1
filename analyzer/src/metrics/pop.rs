//! The POP metrics: how efficient a run was, as factors of which each says what was lost by one thing.
//!
//! After the POP Centre of Excellence's standard metrics for parallel performance analysis (pop-coe.eu): the time is that between
//! MPI_Init and MPI_Finalize, useful what of it a rank's first thread spent outside MPI.

use super::totals::rank_value;
use crate::model::matching::{Account, Stretch, replay};
use crate::model::{Rank, Run};
use crate::report::{Column, Fact, Table, Value};

/// Phases that people are shown.
const PHASES: usize = 20;

/// Times in seconds, from which all factors follow.
#[derive(Clone, Debug)]
pub struct Efficiency {
    /// From MPI_Init to MPI_Finalize, or of a phase: the longest.
    pub time: f64,
    /// The same on an ideal network: no latency, infinite bandwidth.
    pub ideal: f64,
    /// Outside MPI, by rank.
    pub useful: Vec<f64>,
}

/// Those of a run, and of its phases where all ranks have marked as many by MPI_Pcontrol; phases that nothing is asked about of
/// are passed over. The account is used up by the replay.
pub fn efficiencies(run: &Run, account: &mut Account) -> (Efficiency, Vec<Efficiency>) {
    let ranks = replay(std::mem::take(&mut account.links), &account.rest.nodes);
    let asked = ranks.into_iter().zip(&run.ranks).filter(|(_, rank)| rank.is_asked);
    let ranks: Vec<_> = asked.map(|(phases, _)| phases).collect();
    let whole: Vec<Stretch> = ranks.iter().map(|phases| sum(phases)).collect();
    let count = ranks.first().map_or(0, Vec::len);
    let marked = count > 1 && ranks.iter().all(|phases| phases.len() == count);
    let phase = |at: usize| Efficiency::of(&ranks.iter().map(|phases| phases[at]).collect::<Vec<_>>());
    let phases = (0..count).filter(|_| marked).map(phase).filter(|phase| phase.time > 0.0);
    (Efficiency::of(&whole), phases.collect())
}

fn sum(phases: &[Stretch]) -> Stretch {
    phases.iter().fold(Stretch::default(), |sum, phase| Stretch {
        time: sum.time.saturating_add(phase.time),
        ideal: sum.ideal.saturating_add(phase.ideal),
        useful: sum.useful.saturating_add(phase.useful),
    })
}

impl Efficiency {
    fn of(ranks: &[Stretch]) -> Efficiency {
        let seconds = |nanoseconds: i64| nanoseconds as f64 / 1e9;
        let longest = |of: fn(&Stretch) -> i64| ranks.iter().map(of).max().unwrap_or(0);
        let time = longest(|rank| rank.time);
        // Clocks that were put on one line may run a little faster than they did.
        let ideal = longest(|rank| rank.ideal).min(time);
        Efficiency {
            time: seconds(time),
            ideal: seconds(ideal),
            useful: ranks.iter().map(|rank| seconds(rank.useful)).collect(),
        }
    }

    fn longest(&self) -> f64 {
        self.useful.iter().copied().fold(0.0, f64::max)
    }

    fn mean(&self) -> f64 {
        self.useful.iter().sum::<f64>() / self.useful.len().max(1) as f64
    }

    /// Mean useful time over the longest.
    pub fn load_balance(&self) -> f64 {
        self.mean() / self.longest()
    }

    /// The longest useful time over the ideal run's.
    pub fn serialization(&self) -> f64 {
        self.longest() / self.ideal
    }

    /// The ideal run's time over the run's.
    pub fn transfer(&self) -> f64 {
        self.ideal / self.time
    }

    /// The longest useful time over the run's: serialization times transfer.
    pub fn communication(&self) -> f64 {
        self.longest() / self.time
    }

    /// Mean useful time over the run's: load balance times communication.
    pub fn parallel(&self) -> f64 {
        self.mean() / self.time
    }
}

/// The factors.
pub fn factors(efficiency: &Efficiency) -> Table {
    let columns =
        vec![Column::new("metric", "metric"), Column::new("percent", "%"), Column::new("meaning", "what it lost by")];
    let row = |depth: usize, name: &'static str, value: f64, meaning: &str| {
        vec![Value::Label(name, name, depth), percentage(value), Value::Text(meaning.into())]
    };
    let rows = vec![
        row(0, "parallel efficiency", efficiency.parallel(), "all that is not useful"),
        row(1, "load balance", efficiency.load_balance(), "ranks with less to do than the busiest"),
        row(1, "communication efficiency", efficiency.communication(), "the busiest rank's time in MPI"),
        row(2, "serialization efficiency", efficiency.serialization(), "waiting that no faster network would cure"),
        row(2, "transfer efficiency", efficiency.transfer(), "the network and the MPI library"),
    ];
    Table::new("pop", "", columns, rows).whole()
}

/// A factor of 100; none of no time.
fn percentage(factor: f64) -> Value {
    if factor.is_finite() { Value::Percent(100.0 * factor) } else { Value::None }
}

/// The factors of each phase, by its number.
pub fn phases(phases: &[Efficiency]) -> Table {
    let columns = vec![
        Column::new("phase", "phase"),
        Column::new("time_s", "time"),
        Column::new("parallel_percent", "parallel %"),
        Column::new("load_balance_percent", "balance %"),
        Column::new("serialization_percent", "serial. %"),
        Column::new("transfer_percent", "transfer %"),
    ];
    let row = |(number, phase): (u64, &Efficiency)| {
        let factors = [phase.parallel(), phase.load_balance(), phase.serialization(), phase.transfer()];
        let mut row = vec![Value::Number(number), Value::Seconds(phase.time)];
        row.extend(factors.map(percentage));
        row
    };
    let rows = (0..).zip(phases).map(row).collect();
    Table::new("phases", "phases, from one MPI_Pcontrol to the next", columns, rows).most(PHASES)
}

/// The times behind them.
pub fn facts(run: &Run, efficiency: &Efficiency) -> Vec<Fact> {
    let asked = if run.choice.region.is_some() { ", in the region" } else { "" };
    vec![
        Fact::new("mpi_time_s", "time", Value::Seconds(efficiency.time))
            .note(format!(" between MPI_Init and MPI_Finalize{asked}")),
        Fact::new("ideal_time_s", "ideal", Value::Seconds(efficiency.ideal)).note(" on a network that takes no time"),
        Fact::new("useful_max_s", "useful", Value::Seconds(efficiency.longest()))
            .note(" at most, ")
            .figure(Value::Seconds(efficiency.mean()))
            .note(" mean"),
        Fact::hidden("useful_mean_s", Value::Seconds(efficiency.mean())),
    ]
}

/// Useful time by rank.
pub fn ranks(run: &Run, efficiency: &Efficiency) -> Table {
    let columns = vec![Column::new("rank", "rank"), Column::new("useful_s", "useful")];
    let row = |(rank, useful): (&Rank, &f64)| vec![rank_value(rank), Value::Seconds(*useful)];
    let rows = run.asked().zip(&efficiency.useful).map(row).collect();
    Table::new("ranks", "useful time", columns, rows)
}
