//! A table of the data set: declared once by its rows, read in parts that fit in memory.

use std::io;

use tables::{Batch, Column, ColumnHead, Values};

/// What a table's rows are.
pub trait DataRow: Sized + Send + Sync + 'static {
    /// What rows that are read together have in common.
    type Common: Send + Sync + 'static;
    /// The table's name.
    const TABLE: &'static str;
    /// What a row is, in a sentence.
    const MEANING: &'static str;
    /// The table's columns.
    fn columns() -> Vec<Column<Self, Self::Common>>;
}

/// Shows whoever asks for them rows that have something in common.
pub type ShowRows<'a, R> = dyn FnMut(&[R], &<R as DataRow>::Common) -> io::Result<()> + 'a;

/// Where a table's rows come from.
pub trait RowSource<R: DataRow>: Send + Sync {
    /// How many parts can be read each for itself, and the place in the run of the rank that each is of: one rank's parts follow
    /// each other in the order of its rows.
    fn parts(&self) -> Vec<usize>;
    /// Shows the rows of a part, a bounded number at a time.
    fn read(&self, part: usize, show: &mut ShowRows<'_, R>) -> io::Result<()>;
}

/// A table without its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableHead {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    /// Its columns.
    pub columns: Vec<ColumnHead>,
}

impl TableHead {
    /// That of such rows.
    pub fn of<R: DataRow>() -> TableHead {
        let columns = R::columns().into_iter().map(|column| column.head).collect();
        TableHead { name: R::TABLE, meaning: R::MEANING, columns }
    }
}

/// Shows whoever asks for it rows as columns.
pub type ShowBatch<'a> = dyn FnMut(Batch) -> io::Result<()> + 'a;

/// A table whose rows can be read.
pub trait DataTable: Send + Sync {
    /// What it is.
    fn head(&self) -> &TableHead;
    /// As [`RowSource::parts`].
    fn parts(&self) -> &[usize];
    /// Shows the rows of a part in columns, by their places in the head.
    fn read(&self, part: usize, wanted: &[usize], show: &mut ShowBatch<'_>) -> io::Result<()>;
}

/// The columns of rows, with where the rows come from.
pub struct SourceTable<R: DataRow, S> {
    head: TableHead,
    columns: Vec<Column<R, R::Common>>,
    parts: Vec<usize>,
    source: S,
}

impl<R: DataRow, S: RowSource<R>> SourceTable<R, S> {
    /// The table of what a source has.
    pub fn new(source: S) -> SourceTable<R, S> {
        SourceTable { head: TableHead::of::<R>(), columns: R::columns(), parts: source.parts(), source }
    }
}

impl<R: DataRow, S: RowSource<R>> DataTable for SourceTable<R, S> {
    fn head(&self) -> &TableHead {
        &self.head
    }

    fn parts(&self) -> &[usize] {
        &self.parts
    }

    fn read(&self, part: usize, wanted: &[usize], show: &mut ShowBatch<'_>) -> io::Result<()> {
        self.source.read(part, &mut |rows, common| match rows.len() {
            0 => Ok(()),
            count => show(Batch { rows: count, columns: columns(&self.columns, wanted, rows, common) }),
        })
    }
}

/// The columns at these places, of rows.
fn columns<R: DataRow>(all: &[Column<R, R::Common>], wanted: &[usize], rows: &[R], common: &R::Common) -> Vec<Values> {
    wanted.iter().map(|at| all[*at].values(rows, common)).collect()
}
