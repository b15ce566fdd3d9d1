//! The POP metrics: the efficiency of a run, in factors that each name one cause of loss.
//!
//! After the POP Centre of Excellence's standard metrics for parallel performance analysis (pop-coe.eu). The run's time
//! is the longest between MPI_Init and MPI_Finalize; useful time is what a rank's first thread spent outside MPI.

use traces::calls::Call;

use super::totals::{seconds, world_rank};
use super::words::plural;
use crate::meaning;
use model::matching::{Account, PhaseTimes};
use model::{ProcessFate, Rank, Run};
use tables::part::Addend::{Nanoseconds, OfOtherThreads, Ran, Ranks};
use tables::part::{PartFigure, PartRows, PartRule, PartTable, added};
use tables::{Column, Fact, Label, Row, Table, Value, WorldRank, facts};

/// Maximum number of phases shown to people.
const PHASES: usize = 20;

/// The times, in seconds, from which all factors follow.
#[derive(Clone, Debug)]
pub struct Efficiency {
    /// The longest rank's time, from MPI_Init to MPI_Finalize or of a phase.
    pub time: f64,
    /// The longest time on an ideal network, without latency and of infinite bandwidth.
    pub ideal: f64,
    /// Time outside MPI, by rank.
    pub useful: Vec<f64>,
}

/// The efficiency of a run, and of its phases if all ranks marked the same number of them by MPI_Pcontrol. Phases without
/// selected time are left out.
pub fn efficiencies(run: &Run, account: &Account) -> (Efficiency, Vec<Efficiency>) {
    let asked = account.phases.iter().zip(&run.ranks).filter(|(_, rank)| rank.is_asked);
    let ranks: Vec<&Vec<PhaseTimes>> = asked.map(|(phases, _)| phases).collect();
    let whole: Vec<PhaseTimes> = ranks.iter().map(|phases| sum(phases)).collect();
    let count = ranks.first().map_or(0, |phases| phases.len());
    let marked = count > 1 && ranks.iter().all(|phases| phases.len() == count);
    let phase = |at: usize| Efficiency::of(&ranks.iter().map(|phases| phases[at]).collect::<Vec<_>>());
    let phases = (0..count).filter(|_| marked).map(phase).filter(|phase| phase.time > 0.0);
    (Efficiency::of(&whole), phases.collect())
}

fn sum(phases: &[PhaseTimes]) -> PhaseTimes {
    phases.iter().fold(PhaseTimes::default(), |sum, phase| PhaseTimes {
        time: sum.time.saturating_add(phase.time),
        ideal: sum.ideal.saturating_add(phase.ideal),
        useful: sum.useful.saturating_add(phase.useful),
    })
}

impl Efficiency {
    fn of(ranks: &[PhaseTimes]) -> Efficiency {
        let longest = |time: fn(&PhaseTimes) -> i64| ranks.iter().map(time).max().unwrap_or(0);
        let time = longest(|rank| rank.time);
        // The common clock is fitted, so it may run a little faster than the ranks' clocks did.
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

    /// Load balance: the mean useful time over the longest.
    pub fn load_balance(&self) -> f64 {
        self.mean() / self.longest()
    }

    /// Serialization efficiency: the longest useful time over the time on the ideal network.
    pub fn serialization(&self) -> f64 {
        self.longest() / self.ideal
    }

    /// Transfer efficiency: the time on the ideal network over the run's time.
    pub fn transfer(&self) -> f64 {
        self.ideal / self.time
    }

    /// Communication efficiency: the longest useful time over the run's time, which is serialization times transfer.
    pub fn communication(&self) -> f64 {
        self.longest() / self.time
    }

    /// Parallel efficiency: the mean useful time over the run's time, which is load balance times communication.
    pub fn parallel(&self) -> f64 {
        self.mean() / self.time
    }
}

pub struct FactorRow {
    label: Label,
    percent: Option<f64>,
    meaning: &'static str,
}

impl Row for FactorRow {
    const TABLE: &'static str = "pop";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("metric", "metric", |row: &Self| row.label)
                .means(meaning::METRIC)
                .name()
                .in_part(PartRule::Kept),
            Column::percent("percent", "%", |row: &Self| row.percent).means(meaning::PERCENT).in_part(PartRule::OfRow),
            Column::text("meaning", "lost to", |row: &Self| row.meaning.to_string())
                .means("The time that the factor counts as lost.")
                .in_part(PartRule::Kept),
        ]
    }
}

pub fn factors(efficiency: &Efficiency) -> Table<FactorRow> {
    let row = |depth: usize, name: &'static str, factor: f64, meaning: &'static str| FactorRow {
        label: Label { key: name, name, depth },
        percent: percentage(factor),
        meaning,
    };
    let rows = vec![
        row(0, "parallel efficiency", efficiency.parallel(), "all that is not useful"),
        row(1, "load balance", efficiency.load_balance(), "ranks with less to do than the busiest"),
        row(1, "communication efficiency", efficiency.communication(), "the busiest rank's time in MPI"),
        row(2, "serialization efficiency", efficiency.serialization(), "waiting that no faster network would cure"),
        row(2, "transfer efficiency", efficiency.transfer(), "the network and the MPI library"),
    ];
    Table::new("", rows).whole().in_part(part())
}

