//! The formats that reports are printed in.

use crate::named::Named;

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
