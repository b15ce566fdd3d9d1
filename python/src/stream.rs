//! A table's rows for whoever pulls them, a part at a time.
//!
//! The data set pushes rows, and Arrow's streams are pulled. So a thread reads, at most [`AHEAD`] batches in front of the reader. It owns
//! all that it reads from, so a stream may outlive the Python objects it came from; it ends when the stream is released.

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

/// Batches that lie ready. A batch is some thousand rows.
const AHEAD: usize = 4;

/// See the module.
pub struct TableStream {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, ArrowError>>,
    /// Until it has ended.
    reader: Option<JoinHandle<()>>,
}

impl TableStream {
    /// Of the columns at these places of a table.
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

/// Reads all parts, or until nobody takes them.
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
            // Nobody takes it where the stream was released.
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
