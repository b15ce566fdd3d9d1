//! Orders of a page's rows other than by rank, extremes first: of a thousand ranks, those that matter stand on top.

use std::cmp::Reverse;

use serde::Serialize;

use super::PictureRow;
use model::levels::Grid;

/// An order that a reader may choose.
#[derive(Serialize)]
pub struct RowOrder {
    pub name: &'static str,
    /// Rows from top to bottom.
    pub rows: Vec<u32>,
}

/// Nanoseconds of a row.
#[derive(Default)]
struct RowTime {
    waited: i64,
    computed: i64,
    in_mpi: i64,
}

impl RowTime {
    fn of(row: &PictureRow, grid: &Grid) -> RowTime {
        let shown = |(from, to): &(i64, i64)| ((*to).min(grid.end()) - (*from).max(grid.from)).max(0);
        let there = row.life.spans.iter().map(shown).sum::<i64>() * row.threads.max(1) as i64;
        let times = row.bins.cells.iter().flat_map(|cell| row.bins.times(cell));
        let ticks: u64 = times.map(|time| time.ticks).sum();
        let in_mpi = (ticks as f64 * row.tick) as i64;
        let waited = row.bins.cells.iter().map(|cell| cell.waited).sum();
        RowTime { waited, in_mpi, computed: (there - in_mpi).max(0) }
    }
}

/// What rows are ordered by.
type Figure = fn(&RowTime) -> i64;

/// The orders in which rows differ; ranks that are alike keep their order.
pub fn row_orders(rows: &[PictureRow], grid: &Grid) -> Vec<RowOrder> {
    let times: Vec<RowTime> = rows.iter().map(|row| RowTime::of(row, grid)).collect();
    let figures: [(&'static str, Figure); 3] = [
        ("most waiting first", |time| time.waited),
        ("most computing first", |time| time.computed),
        ("longest in MPI first", |time| time.in_mpi),
    ];
    let order = |(name, figure): (&'static str, Figure)| {
        let mut rows: Vec<u32> = (0..times.len() as u32).collect();
        rows.sort_by_key(|row| Reverse(figure(&times[*row as usize])));
        times.iter().any(|time| figure(time) != figure(&times[0])).then_some(RowOrder { name, rows })
    };
    figures.into_iter().filter_map(order).collect()
}
