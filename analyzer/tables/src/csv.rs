//! A report's table for spreadsheets with units in the column names.
//!
//! A spreadsheet takes a cell for a formula by its first character, and formulas run programs: a name that starts like one gets
//! an apostrophe in front. Numbers stay numbers.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::Report;
use crate::scalar::Scalar;
use crate::visible::visible;

/// What a cell begins with that is taken for a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// Prints the table.
pub fn print(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(table) = report.asked() else { return Ok(()) };
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.fields().iter().map(|field| &field.key))?;
    for row in &table.rows {
        writer.write_record(table.scalars(row).iter().map(cell))?;
    }
    writer.flush()
}

/// A text as no spreadsheet runs it, with nothing hidden in it.
pub fn harmless(text: &str) -> Cow<'_, str> {
    match text.starts_with(FORMULA) {
        true => format!("'{}", visible(text)).into(),
        false => visible(text),
    }
}

fn cell(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => harmless(text).into_owned(),
        Scalar::Whole(number) => number.to_string(),
        Scalar::Real(number) => number.to_string(),
        Scalar::Null => String::new(),
    }
}
