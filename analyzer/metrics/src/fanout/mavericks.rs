//! Rounds that took far longer than others of their group.

use super::gathered_rounds::{GatheredRounds, RoundSeries};
use crate::meaning;
use crate::totals::seconds;
use tables::{Column, Row, Table, WorldRank};

/// Maximum number of rows shown to people.
const SHOWN: usize = 10;

/// A round that took far longer than others of its group. Times in seconds.
pub struct MaverickRow {
    series: RoundSeries,
    root: WorldRank,
    ranks: u64,
    /// The round's number in its group, from 1.
    number: u64,
    /// Begin of the round on the common clock.
    begin: f64,
    took: f64,
    median: f64,
    last: Option<WorldRank>,
    /// The call site at which the root waited for the last message.
    waited: String,
}

impl Row for MaverickRow {
    const TABLE: &'static str = "mavericks";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::seconds("begin_s", "at", |row: &Self| row.begin)
                .means("When the round began, since the first rank entered MPI_Init.")
                .each(),
            Column::label("way", "way", |row: &Self| row.series.way()).means(meaning::WAY).spare(4),
            Column::rank("root_rank", "root", |row: &Self| row.root).means(meaning::ROOT_RANK),
            Column::text("function", "by", |row: &Self| row.series.function.clone()).means(meaning::FUNCTION).spare(1),
            Column::text("site", "", |row: &Self| row.series.site.clone()).means(meaning::SITE),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes()).means(meaning::SIZE_BYTES),
            Column::count("ranks", "n", |row: &Self| row.ranks).means(meaning::ROUND_RANKS),
            Column::count("round", "round", |row: &Self| row.number).means("Which round of its kind, from 1.").spare(2),
            Column::seconds("round_s", "took", |row: &Self| row.took).means("Duration of the round."),
            Column::seconds("median_s", "median", |row: &Self| row.median)
                .means("The median time of rounds of its kind."),
            Column::rank("last_rank", "last", |row: &Self| row.last).means("The rank that came last."),
            Column::text("waited_site", "waited at", |row: &Self| row.waited.clone())
                .means("The call site at which the root waited for it.")
                .spare(3),
        ]
    }
}

/// One row for each such round, the longest first.
pub fn mavericks(all: &GatheredRounds<'_>) -> Table<MaverickRow> {
    let mut rows = Vec::new();
    for (series, ranks, group) in all.rows() {
        for (number, round) in group.rounds.iter().enumerate() {
            let took = seconds(round.duration());
            if !group.spread.is_maverick(took) {
                continue;
            }
            let last = round.last();
            let delivery = last.and_then(|trip| trip.answer.or(trip.question));
            rows.push(MaverickRow {
                series: series.clone(),
                root: all.rank(series.root),
                ranks,
                number: number as u64 + 1,
                begin: seconds(round.begin()),
                took,
                median: group.spread.median(),
                last: last.map(|trip| all.rank(trip.peer())),
                waited: delivery.map_or_else(String::new, |delivery| all.place(delivery.to).1),
            });
        }
    }
    rows.sort_by(|one, other| other.took.total_cmp(&one.took));
    Table::new("mavericks: rounds that took far longer than others of their kind", rows).most(SHOWN).silent_empty()
}
