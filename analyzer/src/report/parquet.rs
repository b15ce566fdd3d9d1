//! A report's first table for data frames, with units in the column names.

use std::io::{self, Write};

use polars::prelude::{Column as Series, DataFrame, ParquetWriter};

use super::{Report, Table, Value};

/// Writes the table.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(table) = report.tables.first() else { return Ok(()) };
    let columns = (0..table.columns.len()).map(|at| column(table, at)).collect();
    let mut frame = DataFrame::new_infer_height(columns).map_err(io::Error::other)?;
    ParquetWriter::new(out).finish(&mut frame).map(drop).map_err(io::Error::other)
}

/// A column in the type its values have: text where one is, as a rank is of a world that was spawned.
fn column(table: &Table, at: usize) -> Series {
    let name = table.columns[at].key.as_str().into();
    let values = || table.rows.iter().map(|row| &row[at]);
    let is_text = |value: &&Value| matches!(value, Value::Text(_) | Value::Label(..));
    let first = values().find(is_text).or_else(|| values().find(|value| **value != Value::None));
    match first {
        Some(Value::Count(_) | Value::Number(_) | Value::Bytes(_)) => {
            let whole = |value: &Value| match value {
                Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Some(*number),
                _ => None,
            };
            Series::new(name, values().map(whole).collect::<Vec<_>>())
        }
        Some(Value::Seconds(_) | Value::Percent(_) | Value::Ratio(_)) => {
            let real = |value: &Value| match value {
                Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => Some(*number),
                _ => None,
            };
            Series::new(name, values().map(real).collect::<Vec<_>>())
        }
        _ => {
            let text = |value: &Value| match value {
                Value::Text(text) => Some(text.clone()),
                Value::Label(key, ..) => Some(key.to_string()),
                Value::Count(number) | Value::Number(number) | Value::Bytes(number) => Some(number.to_string()),
                _ => None,
            };
            Series::new(name, values().map(text).collect::<Vec<_>>())
        }
    }
}
