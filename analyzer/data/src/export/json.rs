//! Writes a table for programs, one JSON object per line.

use std::io::{self, Write};

use super::{Output, TableWriter};
use tables::json::escaped;
use tables::{Batch, Cell};

/// A file of JSON lines that is being written.
pub struct JsonLines {
    /// Text before each value.
    keys: Vec<String>,
    out: Output,
}

impl JsonLines {
    pub fn new(keys: &[String], out: Output) -> JsonLines {
        let keys = keys.iter().enumerate().map(|(at, key)| format!("{}\"{key}\":", if at == 0 { '{' } else { ',' }));
        JsonLines { keys: keys.collect(), out }
    }
}

impl TableWriter for JsonLines {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        for row in 0..batch.rows {
            for (key, column) in self.keys.iter().zip(&batch.columns) {
                self.out.write_all(key.as_bytes())?;
                value(column.cell(row), &mut self.out)?;
            }
            self.out.write_all(b"}\n")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        Ok(self.out)
    }
}

fn value(cell: Cell<'_>, out: &mut impl Write) -> io::Result<()> {
    match cell {
        Cell::Text(text) => out.write_all(escaped(&serde_json::to_string(text)?).as_bytes()),
        Cell::Flag(flag) => write!(out, "{flag}"),
        Cell::Whole(number) => write!(out, "{number}"),
        Cell::Signed(number) => write!(out, "{number}"),
        Cell::Real(number) if number.is_finite() => write!(out, "{number}"),
        Cell::Real(_) | Cell::Null => out.write_all(b"null"),
    }
}
