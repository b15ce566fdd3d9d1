//! A table of the run as Polars reads it: part after part, on all processors, never more than a few at a time.
//!
//! Polars has no way to ask foreign code for one piece after another, but it maps a frame piece by piece. So a table begins as a frame of
//! nothing but numbers, which take no memory before they are counted: as many for each part as Polars puts in a piece. The piece with a
//! part's first number is replaced by the part's rows. Columns that a query does not need are null, which takes no memory either.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use polars::prelude::{
    AllowedOptimizations, AnyValue, Column, DataFrame, DataType, IdxSize, IntoLazy, LazyFrame, PlSmallStr,
    PolarsResult, Scalar, Schema,
};

use crate::frame::{data_type, frame, schema};
use data::{DataSet, DataTable, heads, table as table_of};
use tables::ColumnHead;

/// Rows in each piece that Polars makes.
const PIECE: usize = 100_000;
/// The column of numbers.
const NUMBER: &str = "number";

/// A table with its needed columns; an empty one if the query does not name it.
pub fn table(
    set: &'static DataSet<'static>,
    name: &'static str,
    needed: Option<&BTreeSet<String>>,
) -> PolarsResult<LazyFrame> {
    let columns = heads().into_iter().find(|head| head.name == name).map(|head| head.columns).unwrap_or_default();
    let whole = Arc::new(schema(&columns));
    let found = needed.and_then(|needed| Some((needed, table_of(set, name)?)));
    let Some((needed, table)) = found else { return Ok(DataFrame::empty_with_schema(&whole).lazy()) };
    let parts = table.parts().len();
    let each = PIECE.min(IdxSize::MAX as usize / parts.max(1));
    let blank = Column::new_scalar(PlSmallStr::from_static("blank"), Scalar::from(false), parts * each);
    let numbered = DataFrame::new(parts * each, vec![blank])?.lazy().with_row_index(NUMBER, None);
    let wanted = (0..columns.len()).filter(|at| needed.contains(&*columns[*at].key)).collect();
    let scan = TableScan { table, columns, wanted, each };
    let schema = move |_: &Schema| Ok(Arc::clone(&whole));
    Ok(numbered.map(
        move |numbers| scan.rows(&numbers),
        AllowedOptimizations::STREAMING,
        Some(Arc::new(schema)),
        Some(name),
    ))
}

struct TableScan {
    table: Box<dyn DataTable>,
    columns: Vec<ColumnHead>,
    wanted: Vec<usize>,
    /// Numbers of a part.
    each: usize,
}

impl TableScan {
    /// Rows of the parts whose first numbers are in this piece.
    fn rows(&self, numbers: &DataFrame) -> PolarsResult<DataFrame> {
        let count = numbers.height();
        let first = match numbers.column(NUMBER)?.get(0) {
            Ok(AnyValue::UInt32(first)) => first as usize,
            _ => 0,
        };
        let mut rows = DataFrame::empty_with_schema(&schema(&self.columns));
        let parts = first.div_ceil(self.each)..(first + count).div_ceil(self.each);
        let heads: Vec<ColumnHead> = self.wanted.iter().map(|at| self.columns[*at].clone()).collect();
        for part in parts {
            let read = self.table.read(part, &self.wanted, &mut |batch| {
                let height = batch.rows;
                let made = frame(&heads, batch).and_then(|frame| self.widened(frame, height));
                rows.vstack_mut(&made.map_err(io::Error::other)?).map(drop).map_err(io::Error::other)
            });
            read?;
        }
        Ok(rows)
    }

    /// The frame with all columns of the table.
    fn widened(&self, frame: DataFrame, height: usize) -> PolarsResult<DataFrame> {
        let mut made = frame.into_columns().into_iter();
        let mut column = |at: usize| match self.wanted.binary_search(&at) {
            Ok(_) => made.next(),
            Err(_) => {
                let ColumnHead { key, unit, .. } = &self.columns[at];
                let null: DataType = data_type(unit.column_type());
                Some(Column::full_null(PlSmallStr::from_str(key), height, &null))
            }
        };
        DataFrame::new(height, (0..self.columns.len()).filter_map(&mut column).collect())
    }
}
