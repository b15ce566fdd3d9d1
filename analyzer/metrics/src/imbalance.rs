//! Measures how unevenly time is spread over the ranks: for each MPI function, each call site, and the computation between
//! calls.
//!
//! After DeRose, Homer, Johnson, "Detecting application load imbalance on high end massively parallel systems",
//! Euro-Par 2007. The *imbalance time* is the maximum over ranks minus the mean: the most that an even spread could
//! gain. The *imbalance percentage* is the imbalance time as a share of the maximum, times n / (n - 1): 0 if all n
//! ranks take the same, 100 if one rank takes all the time.

use super::breakdown::FunctionName;
use super::scheduling::undelayed_computation;
use super::totals::{self, CallGroup, Totals, world_rank};
use crate::meaning;
use model::Run;
use model::rank::function;
use tables::part::Addend::{Nanoseconds, RanOfThreads, Ranks};
use tables::part::{PartRows, PartRule, PartTable, added};
use tables::{Column, Row, Table, WorldRank};

/// The name of the first row, the time outside MPI.
pub const COMPUTATION: &str = "(computation)";

pub fn functions(run: &Run) -> Table<SpreadRow<FunctionName>> {
    let groups = totals::by_function(run).into_iter().map(|(function, group)| (FunctionName { function }, group));
    let rows = PartRows::CallsBehind(COMPUTATION, Nanoseconds, added(RanOfThreads).without(Nanoseconds));
    table(run, FunctionName { function: COMPUTATION.into() }, groups).in_part(PartTable::new(rows, &["imbalance_s"]))
}

/// Spread of a function's time over the ranks, added up elsewhere; without a name, of the time outside MPI. In seconds.
pub struct FunctionSpread {
    pub function: Option<String>,
    pub ranks: usize,
    pub total: f64,
    pub most: (f64, WorldRank),
    pub least: (f64, WorldRank),
    pub open: u64,
}

/// The table of [`functions`] from the spreads of each.
pub fn functions_of(mut spreads: Vec<FunctionSpread>) -> Table<SpreadRow<FunctionName>> {
    spreads.sort_by(|a, b| a.function.cmp(&b.function));
    let row = |spread: FunctionSpread| SpreadRow {
        name: FunctionName { function: spread.function.unwrap_or_else(|| COMPUTATION.into()) },
        spread: RankSpread {
            mean: spread.total / spread.ranks as f64,
            most: spread.most.0,
            most_rank: spread.most.1,
            least: spread.least.0,
            least_rank: spread.least.1,
            ranks: spread.ranks,
        },
        sum: Totals { open: spread.open, ..Totals::default() },
    };
    let mut rows: Vec<_> = spreads.into_iter().map(row).collect();
    // Without a name, the time outside MPI is first, and stays so.
    if let Some(functions) = rows.get_mut(1..) {
        functions.sort_by(|a, b| b.spread.imbalance().total_cmp(&a.spread.imbalance()));
    }
    Table::new("", rows)
}

pub struct ImbalanceSite {
    site: String,
    place: String,
    function: Option<String>,
}

impl Row for ImbalanceSite {
    const TABLE: &'static str = "sites";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("site", "", |name: &Self| name.site.clone()).means(meaning::SITE),
            Column::text("place", "call site", |name: &Self| name.place.clone())
                .means("The same in short: file and line."),
            Column::text("function", "function", |name: &Self| name.function.clone()).means(meaning::FUNCTION),
        ]
    }
}

/// The imbalance by call site and function.
pub fn sites(run: &Run) -> Table<SpreadRow<ImbalanceSite>> {
    let groups = totals::group_calls_named(
        run,
        |rank, entry| Some((run.sites.identity(rank, entry.signature.site), entry.signature.call)),
        |rank, entry| {
            let site = entry.signature.site;
            (run.sites.name(rank, site), run.sites.place(rank, site), function(&entry.signature))
        },
    );
    let name = |(site, place, function)| ImbalanceSite { site, place, function: Some(function) };
    let groups = groups.into_iter().map(|(key, group)| (name(key), group));
    table(run, ImbalanceSite { site: COMPUTATION.into(), place: COMPUTATION.into(), function: None }, groups)
}

/// The spread of one group's time over the ranks.
pub struct SpreadRow<Name> {
    name: Name,
    spread: RankSpread,
    /// Totals over all ranks.
    sum: Totals,
}

