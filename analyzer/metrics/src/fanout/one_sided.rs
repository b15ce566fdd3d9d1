//! One-sided transfers from one rank to or from several others, until they are complete.

use std::collections::BTreeMap;

use super::time_spread::TimeSpread;
use crate::meaning;
use crate::totals::world_rank;
use crate::words::plural;
use model::one_sided::{RankTransfers, TransferRound};
use model::rank::function_of;
use model::sums::Total;
use model::{Rank, Run};
use tables::{Column, Row, Table, WorldRank};

/// The properties that grouped transfers of a rank share. `ranks` includes the rank itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TransferSeries {
    root: WorldRank,
    function: String,
    completed_by: String,
    site: String,
    bytes: u64,
    ranks: u64,
}

pub struct TransferRow {
    series: TransferSeries,
    spread: TimeSpread,
}

impl Row for TransferRow {
    const TABLE: &'static str = "one_sided";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::rank("root_rank", "root", |row: &Self| row.series.root).means(meaning::ROOT_RANK),
            Column::text("function", "by", |row: &Self| row.series.function.clone()).means(meaning::FUNCTION),
            Column::text("completed_by", "until", |row: &Self| row.series.completed_by.clone())
                .means("The call after which all transfers of the round are complete.")
                .spare(1),
            Column::text("site", "called at", |row: &Self| row.series.site.clone()).means(meaning::SITE).spare(5),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes).means(meaning::SIZE_BYTES),
            Column::count("ranks", "n", |row: &Self| row.series.ranks).means(meaning::ROUND_RANKS),
            Column::count("rounds", "rounds", |row: &Self| row.spread.count()).means("How many rounds.").spare(4),
            Column::seconds("min_s", "min", |row: &Self| row.spread.least()).means("The shortest round.").spare(3),
            Column::seconds("median_s", "median", |row: &Self| row.spread.median()).means("The median round."),
            Column::seconds("median_least_s", "", |row: &Self| row.spread.interval().map(|interval| interval.0))
                .means(meaning::MEDIAN_LEAST),
            Column::seconds("median_most_s", "", |row: &Self| row.spread.interval().map(|interval| interval.1))
                .means(meaning::MEDIAN_MOST),
            Column::seconds("mean_s", "", |row: &Self| row.spread.mean()).means("The mean round."),
            Column::seconds("p99_s", "", |row: &Self| row.spread.quantile(0.99))
                .means("The 99th percentile of the rounds' times."),
            Column::seconds("max_s", "max", |row: &Self| row.spread.most()).means("The longest round.").spare(2).each(),
            Column::seconds("per_message_s", "each", |row: &Self| {
                row.spread.median() / row.series.ranks.saturating_sub(1).max(1) as f64
            })
            .means("The median for each target."),
        ]
    }
}

/// One row for each rank, function, completing function, call site, size and number of ranks.
pub fn transfers(run: &Run, found: &[RankTransfers]) -> Table<TransferRow> {
    let mut times: BTreeMap<TransferSeries, Vec<i64>> = BTreeMap::new();
    for (rank, transfers) in run.asked().zip(found) {
        for round in &transfers.rounds {
            let lasted = rank.clock.seconds(round.end.saturating_sub(round.begin));
            times.entry(series(run, rank, round)).or_default().push((lasted * 1e9).round() as i64);
        }
    }
    let row = |(series, times): (_, Vec<i64>)| Some(TransferRow { series, spread: TimeSpread::of(times.into_iter())? });
    let title = "one-sided: from the first call until the rank that calls knows that all is complete";
    Table::new(title, times.into_iter().filter_map(row).collect()).silent_empty()
}

/// Notes that say how to read the times of transfers, and how many transfers are left out.
pub fn unseen_transfers(found: &[RankTransfers]) -> Vec<String> {
    let mut said = Vec::new();
    if found.iter().any(|rank| !rank.rounds.is_empty()) {
        said.push(
            "a target makes no call when a one-sided transfer arrives, so no answer to one is seen: what one_sided has ends \
             with the call that completes the transfers where they are made"
                .into(),
        );
    }
    let left_out = found.iter().map(|rank| rank.left_out).total();
    if left_out > 0 {
        said.push(format!(
            "{} left out: several to one rank, or of different sizes or functions, were under way together, or with a request of \
             their own, or completed by nothing",
            plural(left_out, "one-sided transfer")
        ));
    }
    said
}

fn series(run: &Run, rank: &Rank, round: &TransferRound) -> TransferSeries {
    TransferSeries {
        root: world_rank(rank),
        function: function_of(round.call),
        completed_by: function_of(round.completed_by),
        site: run.sites.place(rank, round.site),
        bytes: round.bytes,
        ranks: round.targets + 1,
    }
}
