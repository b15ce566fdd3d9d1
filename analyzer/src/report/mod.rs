//! A report: sections of typed rows, and the warnings a reader is owed. Formatters print it and compute nothing.

pub mod csv;
pub mod json;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plot;
pub mod text;
pub mod visible;

/// What a command found out about a run.
pub struct Report {
    /// What it is of: name and value, in the order to be shown.
    pub facts: Vec<Fact>,
    /// What a reader has to know to read the figures right.
    pub warnings: Vec<String>,
    /// The figures.
    pub tables: Vec<Table>,
}

/// One figure or name that stands alone.
pub struct Fact {
    /// Its name in structured output, with the unit behind it.
    pub key: &'static str,
    /// Its name in text; empty where text says it elsewhere.
    pub heading: &'static str,
    /// The figure.
    pub value: Value,
    /// What text says behind it.
    pub note: String,
}

/// Rows of one kind.
pub struct Table {
    /// Its name in structured output.
    pub name: &'static str,
    /// Its heading in text.
    pub title: String,
    /// What the columns are.
    pub columns: Vec<Column>,
    /// One value for each column.
    pub rows: Vec<Vec<Value>>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in structured output, with the unit behind it.
    pub key: String,
    /// Its heading in text; empty where text leaves the column out.
    pub heading: String,
    /// Text leaves it out where there is no room for all columns: those with the highest number first, those with 0 never.
    pub spare: u8,
}

/// A value and its unit.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A name.
    Text(String),
    /// A number of things, or a number by which one is called.
    Count(u64),
    /// A duration.
    Seconds(f64),
    /// An amount of data.
    Bytes(u64),
    /// A share, of 100.
    Percent(f64),
    /// One number divided by another.
    Ratio(f64),
    /// Not to be had, or without meaning here.
    None,
}

/// How a report is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: versioned, with units in the names.
    Json,
    /// For spreadsheets: the first table.
    Csv,
    /// For data frames: the first table.
    Parquet,
}

impl Column {
    /// A column that text shows too.
    pub fn new(key: impl Into<String>, heading: impl Into<String>) -> Column {
        Column { key: key.into(), heading: heading.into(), spare: 0 }
    }

    /// A column for structured output only.
    pub fn hidden(key: impl Into<String>) -> Column {
        Column { key: key.into(), heading: String::new(), spare: 0 }
    }

    /// The same, to be left out of text before those with a lower number where there is no room for all.
    pub fn spare(self, spare: u8) -> Column {
        Column { spare, ..self }
    }
}

impl Fact {
    /// A fact that text shows too.
    pub fn new(key: &'static str, heading: &'static str, value: Value) -> Fact {
        Fact { key, heading, value, note: String::new() }
    }

    /// A fact for structured output only.
    pub fn hidden(key: &'static str, value: Value) -> Fact {
        Fact::new(key, "", value)
    }

    /// With something behind it in text.
    pub fn note(self, note: impl Into<String>) -> Fact {
        Fact { note: note.into(), ..self }
    }
}
