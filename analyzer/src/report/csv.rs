//! A report's first table for spreadsheets, with units in the column names.

use std::io::{self, Write};

use super::{Report, Value};

/// Prints the table.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(table) = report.tables.first() else { return Ok(()) };
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.columns.iter().map(|column| &column.key))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(field))?;
    }
    writer.flush()
}

fn field(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Count(number) | Value::Bytes(number) => number.to_string(),
        Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => number.to_string(),
        Value::None => String::new(),
    }
}
