//! `clock_lines` and `neighbors`: data that matching needs of each rank in addition to its roles.

use crate::data_table::DataRow;
use crate::set::{DataSet, RankOfRows, rank_columns};
use model::common_clock::ClockLine;
use tables::{Column, Shared};

pub struct ClockLineRow(ClockLine);

impl DataRow for ClockLineRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "clock_lines";
    const MEANING: &'static str = "How a rank's ticks become nanoseconds since the first rank entered MPI_Init: a straight piece from a knot, and another beyond both its ends.";

    fn columns() -> Vec<Column<ClockLineRow, RankOfRows>> {
        type Row = ClockLineRow;
        let mut columns = rank_columns();
        columns.extend([
            Shared::text("source", |row: &Row, _| row.0.source.in_words().to_string()).means("what the line rests on"),
            Shared::ticks("knot_ticks", |row: &Row, _| row.0.ticks).means("the knot, as the rank's counter said"),
            Shared::ratio("knot_nanoseconds", |row: &Row, _| row.0.at).means("the same moment on the run's clock"),
            Shared::ticks("span_ticks", |row: &Row, _| row.0.span as u64)
                .means("length of the piece from there; 0 where there is none"),
            Shared::ratio("nanoseconds_per_tick", |row: &Row, _| row.0.between).means("rate of that piece"),
            Shared::ratio("nanoseconds_per_tick_beyond", |row: &Row, _| row.0.beyond)
                .means("rate before and behind it"),
            Shared::ratio("error_nanoseconds_at_knot", |row: &Row, _| row.0.errors[0])
                .means("by how much a time may be off at the knot"),
            Shared::ratio("error_nanoseconds_at_end", |row: &Row, _| row.0.errors[1])
                .means("the same at the end of the piece"),
            Shared::ratio("error_growth", |row: &Row, _| row.0.growth)
                .means("by how much that grows with each nanosecond beyond the piece"),
        ]);
        columns
    }
}

pub fn clock_line_rows(set: &DataSet<'_>, at: usize) -> Vec<ClockLineRow> {
    vec![ClockLineRow(set.common_clock.lines[at])]
}

/// A rank that another receives from in a neighborhood.
pub struct NeighborRow {
    communicator: u32,
    own: u32,
    source: u32,
}

impl DataRow for NeighborRow {
    type Common = RankOfRows;
    const TABLE: &'static str = "neighbors";
    const MEANING: &'static str = "A process that a rank receives from in neighborhood operations of a communicator.";

    fn columns() -> Vec<Column<NeighborRow, RankOfRows>> {
        type Row = NeighborRow;
        let mut columns = rank_columns();
        columns.extend([
            Shared::id("communicator", |row: &Row, _| row.communicator).means("key into `communicators`"),
            Shared::number("own", |row: &Row, _| u64::from(row.own))
                .means("the rank's number among the communicator's processes with files"),
            Shared::number("source", |row: &Row, _| u64::from(row.source)).means("the other's number among them"),
        ]);
        columns
    }
}

pub fn neighbor_rows(set: &DataSet<'_>, at: usize) -> Vec<NeighborRow> {
    let mut rows = Vec::new();
    for (communicator, neighbors) in set.objects.neighborhoods(at as u32) {
        let own = neighbors.own;
        rows.extend(neighbors.sources.iter().map(|source| NeighborRow { communicator, own, source: *source }));
        if neighbors.sources.is_empty() {
            // Others find the rank by its own row.
            rows.push(NeighborRow { communicator, own, source: own });
        }
    }
    rows
}
