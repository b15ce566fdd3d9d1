//! Writes a table of the data set to a file, row by row: CSV for spreadsheets, with names made harmless as in reports; one
//! JSON object per line; and Parquet, as compressed columns.

use std::borrow::Cow;
use std::io;
use std::io::Write;

use arrow_schema::SchemaRef;
use csv::Writer;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::{Output, TableWriter};
use crate::arrow::{record_batch, schema};
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

/// Rows per row group, which readers skip or load as a whole.
const GROUP: usize = 1 << 18;

pub struct ParquetTable {
    schema: SchemaRef,
    writer: ArrowWriter<Output>,
}

impl ParquetTable {
    pub fn new(columns: &[ColumnHead], out: Output) -> io::Result<ParquetTable> {
        let schema = SchemaRef::new(schema(columns));
        let level = ZstdLevel::try_new(1).map_err(io::Error::other)?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP));
        // Values that only grow repeat never, but their differences are small.
        for column in columns.iter().filter(|column| matches!(column.unit, Unit::Ticks | Unit::Number)) {
            let path = ColumnPath::from(column.key.as_ref());
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
            properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        let properties = properties.build();
        let writer = ArrowWriter::try_new(out, SchemaRef::clone(&schema), Some(properties)).map_err(io_error)?;
        Ok(ParquetTable { schema, writer })
    }
}

impl TableWriter for ParquetTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        let batch = record_batch(&self.schema, batch).map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(io_error)
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        self.writer.into_inner().map_err(io_error)
    }
}

/// The system's own error, if there is one, so that a full disk is reported as such.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        error => io::Error::other(error),
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
