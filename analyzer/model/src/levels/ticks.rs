//! Walks a grid's bins by the ticks of one rank.

use super::Grid;
use crate::common_clock::ClockLine;

/// Position in a grid's bins.
pub struct GridCursor<'a> {
    grid: &'a Grid,
    line: &'a ClockLine,
    /// The current bin; -1 before the first, the number of bins behind the last.
    pub bin: i64,
    /// First tick of the bin, and first tick behind it.
    begin: u64,
    pub end: u64,
}

impl<'a> GridCursor<'a> {
    /// A cursor before the first bin, which holds no tick until it [goes](Self::go) to one.
    pub fn new(grid: &'a Grid, line: &'a ClockLine) -> GridCursor<'a> {
        GridCursor { grid, line, bin: -1, begin: 0, end: 0 }
    }

    #[inline(always)]
    pub fn holds(&self, tick: u64) -> bool {
        self.begin <= tick && tick < self.end
    }

    #[cold]
    #[inline(never)]
    pub fn go(&mut self, tick: u64) {
        self.enter(self.grid.bin_at(self.line.nanoseconds_at(tick)));
        // Ticks and nanoseconds round differently.
        while tick < self.begin {
            self.enter(self.bin - 1);
        }
        while tick >= self.end && !self.is_last() {
            self.enter(self.bin + 1);
        }
    }

    pub fn step(&mut self) {
        self.enter(self.bin + 1);
    }

    /// True behind the last bin.
    pub fn is_last(&self) -> bool {
        self.bin >= self.grid.count as i64
    }

    fn enter(&mut self, bin: i64) {
        let edge = |bin: i64| self.line.ticks_at(self.grid.from.saturating_add(self.grid.width.saturating_mul(bin)));
        self.begin = if bin < 0 { 0 } else { edge(bin) };
        self.end = if bin >= self.grid.count as i64 { u64::MAX } else { edge(bin + 1) };
        self.bin = bin;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Run;

    #[test]
    fn every_tick_is_in_the_bin_that_the_cursor_goes_to() {
        let run =
            Run::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples/integer_sort-mpich")).unwrap();
        let line = run.common_clock().lines[1];
        let grid = Grid { from: 1_000_000, width: 3_333, count: 50, keeps_outside: true };
        let mut cursor = GridCursor::new(&grid, &line);
        for bin in 0..=50 {
            let edge = line.ticks_at(grid.from + grid.width * bin);
            for (tick, expected) in [(edge, bin), (edge - 1, bin - 1), (edge + 1, bin)] {
                cursor.go(tick);
                assert!(cursor.holds(tick) && cursor.bin == expected, "{tick} in {}, not {expected}", cursor.bin);
            }
        }
        for (tick, expected) in [(0, -1), (u64::MAX - 1, 50)] {
            cursor.go(tick);
            assert!(cursor.holds(tick) && cursor.bin == expected, "{tick} in {}", cursor.bin);
        }
    }
}
