//! A report's table as CSV, with units in the column names.
//!
//! A spreadsheet takes a cell for a formula by its first character, and formulas can run programs. So a text that
//! starts like one gets an apostrophe in front. Numbers stay numbers.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::Report;
use crate::scalar::Scalar;
use crate::visible::visible;

/// The characters that make a spreadsheet take a cell for a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(table) = report.asked() else { return Ok(()) };
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.fields().iter().map(|field| &field.key)).map_err(io_error)?;
    for row in &table.rows {
        writer.write_record(table.scalars(row).iter().map(cell)).map_err(io_error)?;
    }
    writer.flush()
}

/// The system's own error, by which a closed pipe is known.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A text that no spreadsheet takes for a formula, with hidden characters made visible.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { format!("'{}", visible(text)).into() } else { visible(text) }
}

fn cell(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => harmless(text).into_owned(),
        Scalar::Whole(number) => number.to_string(),
        Scalar::Real(number) => number.to_string(),
        Scalar::Null => String::new(),
    }
}
