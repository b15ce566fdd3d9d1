//! Time by the program's named regions. A region's time is without the regions inside it.

use std::collections::BTreeMap;

use super::totals::{self, Totals, percent, world_rank};
use crate::meaning;
use model::selection::Part;
use model::{Rank, Run};
use tables::{Column, Row, Table, WorldRank};

/// The name of the row for time outside all regions.
const NONE: &str = "(none)";

/// The figures of a region, without the regions inside it. Times in seconds.
pub struct RegionTotalRow {
    region: String,
    max: f64,
    max_rank: Option<WorldRank>,
    mean: f64,
    mpi_mean: f64,
    mpi_share: Option<f64>,
    sum: Totals,
}

impl Row for RegionTotalRow {
    const TABLE: &'static str = "regions";
    fn columns() -> Vec<Column<Self>> {
        vec![
            Column::text("region", "region", |row: &Self| row.region.clone())
                .means("A part of the program that it gave a name."),
            Column::seconds("time_max_s", "max", |row: &Self| row.max).means(meaning::TIME_MAX_S),
            Column::rank("time_max_rank", "rank", |row: &Self| row.max_rank).means(meaning::TIME_MAX_RANK),
            Column::seconds("time_mean_s", "mean", |row: &Self| row.mean).means(meaning::TIME_MEAN_S),
            Column::seconds("mpi_time_mean_s", "in MPI", |row: &Self| row.mpi_mean)
                .means("Time in MPI, mean of the ranks."),
            Column::percent("mpi_share_percent", "in MPI %", |row: &Self| row.mpi_share)
                .means(meaning::MPI_SHARE_PERCENT),
            Column::count("calls", "calls", |row: &Self| row.sum.calls).means(meaning::CALLS),
            totals::open_calls().from_part(|row: &Self| &row.sum),
            Column::bytes("bytes", "bytes", |row: &Self| row.sum.bytes()).means(meaning::BYTES),
            Column::bytes("sent_bytes", "", |row: &Self| row.sum.sent).means(meaning::SENT_BYTES),
            Column::bytes("received_bytes", "", |row: &Self| row.sum.received).means(meaning::RECEIVED_BYTES),
        ]
    }
}

/// One row for each region, the one with the most time first.
pub fn table(run: &Run) -> Table<RegionTotalRow> {
    let mut walls: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        for (part, ticks) in rank.selection.iter().flat_map(|selection| selection.parts()) {
            let walls = walls.entry(name(rank, part)).or_insert_with(|| vec![0.0; run.ranks.len()]);
            walls[at] += rank.clock.seconds(ticks);
        }
    }
    let mut groups = totals::group_calls(run, |rank, _, entry| Some(name(rank, entry.part)));
    let mut regions: Vec<(String, Vec<f64>)> = walls.into_iter().collect();
    regions.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum()));
    let row = |(region, walls): (String, Vec<f64>)| {
        let sum = groups.remove(&region).unwrap_or_default().sum();
        let most = walls.iter().zip(&run.ranks).max_by(|a, b| a.0.total_cmp(b.0));
        let (ranks, all) = (run.asked().count() as f64, walls.iter().sum::<f64>());
        RegionTotalRow {
            region,
            max: most.map_or(0.0, |(most, _)| *most),
            max_rank: most.map(|(_, rank)| world_rank(rank)),
            mean: all / ranks,
            mpi_mean: sum.time / ranks,
            mpi_share: percent(sum.time, all),
            sum,
        }
    };
    Table::new("by innermost region", regions.into_iter().map(row).collect())
}

fn name(rank: &Rank, part: Part) -> String {
    rank.regions.get(&part).map_or(NONE.into(), |region| region.name.clone())
}
