//! Describes the tables and their columns: docs/schema/dataset.md.

use std::fmt::Write;

use super::heads;
use tables::ColumnType;

/// Text above the tables.
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
        for column in &table.columns {
            let optional = if column.is_optional { "?" } else { "" };
            let kind = type_name(column.unit.column_type());
            let _ = writeln!(text, "| `{}` | {kind}{optional} | {} |", column.key, column.meaning);
        }
    }
    text
}

pub fn type_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Boolean => "bool",
        ColumnType::UInt32 => "uint32",
        ColumnType::UInt64 => "uint64",
        ColumnType::Int32 => "int32",
        ColumnType::Float64 => "float64",
        ColumnType::Utf8 => "string",
    }
}
