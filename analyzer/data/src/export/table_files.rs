//! Writes a table of the data set to a file, row by row: CSV for spreadsheets, with names made harmless as in reports; one
//! JSON object per line; and Parquet, as compressed columns.

use std::borrow::Cow;
use std::io;
use std::io::Write;

use csv::Writer;

use super::{Output, TableWriter};
use crate::parquet_file::{ParquetColumn, ParquetFile};
use crate::{DataSet, table};
use tables::csv::harmless;
use tables::json::escaped;
use tables::{Batch, Cell, ColumnHead, Unit};

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

pub struct ParquetTable(ParquetFile<Output>);

impl ParquetTable {
    pub fn new(columns: &[ColumnHead], out: Output) -> io::Result<ParquetTable> {
        let columns: Vec<ParquetColumn<'_>> = columns.iter().map(parquet_column).collect();
        Ok(ParquetTable(ParquetFile::new(&columns, out)?))
    }
}

fn parquet_column(head: &ColumnHead) -> ParquetColumn<'_> {
    ParquetColumn {
        key: &head.key,
        column_type: head.unit.column_type(),
        is_optional: head.is_optional,
        grows: matches!(head.unit, Unit::Ticks | Unit::Number),
    }
}

impl TableWriter for ParquetTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        self.0.write(batch)
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        self.0.finish()
    }
}

/// Shows each row of a rank in a table, and adds up the results of `show`.
pub fn each(
    set: &DataSet<'_>,
    name: &str,
    at: usize,
    keys: &[&str],
    show: &mut dyn FnMut(&[Cell<'_>]) -> std::io::Result<u64>,
) -> std::io::Result<u64> {
    let Some(table) = table(set, name) else { return Ok(0) };
    let columns = &table.head().columns;
    let wanted: Vec<usize> = keys.iter().filter_map(|key| columns.iter().position(|head| head.key == *key)).collect();
    let mut sum = 0;
    for part in (0..table.parts().len()).filter(|part| table.parts()[*part] == at) {
        table.read(part, &wanted, &mut |batch| {
            for row in 0..batch.rows {
                let cells: Vec<Cell<'_>> = batch.columns.iter().map(|column| column.cell(row)).collect();
                sum += show(&cells)?;
            }
            Ok(())
        })?;
    }
    Ok(sum)
}
