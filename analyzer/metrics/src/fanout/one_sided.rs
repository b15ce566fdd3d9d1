//! One-sided transfers from one rank to or from others, one or a window of several at a time, until they are complete.

use std::collections::BTreeMap;

use super::time_spread::{TimeSpread, settled_mean};
use crate::mean::Mean;
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
    /// Number of transfers to or from each of the others.
    transfers: u64,
}

/// Times in nanoseconds, in order.
#[derive(Default)]
struct TransferTimes {
    rounds: Vec<i64>,
    /// From the begin of a round to the begin of the next.
    until_next: Vec<i64>,
}

pub struct TransferRow {
    series: TransferSeries,
    spread: TimeSpread,
    until_next: Option<TimeSpread>,
    until_next_mean: Option<Mean>,
}

impl TransferRow {
    /// Number of transfers of a round.
    fn transfers(&self) -> f64 {
        (self.series.ranks.saturating_sub(1).max(1)).saturating_mul(self.series.transfers) as f64
    }

    /// Bytes a second, if a round takes so many seconds.
    fn bandwidth(&self, seconds: f64) -> Option<u64> {
        let moved = self.transfers() * self.series.bytes as f64;
        (seconds > 0.0).then(|| (moved / seconds).round() as u64)
    }
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
            Column::count("transfers", "window", |row: &Self| row.series.transfers)
                .means(
                    "How many transfers of a round go to, or come from, each of the other ranks, one behind the other.",
                )
                .spare(6),
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
            Column::seconds("per_message_s", "each", |row: &Self| row.spread.median() / row.transfers())
                .means("The median for each transfer.")
                .spare(3),
            Column::seconds("until_next_s", "", |row: &Self| row.until_next.as_ref().map(TimeSpread::median))
                .means("From the begin of a round to that of the next of its kind behind it, median."),
            Column::seconds("until_next_mean_s", "by timer", |row: &Self| row.until_next_mean.map(|mean| mean.value))
                .means(
                    "Mean of the same without the first rounds: what a timer around the loop sees, which counts \
                     recording and interruptions.",
                )
                .each(),
            Column::seconds("until_next_mean_least_s", "", |row: &Self| Some(row.until_next_mean?.between?.0))
                .means(meaning::LEAST),
            Column::seconds("until_next_mean_most_s", "", |row: &Self| Some(row.until_next_mean?.between?.1))
                .means(meaning::MOST),
            Column::bytes("bandwidth_bytes", "per second", |row: &Self| row.bandwidth(row.spread.median()))
                .means("Bytes of a round divided by its median time."),
            Column::bytes("bandwidth_mean_bytes", "", |row: &Self| row.bandwidth(row.until_next_mean?.value))
                .means("Bytes of a round divided by the mean time until the next: what a benchmark's loop prints."),
            Column::text("until_next_reason", "", |row: &Self| row.until_next.is_none().then(|| NO_NEXT.into()))
                .means("Why the time until the next round is empty."),
        ]
    }
}

const NO_NEXT: &str = "the program does something else behind each of these rounds";

/// One row for each rank, function, completing function, call site, size, number of ranks and of transfers.
pub fn transfers(run: &Run, found: &[RankTransfers]) -> Table<TransferRow> {
    let mut times: BTreeMap<TransferSeries, TransferTimes> = BTreeMap::new();
    for (rank, transfers) in run.asked().zip(found) {
        for round in &transfers.rounds {
            let since = |end: u64| (rank.clock.seconds(end.saturating_sub(round.begin)) * 1e9).round() as i64;
            let times = times.entry(series(run, rank, round)).or_default();
            times.rounds.push(since(round.end));
            times.until_next.extend(round.next.map(since));
        }
    }
    let row = |(series, TransferTimes { rounds, until_next }): (_, TransferTimes)| {
        let (spread, until_next_mean) = (TimeSpread::of(rounds.into_iter())?, settled_mean(&until_next));
        Some(TransferRow { series, spread, until_next: TimeSpread::of(until_next.into_iter()), until_next_mean })
    };
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
            "{} left out: more to one rank than to another, or of different sizes or functions, were under way together, or with a \
             request of their own, or completed by nothing",
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
        transfers: round.transfers,
    }
}
