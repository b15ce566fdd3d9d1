//! Shares of time that a picture's rows spent in each class, bin by bin.

use std::cmp::Reverse;

use serde::Serialize;

use super::PictureRow;
use model::levels::{Grid, TimeClass};

/// A bin of one row, or of several rows together.
#[derive(Clone, Copy, Default, Debug)]
pub struct BinShare {
    /// Shares by class of the ranks' running time; their sum is 1, or 0 if none ran.
    pub classes: [f64; TimeClass::ALL.len()],
    /// Share in calls that waited.
    pub waited: f64,
    /// Engine entries that made progress.
    pub productive: u64,
}

impl BinShare {
    /// Class with the largest share; `None` if no rank ran.
    pub fn chief(&self) -> Option<TimeClass> {
        let most = TimeClass::ALL.iter().max_by(|a, b| self.of(**a).total_cmp(&self.of(**b)))?;
        (self.of(*most) > 0.0).then_some(*most)
    }

    pub fn of(&self, class: TimeClass) -> f64 {
        self.classes[class as usize]
    }
}

pub fn shares(rows: &[PictureRow], grid: &Grid) -> Vec<BinShare> {
    let mut shares = vec![BinShare::default(); grid.count];
    let mut ran = vec![0.0; grid.count];
    for row in rows {
        for (from, to) in &row.life.spans {
            let (first, last) = (grid.bin_at(*from).max(0), grid.bin_at(*to).min(grid.count as i64 - 1));
            for bin in first..=last {
                let begin = grid.from + grid.width * bin;
                let inside = (*to).min(begin + grid.width) - (*from).max(begin);
                ran[bin as usize] += inside.max(0) as f64 * row.threads.max(1) as f64;
            }
        }
        for cell in &row.bins.cells {
            let share = &mut shares[cell.bin as usize];
            share.waited += cell.waited as f64;
            share.productive = share.productive.saturating_add(cell.productive);
            for time in row.bins.times(cell) {
                share.classes[TimeClass::of(time.function) as usize] += time.ticks as f64 * row.tick;
            }
        }
    }
    for (bin, (share, ran)) in shares.iter_mut().zip(ran).enumerate() {
        mark_open(rows, grid, bin, share);
        let in_mpi: f64 = share.classes.iter().sum();
        let all = if in_mpi > ran { in_mpi } else { ran };
        if all > 0.0 {
            share.classes[TimeClass::Computation as usize] = all - in_mpi;
            for time in &mut share.classes {
                *time /= all;
            }
            share.waited = (share.waited / all).min(1.0);
        }
    }
    shares
}

/// Moves the time of unfinished calls to a class of its own.
fn mark_open(rows: &[PictureRow], grid: &Grid, bin: usize, share: &mut BinShare) {
    let begin = grid.from + grid.width * bin as i64;
    for row in rows {
        for (function, since) in &row.life.open {
            let inside = row.life.end.min(begin + grid.width) - (*since).max(begin);
            let own = TimeClass::of(*function) as usize;
            // Bins follow the rank's clock, which differs slightly from the run's.
            let time = (inside.max(0) as f64).min(share.classes[own]);
            share.classes[own] -= time;
            share.classes[TimeClass::Open as usize] += time;
        }
    }
}

/// Percentages of the time that rows ran in a picture: in MPI, and in calls that waited. `None` if none ran.
pub fn percentages(rows: &[PictureRow], grid: &Grid) -> Option<[f64; 2]> {
    let mut sum = RowTime::default();
    for row in rows {
        let RowTime { waited, computed, in_mpi } = RowTime::of(row, grid);
        sum.waited += waited;
        sum.computed += computed;
        sum.in_mpi += in_mpi;
    }
    let all = sum.computed + sum.in_mpi;
    (all > 0).then(|| [sum.in_mpi, sum.waited].map(|part| 100.0 * part as f64 / all as f64))
}

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

/// The figure by which rows are ordered.
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
