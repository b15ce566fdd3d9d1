//! A table of the data set: declared once by its rows, read in parts that fit in memory.

use std::io;

use tables::{Batch, Column, ColumnHead, Values};

/// Version of the data set: raised when a table or column is removed or changes its meaning.
pub const VERSION: u64 = 1;

/// A row of a table, which declares the table.
pub trait DataRow: Sized + Send + Sync + 'static {
    /// Context that rows read together share.
    type Common: Send + Sync + 'static;
    const TABLE: &'static str;
    /// Description of a row, in a sentence.
    const MEANING: &'static str;
    fn columns() -> Vec<Column<Self, Self::Common>>;
}

/// Receives rows with their common context.
pub type ShowRows<'a, R> = dyn FnMut(&[R], &<R as DataRow>::Common) -> io::Result<()> + 'a;

pub trait RowSource<R: DataRow>: Send + Sync {
    /// The parts that can be read separately, each as the place of its rank in the run. Parts of one rank are adjacent, in the
    /// order of the rows.
    fn parts(&self) -> Vec<usize>;
    /// Shows the rows of a part, a bounded number at a time.
    fn read(&self, part: usize, show: &mut ShowRows<'_, R>) -> io::Result<()>;
}

/// A table without its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableHead {
    pub name: &'static str,
    pub meaning: &'static str,
    pub columns: Vec<ColumnHead>,
}

impl TableHead {
    pub fn of<R: DataRow>() -> TableHead {
        let columns = R::columns().into_iter().map(|column| column.head).collect();
        TableHead { name: R::TABLE, meaning: R::MEANING, columns }
    }
}

/// Receives rows as columns.
pub type ShowBatch<'a> = dyn FnMut(Batch) -> io::Result<()> + 'a;

/// A table whose rows can be read.
pub trait DataTable: Send + Sync {
    fn head(&self) -> &TableHead;
    /// See [`RowSource::parts`].
    fn parts(&self) -> &[usize];
    /// Shows the rows of a part; `wanted` are indices of columns.
    fn read(&self, part: usize, wanted: &[usize], show: &mut ShowBatch<'_>) -> io::Result<()>;
}

pub struct SourceTable<R: DataRow, S> {
    head: TableHead,
    columns: Vec<Column<R, R::Common>>,
    parts: Vec<usize>,
    source: S,
}

impl<R: DataRow, S: RowSource<R>> SourceTable<R, S> {
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

fn columns<R: DataRow>(all: &[Column<R, R::Common>], wanted: &[usize], rows: &[R], common: &R::Common) -> Vec<Values> {
    wanted.iter().map(|at| all[*at].values(rows, common)).collect()
}
