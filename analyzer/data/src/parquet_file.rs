//! A Parquet file of a table's columns.
//!
//! In: the columns, then batches of their values. Out: groups of rows, which readers skip or load as a whole. Parquet wants a group
//! column by column, so the batches of one wait in memory. This is Parquet's own writer: the one for Arrow's arrays, with all that
//! converts those, takes eight times as long to compile.

use std::io;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use tables::{Batch, Cells, ColumnType, Values};

/// Rows after which a group is written.
const GROUP: usize = 1 << 17;

/// Zstandard's fastest level.
const LEVEL: i32 = 1;

pub struct ParquetColumn<'a> {
    pub key: &'a str,
    pub column_type: ColumnType,
    /// Some rows may have no value.
    pub is_optional: bool,
    /// Values that only grow repeat never, but their differences are small.
    pub grows: bool,
}

pub struct ParquetFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    optional: Vec<bool>,
    /// Batches of the next group.
    waiting: Vec<Batch>,
}

impl<W: Write + Send> ParquetFile<W> {
    pub fn new(columns: &[ParquetColumn<'_>], out: W) -> io::Result<ParquetFile<W>> {
        ParquetFile::begin(columns, out).map_err(io_error)
    }

    fn begin(columns: &[ParquetColumn<'_>], out: W) -> Result<ParquetFile<W>, ParquetError> {
        let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<_, ParquetError>>()?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
        let mut properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?));
        for column in columns.iter().filter(|column| column.grows) {
            let path = ColumnPath::from(column.key);
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
            properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?;
        let optional = columns.iter().map(|column| column.is_optional).collect();
        Ok(ParquetFile { writer, optional, waiting: Vec::new() })
    }

    pub fn write(&mut self, batch: Batch) -> io::Result<()> {
        self.waiting.push(batch);
        let rows: usize = self.waiting.iter().map(|batch| batch.rows).sum();
        if rows >= GROUP { self.write_group().map_err(io_error) } else { Ok(()) }
    }

    /// Completes the file. Returns its output.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_group().and_then(|()| self.writer.into_inner()).map_err(io_error)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        self.waiting.retain(|batch| batch.rows > 0);
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for (at, is_optional) in self.optional.iter().enumerate() {
            let Some(mut column) = group.next_column()? else { break };
            for batch in &self.waiting {
                write_values(&mut column, &batch.columns[at], *is_optional)?;
            }
            column.close()?;
        }
        group.close()?;
        self.waiting.clear();
        Ok(())
    }
}

fn field(column: &ParquetColumn<'_>) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.column_type {
        ColumnType::Boolean => (PhysicalType::BOOLEAN, None),
        ColumnType::UInt32 => (PhysicalType::INT32, Some(LogicalType::integer(32, false))),
        ColumnType::UInt64 => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnType::Int32 => (PhysicalType::INT32, None),
        ColumnType::Float64 => (PhysicalType::DOUBLE, None),
        ColumnType::Utf8 => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let repetition = if column.is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder(column.key, physical);
    field.with_logical_type(logical).with_repetition(repetition).build()
}

fn write_values(
    column: &mut SerializedColumnWriter<'_>,
    values: &Values,
    is_optional: bool,
) -> Result<(), ParquetError> {
    match values {
        Values::Flag(cells) => write_cells::<BoolType, _>(column, cells, is_optional, |flag| *flag),
        Values::Id(cells) => write_cells::<Int32Type, _>(column, cells, is_optional, |number| number.cast_signed()),
        Values::Whole(cells) => write_cells::<Int64Type, _>(column, cells, is_optional, |number| number.cast_signed()),
        Values::Signed(cells) => write_cells::<Int32Type, _>(column, cells, is_optional, |number| *number),
        Values::Real(cells) => write_cells::<DoubleType, _>(column, cells, is_optional, |number| *number),
        Values::Text(cells) => write_cells::<ByteArrayType, _>(column, cells, is_optional, |text| bytes(text)),
        Values::Name(cells, names) => {
            let names: Vec<ByteArray> = names.iter().map(|name| bytes(name)).collect();
            write_cells::<ByteArrayType, _>(column, cells, is_optional, |name| names[*name as usize].clone())
        }
        Values::Label(_) | Values::Rank(_) | Values::ByRow(_) => {
            unreachable!("no table of the data set has such a column")
        }
    }
}

fn write_cells<C: DataType, T>(
    column: &mut SerializedColumnWriter<'_>,
    cells: &Cells<T>,
    is_optional: bool,
    value: impl Fn(&T) -> C::T,
) -> Result<(), ParquetError> {
    let rows = 0..cells.values.len();
    let known: Vec<C::T> = rows.clone().filter_map(|row| cells.get(row).map(&value)).collect();
    // Level 1 is a value, 0 none.
    let levels: Option<Vec<i16>> = is_optional.then(|| rows.map(|row| i16::from(cells.get(row).is_some())).collect());
    column.typed::<C>().write_batch(&known, levels.as_deref(), None).map(drop)
}

fn bytes(text: &str) -> ByteArray {
    text.as_bytes().to_vec().into()
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
