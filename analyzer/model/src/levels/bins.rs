//! Divides a rank's time into bins: time per function, and waiting time.

use super::Grid;
use super::single_calls::{SingleCall, SingleCalls};
use super::ticks::GridCursor;
use crate::Rank;
use crate::common_clock::ClockLine;
use crate::matching::WaitSpan;
use crate::sums::Grow;
use crate::thread_calls::Extras;

/// The bins of a rank in which something happened.
#[derive(Clone, Default, Debug)]
pub struct RankBins {
    /// In the order of time.
    pub cells: Vec<BinCell>,
    times: Vec<FunctionTime>,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct BinCell {
    pub bin: u32,
    pub calls: u64,
    /// Entries into the engine that made progress.
    pub productive: u64,
    /// The part of the calls' time that was waiting, nanoseconds.
    pub waited: i64,
    /// Index of its first function time, and how many there are.
    times: (u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FunctionTime {
    bin: u32,
    pub function: u16,
    pub ticks: u64,
}

impl RankBins {
    /// Divides a rank's time, with its waits.
    pub fn of(rank: &Rank, line: &ClockLine, grid: &Grid, waits: &[WaitSpan]) -> RankBins {
        let contents = rank.contents();
        let mut sorter = BinSorter::new(grid, line);
        for thread in &contents.threads {
            let mut calls = SingleCalls::new(thread, rank, Extras::PRODUCTIVE);
            while let Some(call) = calls.peek() {
                sorter.add(call);
                calls.advance();
                for run in calls.take_productive() {
                    sorter.productive(run.start, run.count);
                }
            }
            for run in calls.take_productive() {
                sorter.productive(run.start, run.count);
            }
        }
        sorter.flush();
        let mut bins = RankBins { cells: sorter.cells, times: sorter.times };
        bins.cells.extend(waited(grid, waits));
        bins.combine();
        bins
    }

    pub fn times(&self, cell: &BinCell) -> &[FunctionTime] {
        let (first, count) = cell.times;
        &self.times[first as usize..(first + count) as usize]
    }

    /// These bins with twice the width.
    pub fn folded(&self) -> RankBins {
        let mut folded = self.clone();
        for cell in &mut folded.cells {
            cell.bin /= 2;
        }
        for time in &mut folded.times {
            time.bin /= 2;
        }
        folded.combine();
        folded
    }

    /// Merges entries of the same bin.
    fn combine(&mut self) {
        if !self.times.is_sorted() {
            self.times.sort_unstable();
        }
        self.times.dedup_by(|time, kept| {
            let is_same = (time.bin, time.function) == (kept.bin, kept.function);
            if is_same {
                kept.ticks.grow(time.ticks);
            }
            is_same
        });
        if !self.cells.is_sorted_by_key(|cell| cell.bin) {
            self.cells.sort_by_key(|cell| cell.bin);
        }
        self.cells.dedup_by(|cell, kept| {
            let is_same = cell.bin == kept.bin;
            if is_same {
                kept.merge(cell);
            }
            is_same
        });
        let mut next = 0;
        for cell in &mut self.cells {
            let count = self.times[next..].iter().take_while(|time| time.bin == cell.bin).count();
            cell.times = (next as u32, count as u32);
            next += count;
        }
    }
}

impl BinCell {
    fn merge(&mut self, other: &BinCell) {
        self.calls.grow(other.calls);
        self.productive.grow(other.productive);
        self.waited.grow(other.waited);
    }
}

fn waited(grid: &Grid, waits: &[WaitSpan]) -> Vec<BinCell> {
    let mut sums: Vec<i64> = vec![0; if waits.is_empty() { 0 } else { grid.count }];
    for wait in waits {
        let (first, last) = (grid.bin_at(wait.from).max(0), grid.bin_at(wait.until).min(grid.count as i64 - 1));
        for bin in first..=last {
            let begin = grid.from.saturating_add(grid.width.saturating_mul(bin));
            // Time outside the grid counts in the outermost bins if the grid says so.
            let from = if bin == 0 && grid.keeps_outside { i64::MIN } else { begin };
            let to = match bin + 1 == grid.count as i64 && grid.keeps_outside {
                true => i64::MAX,
                false => begin.saturating_add(grid.width),
            };
            sums[bin as usize].grow((wait.until.min(to) - wait.from.max(from)).max(0));
        }
    }
    let there = sums.into_iter().zip(0..).filter(|(waited, _)| *waited > 0);
    there.map(|(waited, bin)| BinCell { bin, waited, ..BinCell::default() }).collect()
}

/// Sorts calls into bins. Calls mostly come in order, so each bin is summed up before it is stored.
struct BinSorter<'a> {
    grid: &'a Grid,
    cursor: GridCursor<'a>,
    /// Times by function in the cursor's bin.
    sums: Vec<(u16, u64)>,
    cell: BinCell,
    cells: Vec<BinCell>,
    times: Vec<FunctionTime>,
}

impl<'a> BinSorter<'a> {
    fn new(grid: &'a Grid, line: &'a ClockLine) -> BinSorter<'a> {
        let cursor = GridCursor::new(grid, line);
        BinSorter { grid, cursor, sums: Vec::new(), cell: BinCell::default(), cells: Vec::new(), times: Vec::new() }
    }

    #[inline]
    fn add(&mut self, call: &SingleCall<'_>) {
        if !self.cursor.holds(call.start) {
            self.flush();
            self.cursor.go(call.start);
        }
        let function = call.signature.call;
        self.cell.calls.grow(call.count);
        if call.end <= self.cursor.end || call.end <= call.start {
            self.put(function, call.inside);
        } else {
            self.spread(function, call);
        }
    }

    /// Spreads a call over several bins; a run of tests is spread evenly.
    fn spread(&mut self, function: u16, call: &SingleCall<'_>) {
        let length = call.end - call.start;
        let until = |tick: u64| (u128::from(tick - call.start) * u128::from(call.inside) / u128::from(length)) as u64;
        let mut told = 0;
        loop {
            let end = if self.cursor.is_last() { call.end } else { self.cursor.end.clamp(call.start, call.end) };
            self.put(function, until(end).saturating_sub(told));
            told = told.max(until(end));
            if end == call.end {
                return;
            }
            self.flush();
            self.cursor.step();
        }
    }

    fn productive(&mut self, tick: u64, count: u64) {
        if !self.cursor.holds(tick) {
            self.flush();
            self.cursor.go(tick);
        }
        self.cell.productive.grow(count);
    }

    #[inline]
    fn put(&mut self, function: u16, ticks: u64) {
        match self.sums.iter_mut().find(|sum| sum.0 == function) {
            Some(sum) => sum.1.grow(ticks),
            None => self.sums.push((function, ticks)),
        }
    }

    /// Stores the sums of the current bin.
    fn flush(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        let outside = !(0..self.grid.count as i64).contains(&self.cursor.bin);
        if (outside && !self.grid.keeps_outside) || (self.sums.is_empty() && cell.productive == 0) {
            self.sums.clear();
            return;
        }
        let bin = self.cursor.bin.clamp(0, self.grid.count as i64 - 1) as u32;
        self.cells.push(BinCell { bin, ..cell });
        self.sums.sort_unstable_by_key(|sum| sum.0);
        let times = self.sums.drain(..).filter(|sum| sum.1 > 0);
        self.times.extend(times.map(|(function, ticks)| FunctionTime { bin, function, ticks }));
    }
}