impl<Name: Row> Row for SpreadRow<Name> {
    const TABLE: &'static str = Name::TABLE;
    fn columns() -> Vec<Column<Self>> {
        let mut columns: Vec<_> =
            Name::columns().into_iter().map(|column| column.from_part(|row: &Self| &row.name)).collect();
        let (time, most) = (added(Nanoseconds), added(Nanoseconds).most());
        let mean = time.clone().over(Ranks);
        // (max - mean) / max, times n / (n - 1).
        let percentage = most.clone().times(Ranks).without(Nanoseconds);
        let percentage = percentage.over(most.clone().times(added(Ranks).without(1)));
        columns.extend([
            Column::seconds("mean_s", "mean", |row: &Self| row.spread.mean)
                .means("The mean of the ranks.")
                .spare(1)
                .in_part(mean.clone()),
            Column::seconds("max_s", "max", |row: &Self| row.spread.most)
                .means("The most of any rank.")
                .in_part(most.clone()),
            Column::rank("max_rank", "rank", |row: &Self| row.spread.most_rank)
                .means(meaning::MAX_RANK)
                .in_part(PartRule::RankWithMost(time.clone())),
            Column::seconds("min_s", "min", |row: &Self| row.spread.least)
                .means("The least of any rank.")
                .spare(2)
                .in_part(time.clone().least()),
            Column::rank("min_rank", "rank", |row: &Self| row.spread.least_rank)
                .means("The rank with the least.")
                .spare(2)
                .in_part(PartRule::RankWithLeast(time)),
            Column::seconds("imbalance_s", "max-mean", |row: &Self| row.spread.imbalance())
                .means("The imbalance time: maximum less mean, what an even spread could gain at most.")
                .in_part(most.without(mean)),
            Column::percent("imbalance_percent", "imbalance %", |row: &Self| row.spread.percentage())
                .means("The imbalance percentage: 0 where all ranks take the same, 100 where one takes all.")
                .in_part(percentage),
            totals::open_calls().from_part(|row: &Self| &row.sum),
        ]);
        columns
    }
}

/// The computation, then the groups, the one with the most imbalance time first.
fn table<Name: Row>(
    run: &Run,
    computation: Name,
    groups: impl Iterator<Item = (Name, CallGroup)>,
) -> Table<SpreadRow<Name>> {
    let called = groups.filter(|(_, group)| group.sum().calls > 0);
    let row = |(name, group): (Name, CallGroup)| {
        let spread = RankSpread::of(run, |rank| group.of_rank(rank).time);
        SpreadRow { name, spread, sum: group.sum() }
    };
    let mut rows: Vec<_> = called.map(row).collect();
    rows.sort_by(|a, b| b.spread.imbalance().total_cmp(&a.spread.imbalance()));
    rows.insert(0, SpreadRow { name: computation, spread: of_computation(run), sum: Totals::default() });
    Table::new("", rows)
}

/// Mean, most and least of the ranks' times, in seconds.
pub(super) struct RankSpread {
    mean: f64,
    pub(super) most: f64,
    pub(super) most_rank: WorldRank,
    least: f64,
    least_rank: WorldRank,
    ranks: usize,
}

/// The spread of the time outside MPI, added up over a rank's threads as the time in MPI is.
pub(super) fn of_computation(run: &Run) -> RankSpread {
    RankSpread::of(run, |rank| run.ranks[rank].computation())
}

/// The computation of the mean thread, less the scheduler's delays.
pub(super) fn of_undelayed_computation(run: &Run) -> RankSpread {
    RankSpread::of(run, |rank| undelayed_computation(&run.ranks[rank]))
}

/// The spread of the time outside MPI of each rank's mean thread, for comparison with the wall time.
pub(super) fn of_mean_threads(run: &Run) -> RankSpread {
    RankSpread::of(run, |rank| run.ranks[rank].mean_computation())
}

impl RankSpread {
    /// Spreads the `time` of each selected rank, given by its place in the run; at least one must be selected. Of several
    /// ranks with the most or the least, the first is named.
    fn of(run: &Run, time: impl Fn(usize) -> f64) -> RankSpread {
        let asked: Vec<usize> = run.asked_places().map(|(at, _)| at).collect();
        let times: Vec<f64> = asked.iter().map(|rank| time(*rank)).collect();
        let at = |better: fn(f64, f64) -> bool| {
            (1..times.len()).fold(0, |best, rank| if better(times[rank], times[best]) { rank } else { best })
        };
        let (most, least) = (at(|a, b| a > b), at(|a, b| a < b));
        let rank = |at: usize| world_rank(&run.ranks[asked[at]]);
        RankSpread {
            mean: times.iter().sum::<f64>() / times.len() as f64,
            most: times[most],
            most_rank: rank(most),
            least: times[least],
            least_rank: rank(least),
            ranks: times.len(),
        }
    }

    pub(super) fn imbalance(&self) -> f64 {
        (self.most - self.mean).max(0.0)
    }

    /// The imbalance percentage. `None` for a single rank and for a group that took no time.
    pub(super) fn percentage(&self) -> Option<f64> {
        let others = self.ranks - 1;
        let percentage = 100.0 * self.imbalance() / self.most * self.ranks as f64 / others as f64;
        (self.most > 0.0 && others > 0).then_some(percentage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_equally_uneven_are_in_the_order_of_their_names() {
        let rank = |number| WorldRank { world: 0, number: Some(number) };
        let spread = |function: Option<&str>, most| FunctionSpread {
            function: function.map(String::from),
            ranks: 2,
            total: 3.0,
            most: (most, rank(0)),
            least: (3.0 - most, rank(1)),
            open: 0,
        };
        let spreads = [(Some("MPI_Wait"), 2.0), (Some("MPI_Send"), 2.0), (Some("MPI_Recv"), 2.5), (None, 1.5)];
        let table = functions_of(spreads.map(|(function, most)| spread(function, most)).into());
        let names: Vec<&str> = table.rows.iter().map(|row| row.name.function.as_str()).collect();
        assert_eq!(names, [COMPUTATION, "MPI_Recv", "MPI_Send", "MPI_Wait"]);
    }
}
