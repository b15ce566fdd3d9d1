//! What a command prints, and in which format.

use super::fact::Fact;
use super::named::Named;
use super::table::Sheet;

/// What a command found out about a run.
pub struct Report {
    /// What it is of, in the order to be shown.
    pub facts: Vec<Fact>,
    /// What a reader has to know to read the figures right.
    pub warnings: Vec<String>,
    /// The figures.
    pub tables: Vec<Sheet>,
}

/// How a report is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: versioned, with units in the names.
    Json,
    /// For spreadsheets: the table asked for.
    Csv,
    /// For data frames: the table asked for.
    Parquet,
}

impl Named for Format {
    const NAMES: &'static [(&'static str, &'static str, Format)] = &[
        ("text", "For people", Format::Text),
        ("json", "For programs: versioned, with units in the names", Format::Json),
        ("csv", "For spreadsheets: the table asked for", Format::Csv),
        ("parquet", "For data frames: the table asked for", Format::Parquet),
    ];
}

impl Report {
    /// The table that spreadsheets and data frames get.
    pub fn asked(&self) -> Option<&Sheet> {
        self.tables.iter().find(|table| table.look.is_asked).or(self.tables.first())
    }
}
