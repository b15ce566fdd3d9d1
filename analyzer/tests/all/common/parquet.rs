//! Reads Parquet output.

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Rows of a small file.
pub fn parquet(bytes: &[u8]) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    let schema = builder.schema().clone();
    let mut batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    assert!(batches.len() <= 1, "more rows than a test writes");
    batches.pop().unwrap_or_else(|| RecordBatch::new_empty(schema))
}
