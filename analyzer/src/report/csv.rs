//! A report's table for spreadsheets, the first one, with units in the column names.
//!
//! A spreadsheet takes a cell for a formula by its first character, and formulas run programs: a name that begins so gets an
//! apostrophe in front. Numbers stay numbers.

use std::io::{self, Write};

use super::visible::visible;
use super::{Report, Value};

/// What a cell begins with that is taken for a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

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
        Value::Text(text) if text.starts_with(FORMULA) => format!("'{}", visible(text)),
        Value::Text(text) => visible(text).into_owned(),
        Value::Label(key, ..) => (*key).into(),
        Value::Count(number) | Value::Number(number) | Value::Bytes(number) => number.to_string(),
        Value::Seconds(number) | Value::Percent(number) | Value::Ratio(number) => number.to_string(),
        Value::None => String::new(),
    }
}
