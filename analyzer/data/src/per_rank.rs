//! Tables that are small beside a rank's calls: all rows of a rank at once.

use std::io;

use super::set::{DataSet, RankOfRows};
use super::table::{DataRow, RowSource, ShowRows};

/// Rows that are made of a rank, by its place in the run.
pub struct PerRank<'r, R> {
    set: &'r DataSet<'r>,
    rows: fn(&DataSet<'_>, usize) -> Vec<R>,
}

impl<'r, R> PerRank<'r, R> {
    /// Those of the ranks that are asked about.
    pub fn new(set: &'r DataSet<'r>, rows: fn(&DataSet<'_>, usize) -> Vec<R>) -> PerRank<'r, R> {
        PerRank { set, rows }
    }
}

impl<R: DataRow<Common = RankOfRows>> RowSource<R> for PerRank<'_, R> {
    fn parts(&self) -> Vec<usize> {
        self.set.asked().collect()
    }

    fn read(&self, part: usize, show: &mut ShowRows<'_, R>) -> io::Result<()> {
        match self.set.asked().nth(part) {
            Some(rank) => show(&(self.rows)(self.set, rank), &self.set.rank(rank)),
            None => Ok(()),
        }
    }
}
