//! Streams a table's rows, a batch at a time.
//!
//! The data set pushes rows, but Arrow streams are pulled, so a thread reads at most [`AHEAD`] batches ahead of the
//! consumer. It owns everything it reads, so a stream may outlive the Python objects it came from; it ends when the
//! stream is released.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use data::{DataSet, follow, table};
use model::Run;
use tables::ColumnHead;

use data::arrow::{record_batch, schema};

/// Batches ready at most. A batch has some thousand rows.
const AHEAD: usize = 4;

pub struct TableStream {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, ArrowError>>,
    /// `None` once the thread has ended.
    reader: Option<JoinHandle<()>>,
}

impl TableStream {
    /// Streams the columns with these indices.
    pub fn new(run: Arc<Run>, name: &'static str, heads: &[ColumnHead], wanted: Vec<usize>) -> io::Result<TableStream> {
        let columns: Vec<ColumnHead> = wanted.iter().map(|at| heads[*at].clone()).collect();
        let schema = Arc::new(schema(&columns));
        let (sender, batches) = sync_channel(AHEAD);
        let read = {
            let schema = Arc::clone(&schema);
            move || read(&run, name, &wanted, &schema, &sender)
        };
        let reader = thread::Builder::new().name(format!("overhear {name}")).spawn(read)?;
        Ok(TableStream { schema, batches, reader: Some(reader) })
    }
}

/// Reads all batches, until the stream is released.
fn read(
    run: &Run,
    name: &str,
    wanted: &[usize],
    schema: &SchemaRef,
    sender: &SyncSender<Result<RecordBatch, ArrowError>>,
) {
    let set = DataSet::new(run, follow(name));
    let Some(table) = table(&set, name) else { return };
    for part in 0..table.parts().len() {
        let read = table.read(part, wanted, &mut |batch| {
            let batch = record_batch(schema, batch).map_err(io::Error::other)?;
            sender.send(Ok(batch)).map_err(|_| io::ErrorKind::BrokenPipe.into())
        });
        if let Err(error) = read {
            // Sending fails only if the stream was released, and then the error has no reader.
            let _ = sender.send(Err(ArrowError::IoError(format!("{name}: {error}"), error)));
            return;
        }
    }
}

impl Iterator for TableStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Ok(batch) = self.batches.recv() {
            return Some(batch);
        }
        let ended = self.reader.take()?.join();
        let panicked =
            |_| ArrowError::ComputeError("the analyzer failed while it read the table; stderr says how".into());
        ended.err().map(|error| Err(panicked(error)))
    }
}

impl RecordBatchReader for TableStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
