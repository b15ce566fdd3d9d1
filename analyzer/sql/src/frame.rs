//! Rows as a data frame of Polars.

use polars::prelude::{
    BooleanChunked, ChunkTake, ChunkedArray, Column, DataFrame, DataType, Float64Type, IdxType, Int32Type, IntoSeries,
    NamedFrom, NewChunkedArray, PlSmallStr, PolarsNumericType, PolarsResult, Schema, Series, StringChunked, UInt32Type,
    UInt64Type,
};

use tables::{Batch, Cells, ColumnHead, ColumnType, Values};

/// The columns as Polars describes them.
pub fn schema(columns: &[ColumnHead]) -> Schema {
    columns.iter().map(|column| (PlSmallStr::from_str(&column.key), data_type(column.unit.column_type()))).collect()
}

/// The type that Polars has for a column's values.
pub fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::UInt32 => DataType::UInt32,
        ColumnType::UInt64 => DataType::UInt64,
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Utf8 => DataType::String,
    }
}

pub fn frame(columns: &[ColumnHead], batch: Batch) -> PolarsResult<DataFrame> {
    let column = |(head, values): (&ColumnHead, Values)| Ok(Column::from(series(&head.key, values)?));
    let columns = columns.iter().zip(batch.columns).map(column).collect::<PolarsResult<Vec<Column>>>()?;
    DataFrame::new(batch.rows, columns)
}

pub fn series(key: &str, values: Values) -> PolarsResult<Series> {
    let name = PlSmallStr::from_str(key);
    Ok(match values {
        Values::Flag(cells) => match cells.known {
            None => Series::new(name, cells.values),
            Some(_) => BooleanChunked::from_iter_options(name, options(cells)).into_series(),
        },
        Values::Id(cells) => numbers::<UInt32Type>(name, cells).into_series(),
        Values::Whole(cells) => numbers::<UInt64Type>(name, cells).into_series(),
        Values::Signed(cells) => numbers::<Int32Type>(name, cells).into_series(),
        Values::Real(cells) => numbers::<Float64Type>(name, cells).into_series(),
        Values::Text(cells) => Series::new(name, options(cells).collect::<Vec<Option<String>>>()),
        // Each text lies in memory once; rows have views of it.
        Values::Name(cells, names) => {
            let names = StringChunked::from_slice(name, &names);
            let places = numbers::<IdxType>(PlSmallStr::EMPTY, cells);
            names.take(&places)?.into_series()
        }
        Values::Label(_) | Values::Rank(_) | Values::ByRow(_) => {
            unreachable!("no table of the data set has such a column")
        }
    })
}

/// Values that Polars takes as they are.
fn numbers<T: PolarsNumericType>(name: PlSmallStr, cells: Cells<T::Native>) -> ChunkedArray<T> {
    let known = cells.known.map(|known| known.into_iter().collect());
    ChunkedArray::from_vec_validity(name, cells.values, known)
}

fn options<T>(cells: Cells<T>) -> impl Iterator<Item = Option<T>> {
    let known = cells.known.unwrap_or_else(|| vec![true; cells.values.len()]);
    cells.values.into_iter().zip(known).map(|(value, known)| known.then_some(value))
}
