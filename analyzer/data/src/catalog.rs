//! The tables of the data set, by name.

use std::fmt::Write;

use crate::clock_lines::{ClockLineRow, NeighborRow, clock_line_rows, neighbor_rows};
use crate::data_table::{DataRow, RowSource, SourceTable};
use crate::matched_tables::{CollectiveRow, MatchedRows, MessageRow, WaitRow, collective_row, message_row, wait_row};
use crate::per_rank_tables::{
    CommunicatorRow, HostRow, PathRow, PerRank, SignatureRow, SiteRow, communicator_rows, host_rows, path_rows,
    signature_rows, site_rows,
};
use crate::role_rows::{RoleRow, RoleRows};
use crate::sample_rows::{SampleRow, SampleRows};
use crate::traffic_rows::{RankTrafficRow, traffic_rows};
use crate::{DataSet, DataTable, TableHead, call_rows, engine_entries, ranks, region_stays, requests};
use model::matching::Follow;
use tables::ColumnType;

/// Heads of all tables, the same for every run.
pub fn heads() -> Vec<TableHead> {
    vec![
        TableHead::of::<call_rows::CallRow>(),
        TableHead::of::<SignatureRow>(),
        TableHead::of::<SiteRow>(),
        TableHead::of::<PathRow>(),
        TableHead::of::<CommunicatorRow>(),
        TableHead::of::<requests::RequestRow>(),
        TableHead::of::<MessageRow>(),
        TableHead::of::<CollectiveRow>(),
        TableHead::of::<WaitRow>(),
        TableHead::of::<engine_entries::EngineRow>(),
        TableHead::of::<SampleRow>(),
        TableHead::of::<region_stays::RegionRow>(),
        TableHead::of::<ranks::RankRow>(),
        TableHead::of::<RoleRow>(),
        TableHead::of::<ClockLineRow>(),
        TableHead::of::<NeighborRow>(),
        TableHead::of::<RankTrafficRow>(),
        TableHead::of::<HostRow>(),
    ]
}

/// The [`Follow`] flags that a data set with this table needs.
pub fn follow(name: &str) -> Follow {
    match name {
        MessageRow::TABLE => Follow::MESSAGES,
        CollectiveRow::TABLE => Follow::JOINED,
        WaitRow::TABLE => Follow::SPANS,
        _ => Follow::empty(),
    }
}

/// The table of this name; `None` if there is no such table.
pub fn table<'r>(set: &'r DataSet<'r>, name: &str) -> Option<Box<dyn DataTable + 'r>> {
    Some(match name {
        call_rows::CallRow::TABLE => boxed(call_rows::CallRows::new(set)),
        SignatureRow::TABLE => boxed(PerRank::new(set, signature_rows)),
        SiteRow::TABLE => boxed(PerRank::new(set, site_rows)),
        PathRow::TABLE => boxed(PerRank::new(set, path_rows)),
        CommunicatorRow::TABLE => boxed(PerRank::new(set, communicator_rows)),
        requests::RequestRow::TABLE => boxed(requests::RequestRows::new(set)),
        MessageRow::TABLE => boxed(MatchedRows::new(set, DataSet::messages, message_row)),
        CollectiveRow::TABLE => boxed(MatchedRows::new(set, DataSet::joined, collective_row)),
        WaitRow::TABLE => boxed(MatchedRows::new(set, DataSet::waits, wait_row)),
        engine_entries::EngineRow::TABLE => boxed(engine_entries::EngineEntries::new(set)),
        SampleRow::TABLE => boxed(SampleRows::new(set)),
        region_stays::RegionRow::TABLE => boxed(PerRank::new(set, region_stays::rows)),
        ranks::RankRow::TABLE => boxed(PerRank::new(set, ranks::rows)),
        RoleRow::TABLE => boxed(RoleRows::new(set)),
        ClockLineRow::TABLE => boxed(PerRank::new(set, clock_line_rows)),
        NeighborRow::TABLE => boxed(PerRank::new(set, neighbor_rows)),
        RankTrafficRow::TABLE => boxed(PerRank::new(set, traffic_rows)),
        HostRow::TABLE => boxed(PerRank::new(set, host_rows)),
        _ => return None,
    })
}

fn boxed<'r, R: DataRow>(source: impl RowSource<R> + 'r) -> Box<dyn DataTable + 'r> {
    Box::new(SourceTable::new(source))
}

/// Text above the tables.
const HEAD: &str = "# The data set of a run

What `overhear export` writes and `overhear query` reads. A column has the type that Arrow calls so; those with `?` may be null. Times ending in
`_s` are in seconds on the clock of the run's first rank, those ending in `_ticks` as each rank's own counter said; `error_s` says by how much
the former may be off between ranks. Parquet files leave out `rank`, which is in the name of their folder.
";

pub fn description() -> String {
    let mut text = HEAD.to_string();
    for table in heads() {
        let _ = write!(text, "\n## {}\n\n{}\n\n| column | type | |\n|---|---|---|\n", table.name, table.meaning);
        for column in &table.columns {
            let optional = if column.is_optional { "?" } else { "" };
            let kind = type_name(column.unit.column_type());
            let _ = writeln!(text, "| `{}` | {kind}{optional} | {} |", column.key, column.meaning);
        }
    }
    text
}

pub fn type_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Boolean => "bool",
        ColumnType::UInt32 => "uint32",
        ColumnType::UInt64 => "uint64",
        ColumnType::Int32 => "int32",
        ColumnType::Float64 => "float64",
        ColumnType::Utf8 => "string",
    }
}
