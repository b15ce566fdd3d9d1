//! Measures each peer's time to answer, and the times there and back by the compared clocks.

use std::collections::BTreeMap;

use super::gathered_rounds::{GatheredRounds, RoundSeries, between};
use super::time_spread::TimeSpread;
use crate::meaning;
use crate::totals::seconds;
use model::rounds::Trip;
use tables::{Column, Row, Table, WorldRank};

/// One peer in the rounds of one group.
pub struct PeerRow {
    series: RoundSeries,
    root: WorldRank,
    ranks: u64,
    peer: WorldRank,
    answer: Option<TimeSpread>,
    there: Option<TimeSpread>,
    back: Option<TimeSpread>,
    /// The error of the times there and back, in nanoseconds.
    error: i64,
}

impl Row for PeerRow {
    const TABLE: &'static str = "peers";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::label("way", "way", |row: &Self| row.series.way()).means(meaning::WAY),
            Column::rank("root_rank", "root", |row: &Self| row.root).means(meaning::ROOT_RANK),
            Column::text("function", "by", |row: &Self| row.series.function.clone()).means(meaning::FUNCTION),
            Column::text("site", "", |row: &Self| row.series.site.clone()).means(meaning::SITE),
            Column::bytes("size_bytes", "size", |row: &Self| row.series.bytes()).means(meaning::SIZE_BYTES),
            Column::count("ranks", "n", |row: &Self| row.ranks).means(meaning::ROUND_RANKS),
            Column::rank("peer_rank", "peer", |row: &Self| row.peer).means("One of the others."),
            Column::seconds("answer_s", "answer", |row: &Self| row.answer.as_ref().map(TimeSpread::median))
                .means("From the begin of the question's send to the arrival of the answer at the root, median."),
            Column::seconds("there_s", "there", |row: &Self| row.there.as_ref().map(TimeSpread::median))
                .means("From the begin of the send to the arrival at this rank, median."),
            Column::seconds("back_s", "back", |row: &Self| row.back.as_ref().map(TimeSpread::median))
                .means("From the begin of the answer to its arrival at the root, median."),
            Column::seconds("error_s", "±", |row: &Self| seconds(row.error)).means(meaning::ERROR_S),
        ]
    }
}

/// One row for each group of rounds, number of ranks and peer, for programs only.
pub fn peers(all: &GatheredRounds<'_>) -> Table<PeerRow> {
    let mut rows = Vec::new();
    for (series, ranks, group) in all.rows() {
        let mut by_peer: BTreeMap<u32, Vec<&Trip>> = BTreeMap::new();
        let trips = group.rounds.iter().flat_map(|round| &round.trips);
        for trip in trips {
            by_peer.entry(trip.peer()).or_default().push(trip);
        }
        for (peer, trips) in by_peer {
            let times = |time: fn(&Trip) -> Option<i64>| TimeSpread::of(trips.iter().filter_map(|trip| time(trip)));
            rows.push(PeerRow {
                series: series.clone(),
                root: all.rank(series.root),
                ranks,
                peer: all.rank(peer),
                answer: times(|trip| Some(trip.answer?.end.saturating_sub(trip.question?.begin))),
                there: times(|trip| trip.question.map(|question| question.end.saturating_sub(question.begin))),
                back: times(|trip| trip.answer.map(|answer| answer.end.saturating_sub(answer.begin))),
                error: trips
                    .iter()
                    .map(|trip| between(all.common_clock, series.root, peer, trip.end()))
                    .max()
                    .unwrap_or(0),
            });
        }
    }
    Table::new("peers: from the first byte asked to the answer; there and back by compared clocks", rows).for_programs()
}
