//! Writes a report's table for data frames, with units in the column names.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray, UInt64Array};
use arrow_schema::{DataType, Field as ArrowField, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use tables::{Field, Report, Scalar, ScalarType};

/// Writes the report's main table; nothing if it has none.
pub fn print(report: &Report, out: &mut (impl Write + Send)) -> io::Result<()> {
    let Some(table) = report.asked() else { return Ok(()) };
    let fields = table.fields();
    let rows: Vec<Vec<Scalar>> = table.rows.iter().map(|row| table.scalars(row)).collect();
    let columns = fields.iter().enumerate().map(|(at, field)| column(field, &rows, at)).collect();
    let arrow_field = |field: &Field| ArrowField::new(&field.key, data_type(field.of), true);
    let schema = SchemaRef::new(Schema::new(fields.iter().map(arrow_field).collect::<Vec<ArrowField>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options).map_err(io::Error::other)?;
    let mut writer = ArrowWriter::try_new(out, schema, None).map_err(io::Error::other)?;
    writer.write(&batch).map_err(io::Error::other)?;
    writer.close().map(drop).map_err(io::Error::other)
}

fn data_type(of: ScalarType) -> DataType {
    match of {
        ScalarType::Text => DataType::Utf8,
        ScalarType::Whole => DataType::UInt64,
        ScalarType::Real => DataType::Float64,
    }
}

/// Values of a field as an Arrow array.
fn column(field: &Field, rows: &[Vec<Scalar>], at: usize) -> ArrayRef {
    let scalars = rows.iter().map(|row| &row[at]);
    match field.of {
        ScalarType::Text => Arc::new(StringArray::from_iter(scalars.map(Scalar::text))),
        ScalarType::Whole => Arc::new(UInt64Array::from_iter(scalars.map(Scalar::whole))),
        ScalarType::Real => Arc::new(Float64Array::from_iter(scalars.map(Scalar::real))),
    }
}
