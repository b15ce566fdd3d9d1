//! Tables that are small compared to a rank's calls, with all rows of a rank at once.

use std::io;

use super::set::{DataSet, RankOfRows};
use super::table::{DataRow, RowSource, ShowRows};

/// A function that makes the rows of a rank, given by place in the run.
pub struct PerRank<'r, R> {
    set: &'r DataSet<'r>,
    rows: fn(&DataSet<'_>, usize) -> Vec<R>,
}

impl<'r, R> PerRank<'r, R> {
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
