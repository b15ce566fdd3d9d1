//! A table for data frames.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use polars::io::parquet::write::{BatchedWriter, ParquetCompression, ParquetWriter};
use polars::polars_utils::compression::ZstdLevel;
use polars::prelude::DataFrame;

use super::{Output, TableWriter};
use crate::frame::{frame, schema};
use data::{Batch, DataHead};
use model::parallel::{into_inner, lock};

/// Rows of a row group: readers skip and load these as one.
const GROUP: usize = 1 << 18;

/// See the module.
pub struct ParquetTable {
    columns: Vec<DataHead>,
    writer: BatchedWriter<SharedOutput>,
    out: SharedOutput,
    /// Rows that are no group yet.
    rows: Option<DataFrame>,
}

impl ParquetTable {
    /// Begins it.
    pub fn new(columns: Vec<DataHead>, out: Output) -> io::Result<ParquetTable> {
        let level = ZstdLevel::try_new(1).map_err(io::Error::other)?;
        // Ranks are written side by side already.
        let out = SharedOutput(Arc::new(Mutex::new(out)));
        let writer =
            ParquetWriter::new(out.clone()).with_compression(ParquetCompression::Zstd(Some(level))).set_parallel(false);
        let writer = writer.batched(&schema(&columns)).map_err(io::Error::other)?;
        Ok(ParquetTable { columns, writer, out, rows: None })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let Some(mut rows) = self.rows.take() else { return Ok(()) };
        rows.align_chunks();
        self.writer.write_batch(&rows).map_err(io::Error::other)
    }
}

impl TableWriter for ParquetTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        let more = frame(&self.columns, batch).map_err(io::Error::other)?;
        let rows = match self.rows.take() {
            None => more,
            Some(mut rows) => {
                rows.vstack_mut(&more).map_err(io::Error::other)?;
                rows
            }
        };
        let is_group = rows.height() >= GROUP;
        self.rows = Some(rows);
        if is_group { self.write_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        self.write_group()?;
        self.writer.finish().map_err(io::Error::other)?;
        let ParquetTable { writer, out, .. } = *self;
        drop(writer);
        Arc::into_inner(out.0).map(into_inner).ok_or_else(|| io::Error::other("the file is still being written"))
    }
}

/// Polars does not give back what it writes to.
#[derive(Clone)]
struct SharedOutput(Arc<Mutex<Output>>);

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0).flush()
    }
}
