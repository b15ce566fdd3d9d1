//! Measures the time of rounds, by size and number of ranks.

use super::gathered_rounds::{GatheredRounds, RoundGroup, RoundSeries};
use super::time_spread::{TimeSpread, settled_mean};
use crate::mean::Mean;
use crate::meaning;
use crate::totals::seconds;
use model::rounds::RoundKind;
use tables::{Column, Row, Table, WorldRank};

/// Rounds of the same group and number of ranks.
pub struct RoundRow {
    pub series: RoundSeries,
    root: WorldRank,
    pub ranks: u64,
    spread: TimeSpread,
    /// From the begin of a round to the begin of the next.
    until_next: Option<TimeSpread>,
    until_next_mean: Option<Mean>,
    mavericks: u64,
    /// The error of the times by the clocks, in nanoseconds.
    error: i64,
}

impl RoundRow {
    pub fn is_round_trip(&self) -> bool {
        self.series.kind == RoundKind::RoundTrip
    }

    /// True if there are enough rounds to bound the median.
    pub fn is_settled(&self) -> bool {
        self.spread.interval().is_some()
    }

    /// The latency of one message, in seconds: half the median round trip, or the whole median of one-way rounds.
    pub fn latency(&self) -> f64 {
        if self.is_round_trip() { self.spread.median() / 2.0 } else { self.spread.median() }
    }
}

impl Row for RoundRow {
    const TABLE: &'static str = "rounds";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("way", "way", |row: &Self| row.series.way()).means(meaning::WAY),
            Column::rank("root_rank", "root", |row: &Self| row.root).means(meaning::ROOT_RANK),
            Column::text("function", "by", |row: &Self| row.series.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "sent at", |row: &Self| row.series.site.clone()).means(meaning::SITE).spare(5),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes()).means(meaning::SIZE_BYTES),
            Column::bytes("answer_bytes", "", |row: &Self| row.series.answer).means("Bytes of an answer."),
            Column::count("ranks", "n", |row: &Self| row.ranks).means(meaning::ROUND_RANKS),
            Column::count("rounds", "rounds", |row: &Self| row.spread.count()).means("How many rounds.").spare(4),
            Column::seconds("min_s", "min", |row: &Self| row.spread.least()).means("The shortest round.").spare(2),
            Column::seconds("median_s", "median", |row: &Self| row.spread.median()).means("The median round."),
            Column::seconds("median_least_s", "", |row: &Self| row.spread.interval().map(|interval| interval.0))
                .means(meaning::MEDIAN_LEAST),
            Column::seconds("median_most_s", "", |row: &Self| row.spread.interval().map(|interval| interval.1))
                .means(meaning::MEDIAN_MOST),
            Column::seconds("mean_s", "mean", |row: &Self| row.spread.mean()).means("The mean round.").spare(3).each(),
            Column::seconds("p99_s", "99 %", |row: &Self| row.spread.quantile(0.99))
                .means("The 99th percentile of the rounds' times.")
                .spare(3)
                .each(),
            Column::seconds("max_s", "max", |row: &Self| row.spread.most()).means("The longest round.").spare(1).each(),
            Column::seconds("until_next_s", "", |row: &Self| row.until_next.as_ref().map(TimeSpread::median)).means(
                "From the begin of a round to that of the next of its kind, median: with what the root does after the \
                 answer.",
            ),
            Column::seconds("until_next_least_s", "", |row: &Self| Some(row.until_next.as_ref()?.interval()?.0))
                .means(meaning::LEAST),
            Column::seconds("until_next_most_s", "", |row: &Self| Some(row.until_next.as_ref()?.interval()?.1))
                .means(meaning::MOST),
            Column::seconds("until_next_mean_s", "", |row: &Self| row.until_next_mean.map(|mean| mean.value))
                .means("Mean of the same without the first rounds: what a benchmark's loop prints."),
            Column::text("until_next_reason", "", |row: &Self| row.until_next.is_none().then(|| NO_NEXT.into()))
                .means("Why these times are empty."),
            Column::seconds("half_s", "", |row: &Self| row.latency())
                .means("Half the median of a round trip, and the whole one of rounds of one way: latency, if an answer is as long as the question."),
            Column::seconds("half_per_message_s", "per msg", |row: &Self| row.latency() / (row.ranks - 1) as f64)
                .means("The same for each rank that the round goes to or comes from: of a round trip half, of one way the whole."),
            Column::count("mavericks", "", |row: &Self| row.mavericks)
                .means("Rounds that took far longer than others of their kind."),
            Column::seconds("error_s", "", |row: &Self| seconds(row.error)).means(meaning::ERROR_S),
        ]
    }
}

const NO_NEXT: &str = "no round of this kind comes right behind another";

/// One row for each direction, root, function, call site, size and number of ranks.
pub fn round_rows(all: &GatheredRounds<'_>) -> Table<RoundRow> {
    let rows = all.rows().map(|(series, ranks, RoundGroup { rounds, spread })| {
        let mavericks = rounds.iter().filter(|round| spread.is_maverick(seconds(round.duration()))).count() as u64;
        let error = rounds.iter().map(|round| all.error(round)).max().unwrap_or(0);
        let next = all.until_next(series, ranks);
        let (until_next, until_next_mean) = (TimeSpread::of(next.iter().copied()), settled_mean(next));
        let (series, root, spread) = (series.clone(), all.rank(series.root), spread.clone());
        RoundRow { series, root, ranks, spread, until_next, until_next_mean, mavericks, error }
    });
    Table::new("rounds: from the first send to the last answer, of one way to the last receive", rows.collect())
}
