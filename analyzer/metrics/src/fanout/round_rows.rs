//! How long rounds take, by size and number of ranks.

use super::gathered::{GatheredRounds, RoundSeries, spread};
use super::spread::TimeSpread;
use crate::mean::Mean;
use crate::totals::seconds;
use model::batches::Batches;
use model::rounds::RoundKind;
use tables::{Column, Row, Table, WorldRank};

/// Rounds that are the same.
pub struct RoundRow {
    pub series: RoundSeries,
    root: WorldRank,
    pub ranks: u64,
    spread: TimeSpread,
    /// Until the next round, and in the mean.
    until_next: Option<TimeSpread>,
    until_next_mean: Option<Mean>,
    mavericks: u64,
    /// Nanoseconds.
    error: i64,
}

impl RoundRow {
    /// What stands for one message: half a round trip, or a way.
    pub fn latency(&self) -> f64 {
        if self.series.kind == RoundKind::RoundTrip { self.spread.median() / 2.0 } else { self.spread.median() }
    }
}

impl Row for RoundRow {
    const TABLE: &'static str = "rounds";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("way", "way", |row: &Self| row.series.way()),
            Column::rank("root_rank", "root", |row: &Self| row.root),
            Column::text("function", "by", |row: &Self| row.series.function.clone()),
            Column::text("site", "sent at", |row: &Self| row.series.site.clone()).spare(5),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes()),
            Column::bytes("answer_bytes", "", |row: &Self| row.series.answer),
            Column::count("ranks", "n", |row: &Self| row.ranks),
            Column::count("rounds", "rounds", |row: &Self| row.spread.count()).spare(4),
            Column::seconds("min_s", "min", |row: &Self| row.spread.least()).spare(2),
            Column::seconds("median_s", "median", |row: &Self| row.spread.median()),
            Column::seconds("median_least_s", "", |row: &Self| row.spread.interval().map(|interval| interval.0)),
            Column::seconds("median_most_s", "", |row: &Self| row.spread.interval().map(|interval| interval.1)),
            Column::seconds("mean_s", "mean", |row: &Self| row.spread.mean()).spare(3).each(),
            Column::seconds("p99_s", "99 %", |row: &Self| row.spread.quantile(0.99)).spare(3).each(),
            Column::seconds("max_s", "max", |row: &Self| row.spread.most()).spare(1).each(),
            Column::seconds("until_next_s", "", |row: &Self| row.until_next.as_ref().map(TimeSpread::median)),
            Column::seconds("until_next_least_s", "", |row: &Self| Some(row.until_next.as_ref()?.interval()?.0)),
            Column::seconds("until_next_most_s", "", |row: &Self| Some(row.until_next.as_ref()?.interval()?.1)),
            Column::seconds("until_next_mean_s", "", |row: &Self| row.until_next_mean.map(|mean| mean.value)),
            Column::seconds("half_s", "", |row: &Self| row.latency()),
            Column::seconds("half_per_message_s", "half/msg", |row: &Self| row.latency() / (row.ranks - 1) as f64),
            Column::count("mavericks", "", |row: &Self| row.mavericks),
            Column::seconds("error_s", "", |row: &Self| seconds(row.error)),
        ]
    }
}

/// One row for each way, root, function, call site, size and number of ranks.
pub fn round_rows(all: &GatheredRounds<'_>) -> Table<RoundRow> {
    let rows = all.rows().filter_map(|(series, ranks, rounds)| {
        let spread = spread(rounds)?;
        let mavericks = rounds.iter().filter(|round| spread.is_maverick(seconds(round.duration()))).count() as u64;
        let error = rounds.iter().map(|round| all.error(round)).max().unwrap_or(0);
        let next = all.until_next(series, ranks);
        let (until_next, until_next_mean) = (TimeSpread::of(next.iter().copied()), settled_mean(next));
        let (series, root) = (series.clone(), all.rank(series.root));
        Some(RoundRow { series, root, ranks, spread, until_next, until_next_mean, mavericks, error })
    });
    Table::new("rounds: from the first send to the last answer", rows.collect())
}

/// In seconds, without the first.
fn settled_mean(times: &[i64]) -> Option<Mean> {
    let mut batches = Batches::<1>::default();
    for (number, time) in (0..).zip(times) {
        batches.add(number, [(*time).max(0) as u64]);
    }
    Mean::of([batches.settled()], |batch| batch.mean(0) / 1e9)
}
