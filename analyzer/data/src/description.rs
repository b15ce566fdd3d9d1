//! The tables and their columns in words: docs/schema/dataset.md.

use std::fmt::Write;

use super::column::{ColumnType, DataHead};
use super::heads;

/// What stands above the tables.
const HEAD: &str = "# The data set of a run

What `overhear export` writes and `overhear query` reads. A column has the type that Arrow calls so; those with `?` may be null. Times ending in
`_s` are in seconds on the clock of the run's first rank, those ending in `_ticks` as each rank's own counter said; `error_s` says by how much
the former may be off between ranks. Parquet files leave out `rank`, which is in the name of their folder.
";

/// The description, as Markdown.
pub fn description() -> String {
    let mut text = HEAD.to_string();
    for table in heads() {
        let _ = write!(text, "\n## {}\n\n{}\n\n| column | type | |\n|---|---|---|\n", table.name, table.meaning);
        for DataHead { key, kind, is_optional, meaning } in &table.columns {
            let optional = if *is_optional { "?" } else { "" };
            let _ = writeln!(text, "| `{key}` | {}{optional} | {meaning} |", kind.name());
        }
    }
    text
}

impl ColumnType {
    /// Its name in Arrow.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Boolean => "bool",
            ColumnType::UInt32 => "uint32",
            ColumnType::UInt64 => "uint64",
            ColumnType::Int32 => "int32",
            ColumnType::Float64 => "float64",
            ColumnType::Utf8 => "string",
        }
    }
}
