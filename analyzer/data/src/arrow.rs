//! Converts columns of the data set to Arrow arrays. Numbers are moved, texts are copied.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use tables::{Batch, Cells, ColumnHead, ColumnType, Values};

pub fn schema(columns: &[ColumnHead]) -> Schema {
    let field =
        |column: &ColumnHead| Field::new(&*column.key, data_type(column.unit.column_type()), column.is_optional);
    Schema::new(columns.iter().map(field).collect::<Vec<Field>>())
}

fn data_type(kind: ColumnType) -> DataType {
    match kind {
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::UInt32 => DataType::UInt32,
        ColumnType::UInt64 => DataType::UInt64,
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Utf8 => DataType::Utf8,
    }
}

/// Converts rows to a record batch.
pub fn record_batch(schema: &SchemaRef, batch: Batch) -> Result<RecordBatch, ArrowError> {
    // A batch without columns still has a number of rows.
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.rows));
    let columns = batch.columns.into_iter().map(array).collect();
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

fn array(values: Values) -> ArrayRef {
    match values {
        Values::Flag(cells) => Arc::new(BooleanArray::new(cells.values.into(), cells.known.map(Into::into))),
        Values::Id(cells) => numbers::<UInt32Type>(cells),
        Values::Whole(cells) => numbers::<UInt64Type>(cells),
        Values::Signed(cells) => numbers::<Int32Type>(cells),
        Values::Real(cells) => numbers::<Float64Type>(cells),
        Values::Text(cells) => texts(&cells, |text| text),
        Values::Name(cells, names) => texts(&cells, |name| &names[*name as usize]),
        Values::Label(_) | Values::Rank(_) | Values::ByRow(_) => {
            unreachable!("no table of the data set has such a column")
        }
    }
}

fn numbers<T: ArrowPrimitiveType>(cells: Cells<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(cells.values.into(), cells.known.map(Into::into)))
}

fn texts<'a, T>(cells: &'a Cells<T>, text: impl Fn(&'a T) -> &'a String) -> ArrayRef {
    let rows = (0..cells.values.len()).map(|row| cells.get(row).map(&text));
    Arc::new(rows.collect::<StringArray>())
}
