//! Exports a run to files of other tools.
//!
//! The data set becomes a folder for each table with a folder for each rank, in Hive's layout.
//!
//! Polars, DuckDB and PyArrow read the rank from the folder's name, as in `calls/rank=0/part-0.parquet`. Processes of spawned
//! worlds with the same rank are parts of one rank. Ranks are written in parallel, each a bounded number of rows at a time.

mod folder;
pub mod otf2;
pub mod perfetto;
pub mod stacks;
mod table_files;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{DataSet, DataTable, TableHead, table};
pub use folder::ExportFolder;
use model::Run;
use model::error::Error;
use model::output::{self, OutputFile};
use model::parallel;
use stacks::StackFormat;
use tables::{Batch, ColumnHead};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// The tables of the data set, as a folder of files.
    Tables(FileFormat),
    /// A file for Perfetto's viewer.
    Perfetto,
    /// A folder for Vampir, Scalasca, Pipit and ViTE.
    Otf2,
    /// A file with call paths, for viewers of profiles.
    Stacks(StackFormat),
}

impl ExportFormat {
    pub const ALL: [(&str, ExportFormat); 8] = [
        ("parquet", ExportFormat::Tables(FileFormat::Parquet)),
        ("csv", ExportFormat::Tables(FileFormat::Csv)),
        ("json", ExportFormat::Tables(FileFormat::Json)),
        ("perfetto", ExportFormat::Perfetto),
        ("otf2", ExportFormat::Otf2),
        ("folded", ExportFormat::Stacks(StackFormat::Folded)),
        ("speedscope", ExportFormat::Stacks(StackFormat::Speedscope)),
        ("pprof", ExportFormat::Stacks(StackFormat::Pprof)),
    ];
}

/// Nanoseconds since 1970 at the time written as 0, if the first rank's clock was sampled.
fn realtime(run: &Run, set: &DataSet<'_>, origin: i64) -> Option<u64> {
    let (begin, line) = (run.ranks.first()?.header.begin, set.common_clock.lines.first()?);
    let since = line.nanoseconds_at(begin.ticks).checked_sub(origin)?;
    begin.is_set().then(|| begin.realtime.checked_add_signed(since.checked_neg()?))?
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// For Polars, DuckDB, pandas, Spark: compressed columns
    Parquet,
    /// For spreadsheets
    Csv,
    /// For programs: an object on each line
    Json,
}

impl FileFormat {
    fn extension(self) -> &'static str {
        match self {
            FileFormat::Parquet => "parquet",
            FileFormat::Csv => "csv",
            FileFormat::Json => "jsonl",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The tables with their numbers of rows.
    pub tables: Vec<(&'static str, u64)>,
    pub bytes: u64,
}

/// A file that a table's rows are written to.
trait TableWriter {
    fn write(&mut self, batch: Batch) -> io::Result<()>;
    /// Completes the file; returns its output.
    fn finish(self: Box<Self>) -> io::Result<Output>;
}

/// A counting writer of a file that gets its final name when it is whole.
type Output = BufWriter<Counted>;

pub fn write(
    set: &DataSet<'_>,
    names: &[&'static str],
    format: FileFormat,
    folder: &ExportFolder,
) -> Result<Exported, Error> {
    let tables: Vec<Box<dyn DataTable + '_>> = names.iter().filter_map(|name| table(set, name)).collect();
    let jobs: Vec<(&dyn DataTable, usize)> =
        tables.iter().flat_map(|table| set.asked().map(move |rank| (table.as_ref(), rank))).collect();
    let paths = jobs.iter().map(|(table, rank)| folder.file(set.run, table.head().name, *rank, format.extension()));
    let paths = paths.collect::<Result<Vec<PathBuf>, Error>>()?;
    let bytes = AtomicU64::new(0);
    let written = parallel::map(jobs.len(), |at| {
        let (table, rank) = jobs[at];
        let failed = |source| Error::Write { path: paths[at].clone(), source };
        let written = one_file(table, rank, format, create(&paths[at]).map_err(failed)?)?.map_err(failed)?;
        bytes.fetch_add(written.1, Relaxed);
        Ok::<u64, Error>(written.0)
    });
    let mut exported = Exported { tables: names.iter().map(|name| (*name, 0)).collect(), bytes: 0 };
    for ((table, _), rows) in jobs.iter().zip(written) {
        let rows = rows?;
        let of_table = exported.tables.iter_mut().filter(|(name, _)| *name == table.head().name);
        for (_, sum) in of_table {
            *sum += rows;
        }
    }
    exported.bytes = bytes.into_inner();
    Ok(exported)
}

/// Writes a rank's rows of a table. Returns the number of rows and the file's size.
fn one_file(
    table: &dyn DataTable,
    rank: usize,
    format: FileFormat,
    out: Output,
) -> Result<io::Result<(u64, u64)>, Error> {
    let head = table.head();
    let wanted: Vec<usize> = match format {
        // Readers take the rank from the folder's name; a column of the same name would clash.
        FileFormat::Parquet => (0..head.columns.len()).filter(|at| head.columns[*at].key != "rank").collect(),
        FileFormat::Csv | FileFormat::Json => (0..head.columns.len()).collect(),
    };
    let writer = match writer(head, &wanted, format, out)? {
        Ok(writer) => writer,
        Err(error) => return Ok(Err(error)),
    };
    Ok(all_rows(table, rank, &wanted, writer))
}

fn all_rows(
    table: &dyn DataTable,
    rank: usize,
    wanted: &[usize],
    mut writer: Box<dyn TableWriter>,
) -> io::Result<(u64, u64)> {
    let mut rows = 0;
    for part in (0..table.parts().len()).filter(|part| table.parts()[*part] == rank) {
        table.read(part, wanted, &mut |batch| {
            rows += batch.rows as u64;
            writer.write(batch)
        })?;
    }
    Ok((rows, finish(writer.finish()?)?))
}

fn create(path: &Path) -> io::Result<Output> {
    let file = Counted { file: output::create(path)?, bytes: 0 };
    Ok(BufWriter::with_capacity(1 << 18, file))
}

/// Completes the file; returns its size in bytes.
fn finish(out: Output) -> io::Result<u64> {
    let Counted { file, bytes } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.finish()?;
    Ok(bytes)
}

fn writer(
    head: &TableHead,
    wanted: &[usize],
    format: FileFormat,
    out: Output,
) -> Result<io::Result<Box<dyn TableWriter>>, Error> {
    let keys: Vec<String> = wanted.iter().map(|at| head.columns[*at].key.to_string()).collect();
    Ok(match format {
        FileFormat::Csv => Ok(Box::new(table_files::CsvTable::new(&keys, out))),
        FileFormat::Json => Ok(Box::new(table_files::JsonLines::new(&keys, out))),
        FileFormat::Parquet => {
            let columns: Vec<ColumnHead> = wanted.iter().map(|at| head.columns[*at].clone()).collect();
            table_files::ParquetTable::new(&columns, out).map(|writer| Box::new(writer) as _)
        }
    })
}

/// Counts the bytes written.
struct Counted {
    file: OutputFile,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
