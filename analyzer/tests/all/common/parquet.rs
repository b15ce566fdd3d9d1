//! Reads Parquet output.

use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::ColumnDescriptor;

/// A small file.
pub struct ParquetRows {
    pub columns: Vec<ParquetColumn>,
    pub rows: usize,
}

pub struct ParquetColumn {
    pub key: String,
    /// Its type as JSON schemas name it.
    pub json_type: &'static str,
    pub values: Vec<Field>,
}

impl ParquetRows {
    /// The values of a column.
    pub fn column(&self, key: &str) -> &[Field] {
        let found = self.columns.iter().find(|column| column.key == key);
        &found.unwrap_or_else(|| panic!("no column {key}")).values
    }
}

pub fn parquet(bytes: &[u8]) -> ParquetRows {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let column = |column: &ColumnDescriptor| ParquetColumn {
        key: column.name().into(),
        json_type: json_type(column),
        values: Vec::new(),
    };
    let mut columns: Vec<ParquetColumn> = schema.columns().iter().map(|found| column(found)).collect();
    let mut rows = 0;
    for row in reader.get_row_iter(None).unwrap() {
        rows += 1;
        for (column, (_, value)) in columns.iter_mut().zip(row.unwrap().get_column_iter()) {
            column.values.push(value.clone());
        }
    }
    ParquetRows { columns, rows }
}

fn json_type(column: &ColumnDescriptor) -> &'static str {
    match (column.physical_type(), column.logical_type_ref()) {
        (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)) => "string",
        (PhysicalType::INT64, Some(number)) if *number == LogicalType::integer(64, false) => "integer",
        (PhysicalType::DOUBLE, None) => "number",
        other => panic!("{} is {other:?}", column.name()),
    }
}
