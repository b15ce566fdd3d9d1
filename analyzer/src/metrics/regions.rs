//! Time by the program's regions, each without those inside it.

use std::collections::BTreeMap;

use super::totals::{self, percent, rank_value};
use crate::model::selection::Part;
use crate::model::{Rank, Run};
use crate::report::{Column, Table, Value};

/// What is in no region.
const NONE: &str = "(none)";

/// One row for each region, the one with the most time first.
pub fn table(run: &Run) -> Table {
    let mut walls: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (at, rank) in run.ranks.iter().enumerate() {
        for (part, ticks) in rank.selection.iter().flat_map(|selection| selection.parts()) {
            let walls = walls.entry(name(rank, part)).or_insert_with(|| vec![0.0; run.ranks.len()]);
            walls[at] += rank.clock.seconds(ticks);
        }
    }
    let mut groups = totals::by(run, |rank, _, entry| Some(name(rank, entry.part)));
    let mut regions: Vec<(String, Vec<f64>)> = walls.into_iter().collect();
    regions.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum()));
    let columns = vec![
        Column::new("region", "region"),
        Column::new("time_max_s", "max"),
        Column::new("time_max_rank", "rank"),
        Column::new("time_mean_s", "mean"),
        Column::new("mpi_time_mean_s", "in MPI"),
        Column::new("mpi_share_percent", "in MPI %"),
        Column::new("calls", "calls"),
        Column::new("bytes", "bytes"),
        Column::hidden("sent_bytes"),
        Column::hidden("received_bytes"),
    ];
    let row = |(name, walls): (String, Vec<f64>)| {
        let sum = groups.remove(&name).unwrap_or_default().sum();
        let most = walls.iter().zip(&run.ranks).max_by(|a, b| a.0.total_cmp(b.0));
        let (most, rank) = most.map_or((0.0, Value::None), |(most, rank)| (*most, rank_value(rank)));
        let ranks = run.asked().count() as f64;
        vec![
            Value::Text(name),
            Value::Seconds(most),
            rank,
            Value::Seconds(walls.iter().sum::<f64>() / ranks),
            Value::Seconds(sum.time / ranks),
            percent(sum.time, walls.iter().sum()),
            Value::Count(sum.calls),
            Value::Bytes(sum.sent.saturating_add(sum.received)),
            Value::Bytes(sum.sent),
            Value::Bytes(sum.received),
        ]
    };
    let rows = regions.into_iter().map(row).collect();
    Table::new("regions", "by innermost region", columns, rows)
}

fn name(rank: &Rank, part: Part) -> String {
    rank.regions.get(&part).map_or(NONE.into(), |region| region.name.clone())
}
