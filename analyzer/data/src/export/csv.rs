//! Writes a table for spreadsheets, one line per row; names are made harmless as in reports.

use std::borrow::Cow;
use std::io;

use ::csv::Writer;

use super::{Output, TableWriter};
use tables::csv::harmless;
use tables::{Batch, Cell};

/// A CSV file that is being written.
pub struct CsvTable(Writer<Output>);

impl CsvTable {
    /// Starts the file with the columns' keys.
    pub fn new(keys: &[String], out: Output) -> io::Result<CsvTable> {
        let mut writer = Writer::from_writer(out);
        writer.write_record(keys)?;
        Ok(CsvTable(writer))
    }
}

impl TableWriter for CsvTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        for row in 0..batch.rows {
            self.0.write_record(batch.columns.iter().map(|column| field(column.cell(row)).into_owned()))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        self.0.into_inner().map_err(|error| io::Error::other(error.to_string()))
    }
}

fn field(cell: Cell<'_>) -> Cow<'_, str> {
    match cell {
        Cell::Text(text) => harmless(text),
        Cell::Flag(flag) => if flag { "true" } else { "false" }.into(),
        Cell::Whole(number) => number.to_string().into(),
        Cell::Signed(number) => number.to_string().into(),
        // Spreadsheets would take NaN and infinities for text.
        Cell::Real(number) if number.is_finite() => number.to_string().into(),
        Cell::Real(_) | Cell::Null => "".into(),
    }
}
