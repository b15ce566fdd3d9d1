//! `hosts`: the machines of the run, by the columns of `report --by host`.

use super::set::{DataSet, RankOfRows};
use super::table::DataRow;
pub use metrics::hosts::HostRow;
use tables::{Column, Row};

impl DataRow for HostRow {
    type Common = RankOfRows;
    const TABLE: &'static str = <HostRow as Row>::TABLE;
    const MEANING: &'static str = "A host that ranks ran on. Null is unknown.";

    fn columns() -> Vec<Column<HostRow, RankOfRows>> {
        <HostRow as Row>::columns().into_iter().map(Column::beside_shared).collect()
    }
}

/// All hosts, with the first rank that is asked about.
pub fn rows(set: &DataSet<'_>, at: usize) -> Vec<HostRow> {
    match set.asked().next() {
        Some(first) if first == at => metrics::hosts::rows(set.run),
        _ => Vec::new(),
    }
}
