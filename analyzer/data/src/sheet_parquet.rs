//! A report's table for data frames, with units in the column names.

use std::io::{self, Write};

use polars::prelude::{Column as Series, DataFrame, ParquetWriter};

use super::{Field, Report, Scalar, ScalarType};

/// Writes the table.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(table) = report.asked() else { return Ok(()) };
    let rows: Vec<Vec<Scalar>> = table.rows.iter().map(|row| table.scalars(row)).collect();
    let columns = table.fields().iter().enumerate().map(|(at, field)| series(field, &rows, at)).collect();
    let mut frame = DataFrame::new_infer_height(columns).map_err(io::Error::other)?;
    ParquetWriter::new(out).finish(&mut frame).map(drop).map_err(io::Error::other)
}

/// A field's values in its type.
fn series(field: &Field, rows: &[Vec<Scalar>], at: usize) -> Series {
    let (name, scalars) = (field.key.as_str().into(), rows.iter().map(|row| &row[at]));
    match field.of {
        ScalarType::Text => {
            let texts = scalars.map(|scalar| if let Scalar::Text(text) = scalar { Some(text.as_ref()) } else { None });
            Series::new(name, texts.collect::<Vec<Option<&str>>>())
        }
        ScalarType::Whole => {
            let whole = |scalar| if let &Scalar::Whole(number) = scalar { Some(number) } else { None };
            Series::new(name, scalars.map(whole).collect::<Vec<Option<u64>>>())
        }
        ScalarType::Real => {
            let real = |scalar: &Scalar| match scalar {
                Scalar::Real(number) => Some(*number),
                Scalar::Whole(number) => Some(*number as f64),
                Scalar::Text(_) | Scalar::Null => None,
            };
            Series::new(name, scalars.map(real).collect::<Vec<Option<f64>>>())
        }
    }
}
