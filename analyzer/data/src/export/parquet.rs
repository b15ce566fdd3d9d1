//! Writes a table for data frames as compressed columns.

use std::io;

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Output, TableWriter};
use crate::arrow::{record_batch, schema};
use tables::{Batch, ColumnHead};

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
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP))
            .build();
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
