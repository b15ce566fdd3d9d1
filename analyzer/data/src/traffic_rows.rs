//! `traffic`: the data that a rank's own calls send to others, or get from them without a call of theirs.

use crate::data_table::DataRow;
use crate::set::{DataSet, RankOfRows, rank_columns};
use metrics::matrix::{RankTraffic, Traffic};
use tables::{Column, Shared, WorldRank};

/// Whom a row is about.
enum TrafficEnds {
    Pair(WorldRank, WorldRank),
    /// From the rank to each other process of a communicator.
    Each(u32),
    Elsewhere,
    Spread,
    Nowhere,
    Wide,
}

pub struct RankTrafficRow {
    ends: TrafficEnds,
    traffic: Traffic,
}

impl RankTrafficRow {
    fn pair(&self) -> Option<(WorldRank, WorldRank)> {
        if let TrafficEnds::Pair(from, to) = self.ends { Some((from, to)) } else { None }
    }
}

impl DataRow for RankTrafficRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "traffic";
    const MEANING: &'static str = "Messages and bytes between two ranks by the calls of `rank`, added up, as `overhear matrix` adds those of all ranks.";

    fn columns() -> Vec<Column<RankTrafficRow, RankOfRows>> {
        type Row = RankTrafficRow;
        let in_words = |row: &Row, _: &RankOfRows| {
            let name = match row.ends {
                TrafficEnds::Pair(..) => "pair",
                TrafficEnds::Each(_) => "each",
                TrafficEnds::Elsewhere => "elsewhere",
                TrafficEnds::Spread => "spread",
                TrafficEnds::Nowhere => "nowhere",
                TrafficEnds::Wide => "wide",
            };
            name.to_string()
        };
        let mut columns = rank_columns();
        columns.extend([
            Shared::text("ends", in_words).means(
                "pair: between two ranks; each: from the rank to each other process of the communicator; elsewhere: to unknown processes; \
                 nowhere: of collective calls without pairs; wide: of collective calls with a part for each of more than 2,048 processes; spread: of collective calls that pair and each split evenly",
            ),
            Shared::id("from_rank", |row: &Row, _| row.pair()?.0.number).means("of a pair: rank that has the bytes"),
            Shared::id("from_world", |row: &Row, _| row.pair().map(|(from, _)| from.world)).means("that rank's world"),
            Shared::id("to_rank", |row: &Row, _| row.pair()?.1.number).means("of a pair: rank that gets them"),
            Shared::id("to_world", |row: &Row, _| row.pair().map(|(_, to)| to.world)).means("that rank's world"),
            Shared::id("communicator", |row: &Row, _| {
                if let TrafficEnds::Each(number) = row.ends { Some(number) } else { None }
            })
            .means("of each: key into `communicators`"),
            Shared::count("messages", |row: &Row, _| row.traffic.messages).means("messages, or one-sided transfers"),
            Shared::bytes("bytes", |row: &Row, _| row.traffic.bytes).means("bytes of these"),
            Shared::bytes("collective_bytes", |row: &Row, _| row.traffic.collective)
                .means("bytes of collective calls, by the definition of the operation"),
        ]);
        columns
    }
}

pub fn traffic_rows(set: &DataSet<'_>, at: usize) -> Vec<RankTrafficRow> {
    let sums = RankTraffic::of(set.run, &set.objects, &set.worlds, at, None, None);
    let collective = |collective: u64| Traffic { collective, ..Traffic::default() };
    let pairs = sums.traffic.into_iter().map(|((from, to), traffic)| (TrafficEnds::Pair(from, to), traffic));
    let each = sums.to_each.into_iter().map(|(number, bytes)| (TrafficEnds::Each(number), collective(bytes)));
    let rest = [
        (TrafficEnds::Elsewhere, sums.elsewhere),
        (TrafficEnds::Spread, collective(sums.spread)),
        (TrafficEnds::Nowhere, collective(sums.nowhere)),
        (TrafficEnds::Wide, collective(sums.wide)),
    ];
    let rest = rest.into_iter().filter(|(_, traffic)| traffic.messages > 0 || traffic.total() > 0);
    pairs.chain(each).chain(rest).map(|(ends, traffic)| RankTrafficRow { ends, traffic }).collect()
}
