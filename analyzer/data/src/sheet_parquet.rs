//! Writes a report's table for data frames, with units in the column names.

use std::io::{self, Write};

use crate::parquet_file::{ParquetColumn, ParquetFile};
use tables::{Batch, Cells, ColumnType, Field, Report, Scalar, ScalarType, Values};

/// Writes the report's main table; nothing if it has none.
pub fn print(report: &Report, out: &mut (impl Write + Send)) -> io::Result<()> {
    let Some(table) = report.asked() else { return Ok(()) };
    let fields = table.fields();
    let rows: Vec<Vec<Scalar>> = table.rows.iter().map(|row| table.scalars(row)).collect();
    let columns: Vec<ParquetColumn<'_>> = fields.iter().map(column).collect();
    let mut file = ParquetFile::new(&columns, out)?;
    let values = fields.iter().enumerate().map(|(at, field)| values(field, &rows, at)).collect();
    file.write(Batch { rows: rows.len(), columns: values })?;
    file.finish().map(drop)
}

fn column(field: &Field) -> ParquetColumn<'_> {
    let column_type = match field.of {
        ScalarType::Text => ColumnType::Utf8,
        ScalarType::Whole => ColumnType::UInt64,
        ScalarType::Real => ColumnType::Float64,
    };
    ParquetColumn { key: &field.key, column_type, is_optional: true, grows: false }
}

/// Values of a field in all rows.
fn values(field: &Field, rows: &[Vec<Scalar>], at: usize) -> Values {
    let scalars = rows.iter().map(|row| &row[at]);
    match field.of {
        ScalarType::Text => Values::Text(cells(scalars.map(|scalar| scalar.text().map(String::from)))),
        ScalarType::Whole => Values::Whole(cells(scalars.map(Scalar::whole))),
        ScalarType::Real => Values::Real(cells(scalars.map(Scalar::real))),
    }
}

fn cells<T: Default>(values: impl Iterator<Item = Option<T>>) -> Cells<T> {
    let (known, values) = values.map(|value| (value.is_some(), value.unwrap_or_default())).unzip();
    Cells { values, known: Some(known) }
}