/// Attribute, in the page's data, of the functions that start and end MPI: efficiency is about the time between them.
pub const EDGE: &str = "edge";

pub fn is_edge(function: u16) -> bool {
    [Call::Init, Call::Init_thread, Call::Finalize].iter().any(|call| call.number() == function)
}

/// The factors that need no replay of the run, in a part of it.
fn part() -> PartTable {
    // Useful time is the first thread's.
    let useful = added(Ran).without(added(Nanoseconds).without(OfOtherThreads));
    let edges = PartFigure::AddedWhere(Nanoseconds, EDGE, true.to_string());
    let (time, longest) = (added(Ran).without(edges).most(), useful.clone().most());
    let mean = useful.sum().over(Ranks);
    let rows =
        [Some(mean.clone().over(time.clone())), Some(mean.over(longest.clone())), Some(longest.over(time)), None, None];
    PartTable::new(PartRows::Fixed(rows.into()), &[])
        .left_out("what an ideal network would do is known of the whole run alone")
}

/// A factor in percent; `None` if its divisor is zero.
fn percentage(factor: f64) -> Option<f64> {
    factor.is_finite().then_some(100.0 * factor)
}

pub struct PhaseRow {
    number: u64,
    efficiency: Efficiency,
}

impl Row for PhaseRow {
    const TABLE: &'static str = "phases";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::number("phase", "phase", |row: &Self| row.number)
                .means("A part of the run that MPI_Pcontrol marks, from 0."),
            Column::seconds("time_s", "time", |row: &Self| row.efficiency.time).means("Its length."),
            Column::percent("parallel_percent", "parallel %", |row: &Self| percentage(row.efficiency.parallel()))
                .means("Its parallel efficiency."),
            Column::percent("load_balance_percent", "balance %", |row: &Self| {
                percentage(row.efficiency.load_balance())
            })
            .means("Its load balance."),
            Column::percent("serialization_percent", "serial. %", |row: &Self| {
                percentage(row.efficiency.serialization())
            })
            .means("Its serialization efficiency."),
            Column::percent("transfer_percent", "transfer %", |row: &Self| percentage(row.efficiency.transfer()))
                .means("Its transfer efficiency."),
        ]
    }
}

/// One row for each phase, in order.
pub fn phases(phases: Vec<Efficiency>) -> Table<PhaseRow> {
    let rows = (0..).zip(phases).map(|(number, efficiency)| PhaseRow { number, efficiency }).collect();
    Table::new("phases, from one MPI_Pcontrol to the next", rows).most(PHASES).silent_empty()
}

facts! {
    TIME = "mpi_time_s", Seconds, always, "From MPI_Init to MPI_Finalize, which the factors are of.";
    IDEAL = "ideal_time_s", Seconds, always,
        "How long the run would take on a network without latency and of infinite bandwidth, replayed from its \
         messages.";
    USEFUL_MAX = "useful_max_s", Seconds, always, "Time outside MPI of the rank with the most, of its first thread.";
    USEFUL_MEAN = "useful_mean_s", Seconds, always, "Time outside MPI, mean of the ranks, of their first threads.";
}

/// The times from which the factors follow.
pub fn facts(run: &Run, efficiency: &Efficiency) -> Vec<Fact> {
    let asked = if run.choice.region.is_some() { ", in the region" } else { "" };
    let unfinished: Vec<&Rank> = run.asked().filter(|rank| !rank.is_finalized()).collect();
    let goes_on = unfinished.iter().any(|rank| rank.fate == ProcessFate::Runs);
    let until = match (unfinished.len() as u64, goes_on) {
        (0, _) => "between MPI_Init and MPI_Finalize".to_string(),
        (1, true) => "from MPI_Init on; 1 rank has not finalized MPI".to_string(),
        (ranks, true) => format!("from MPI_Init on; {ranks} ranks have not finalized MPI"),
        (ranks, false) => format!("from MPI_Init on; {} did not finalize MPI", plural(ranks, "rank")),
    };
    vec![
        Fact::new(TIME, "time", Value::Seconds(efficiency.time)).note(format!(" {until}{asked}")),
        Fact::new(IDEAL, "ideal", Value::Seconds(efficiency.ideal)).note(" on a network that takes no time"),
        Fact::new(USEFUL_MAX, "useful", Value::Seconds(efficiency.longest()))
            .note(" at most, ")
            .figure(Value::Seconds(efficiency.mean()))
            .note(" mean"),
        Fact::hidden(USEFUL_MEAN, Value::Seconds(efficiency.mean())),
    ]
}

pub struct UsefulRankRow {
    rank: WorldRank,
    useful: f64,
}

impl Row for UsefulRankRow {
    const TABLE: &'static str = "ranks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("rank", "rank", |row: &Self| row.rank).means(meaning::RANK),
            Column::seconds("useful_s", "useful", |row: &Self| row.useful)
                .means("Time outside MPI of the rank's first thread."),
        ]
    }
}

/// Useful time by rank, for programs only.
pub fn ranks(run: &Run, efficiency: &Efficiency) -> Table<UsefulRankRow> {
    let row = |(rank, useful): (&Rank, &f64)| UsefulRankRow { rank: world_rank(rank), useful: *useful };
    Table::new("useful time", run.asked().zip(&efficiency.useful).map(row).collect()).for_programs()
}
