//! The number of ranks at which one more message costs least.

use super::gathered_rounds::{ByRanks, GatheredRounds, RoundSeries};
use super::time_spread::TimeSpread;
use crate::meaning;
use tables::{Column, Row, Table, WorldRank};

/// The cost of one more message, from one number of ranks to the next that occurred: seconds per message, and their 95
/// % interval.
#[derive(Clone, Copy, Debug)]
struct Step {
    ranks: u64,
    cost: f64,
    between: Option<(f64, f64)>,
}

impl Step {
    fn of((few, of_few): (u64, &TimeSpread), (many, of_many): (u64, &TimeSpread)) -> Step {
        let messages = (many - few) as f64;
        // The bounds combine the far ends of both intervals: the least cost has the smaller round longest and the
        // larger one shortest.
        let apart = |of_many: f64, of_few: f64| (of_many - of_few) / messages;
        let between = of_few.interval().zip(of_many.interval());
        let between = between.map(|(few, many)| (apart(many.0, few.1), apart(many.1, few.0)));
        Step { ranks: many, cost: apart(of_many.median(), of_few.median()), between }
    }
}

/// The cheapest step of a series of rounds with several numbers of ranks.
pub struct CheapestRow {
    series: RoundSeries,
    root: WorldRank,
    /// Numbers of ranks that occurred.
    seen: u64,
    /// The step that costs least.
    least: Option<Step>,
    /// True if the step's interval lies below the intervals of all other steps.
    is_determined: bool,
}

impl CheapestRow {
    fn reason(&self) -> &'static str {
        if self.seen < 3 { "there are two numbers of ranks" } else { "the intervals of the times overlap" }
    }
}

impl Row for CheapestRow {
    const TABLE: &'static str = "cheapest";
    fn columns() -> Vec<Column<Self>> {
        let between = |row: &Self| row.least.and_then(|least| least.between);
        vec![
            Column::label("way", "way", |row: &Self| row.series.way()).means(meaning::WAY),
            Column::rank("root_rank", "root", |row: &Self| row.root).means(meaning::ROOT_RANK),
            Column::text("function", "by", |row: &Self| row.series.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "sent at", |row: &Self| row.series.site.clone()).means(meaning::SITE).spare(1),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes()).means(meaning::SIZE_BYTES),
            Column::count("numbers_of_ranks", "ns", |row: &Self| row.seen)
                .means("How many numbers of ranks were seen.")
                .spare(2),
            Column::count("cheapest_ranks", "cheapest n", |row: &Self| {
                row.least.filter(|_| row.is_determined).map(|least| least.ranks)
            })
            .means("The number of ranks at which one more message costs least; empty where that is not certain."),
            Column::text("cheapest_reason", "", |row: &Self| (!row.is_determined).then(|| row.reason().into()))
                .means("Why no number of ranks is the cheapest for certain."),
            Column::count("least_ranks", "", |row: &Self| row.least.map(|least| least.ranks))
                .means("The number of ranks at which one more message seems to cost least, certain or not."),
            Column::seconds("message_s", "one more", |row: &Self| row.least.map(|least| least.cost))
                .means("The time that one more message adds to a round at that number of ranks."),
            Column::seconds("message_least_s", "least", move |row: &Self| between(row).map(|between| between.0))
                .means(meaning::LEAST),
            Column::seconds("message_most_s", "most", move |row: &Self| between(row).map(|between| between.1))
                .means(meaning::MOST),
        ]
    }
}

/// One row for each series with several numbers of ranks: that at which one more message costs least.
pub fn cheapest(all: &GatheredRounds<'_>) -> Table<CheapestRow> {
    let several = all.series.iter().filter(|(_, by_ranks)| by_ranks.len() > 1);
    let row = |(series, by_ranks): (&RoundSeries, &ByRanks<'_>)| {
        let steps = steps(by_ranks);
        let least = steps.iter().copied().min_by(|one, other| one.cost.total_cmp(&other.cost));
        let is_determined = steps.len() > 1 && least.is_some_and(|least| is_below_all(least, &steps));
        let seen = by_ranks.len() as u64;
        CheapestRow { series: series.clone(), root: all.rank(series.root), seen, least, is_determined }
    };
    let title = "one message more: what it adds to a round, and the n at which that is least";
    Table::new(title, several.map(row).collect())
}

fn steps(by_ranks: &ByRanks<'_>) -> Vec<Step> {
    let spreads = by_ranks.iter().map(|(ranks, group)| (*ranks, &group.spread));
    spreads.clone().zip(spreads.skip(1)).map(|(few, many)| Step::of(few, many)).collect()
}

fn is_below_all(least: Step, steps: &[Step]) -> bool {
    let others = steps.iter().filter(|step| step.ranks != least.ranks);
    let is_below = |other: &Step| least.between.zip(other.between).is_some_and(|(least, other)| least.1 < other.0);
    others.into_iter().all(is_below)
}
