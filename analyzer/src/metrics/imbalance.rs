//! How unevenly time is spread over the ranks: of each MPI function, each call site, and of the computation between.
//!
//! After DeRose, Homer, Johnson, "Detecting application load imbalance on high end massively parallel systems", Euro-Par
//! 2007. The *imbalance time* is the maximum over ranks less the mean: what would be gained at most if all ranks took the
//! same. The *imbalance percentage* is that, of the maximum, times n / (n - 1): 0 where all of n ranks take the same, 100
//! where one alone takes any time.

use super::totals::{self, Group, rank_value};
use crate::model::Run;
use crate::model::rank::function;
use crate::report::{Column, Table, Value};

/// What the first row is of.
const COMPUTATION: &str = "(computation)";
/// A time of each rank, in seconds, summed up.
struct Spread {
    mean: f64,
    most: f64,
    least: f64,
    /// The ranks with the most and the least time, by their places in the run.
    at: (usize, usize),
    ranks: usize,
}

/// By function.
pub fn functions(run: &Run) -> Table {
    let groups = totals::by(run, |_, _, entry| Some(function(&entry.signature)));
    let names = vec![(Column::new("function", "function"), Value::Text(COMPUTATION.into()))];
    let rows = groups.into_iter().map(|(name, group)| (vec![Value::Text(name)], group));
    table(run, "functions", names, rows)
}

/// By call site and function.
pub fn sites(run: &Run) -> Table {
    let groups = totals::by(run, |rank, _, entry| {
        let site = entry.signature.site;
        Some([run.sites.name(rank, site), run.sites.place(rank, site), function(&entry.signature)])
    });
    let names = vec![
        (Column::hidden("site"), Value::Text(COMPUTATION.into())),
        (Column::new("place", "call site"), Value::Text(COMPUTATION.into())),
        (Column::new("function", "function"), Value::None),
    ];
    let rows = groups.into_iter().map(|(names, group)| (names.map(Value::Text).to_vec(), group));
    table(run, "sites", names, rows)
}

/// The computation, then the groups, the one with the most imbalance time first. A name comes with the computation's.
fn table(
    run: &Run,
    name: &'static str,
    names: Vec<(Column, Value)>,
    groups: impl Iterator<Item = (Vec<Value>, Group)>,
) -> Table {
    let of_group = |group: &Group| Spread::of(run, |rank| group.of(rank).time);
    let called = groups.filter(|(_, group)| group.sum().calls > 0);
    let mut spreads: Vec<_> = called.map(|(names, group)| (names, of_group(&group))).collect();
    spreads.sort_by(|a, b| b.1.imbalance().total_cmp(&a.1.imbalance()));
    let (names, computation): (Vec<Column>, Vec<Value>) = names.into_iter().unzip();
    spreads.insert(0, (computation, of_computation(run)));
    let figures = vec![
        Column::new("mean_s", "mean").spare(1),
        Column::new("max_s", "max"),
        Column::new("max_rank", "rank"),
        Column::new("min_s", "min").spare(2),
        Column::new("min_rank", "rank").spare(2),
        Column::new("imbalance_s", "max-mean"),
        Column::new("imbalance_percent", "imb. %"),
    ];
    let rows = spreads.into_iter().map(|(names, spread)| [names, spread.values(run)].concat()).collect();
    Table::new(name, "", [names, figures].concat(), rows)
}

/// Of the time outside MPI, added up over a rank's threads as the time in MPI is.
fn of_computation(run: &Run) -> Spread {
    let outside = |rank: &crate::model::Rank| rank.wall_of_threads() - rank.time_in_mpi();
    Spread::of(run, |rank| outside(&run.ranks[rank]).max(0.0))
}

impl Spread {
    /// Of the time of each rank that is asked about, by its place; at least one is. The first rank counts of several that have the
    /// most or the least.
    fn of(run: &Run, time: impl Fn(usize) -> f64) -> Spread {
        let asked: Vec<usize> = (0..run.ranks.len()).filter(|rank| run.ranks[*rank].is_asked).collect();
        let times: Vec<f64> = asked.iter().map(|rank| time(*rank)).collect();
        let at = |better: fn(f64, f64) -> bool| {
            (1..times.len()).fold(0, |best, rank| if better(times[rank], times[best]) { rank } else { best })
        };
        let at = (at(|a, b| a > b), at(|a, b| a < b));
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Spread { mean, most: times[at.0], least: times[at.1], at: (asked[at.0], asked[at.1]), ranks: times.len() }
    }

    fn imbalance(&self) -> f64 {
        (self.most - self.mean).max(0.0)
    }

    /// Of 100. None of a single rank, and of what took no time.
    fn percentage(&self) -> Value {
        let others = self.ranks - 1;
        match self.most > 0.0 && others > 0 {
            true => Value::Percent(100.0 * self.imbalance() / self.most * self.ranks as f64 / others as f64),
            false => Value::None,
        }
    }

    fn values(&self, run: &Run) -> Vec<Value> {
        vec![
            Value::Seconds(self.mean),
            Value::Seconds(self.most),
            rank_value(&run.ranks[self.at.0]),
            Value::Seconds(self.least),
            rank_value(&run.ranks[self.at.1]),
            Value::Seconds(self.imbalance()),
            self.percentage(),
        ]
    }
}
