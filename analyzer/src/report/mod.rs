//! A report: sections of typed rows, and the warnings a reader is owed. Formatters print it and compute nothing.

pub mod arrange;
pub mod csv;
pub mod json;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plot;
pub mod scale;
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
    /// By how much it may be off, in its own unit; text says that.
    pub error: Option<Value>,
    /// What text says behind it; times there are in the unit of the fact's own.
    pub note: Vec<Value>,
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
    /// How many of them people are shown who do not say how many they want.
    pub most: usize,
    /// The rows belong together, in this order, all of them.
    pub is_whole: bool,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in structured output, with the unit behind it.
    pub key: String,
    /// Its heading in text; empty where text leaves the column out. The unit of times comes behind it, or where a heading of the
    /// table has `{unit}`.
    pub heading: String,
    /// Its times are of single calls and the like: they have a unit of their own, where all others of a table have one.
    pub is_each: bool,
    /// Text leaves it out where there is no room for all columns: those with the highest number first, those with 0 never.
    pub spare: u8,
}

/// A value and its unit.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A name.
    Text(String),
    /// A name that is ours: as structured output has it, as text has it, and how far text indents it as part of one above.
    Label(&'static str, &'static str, usize),
    /// A number of things.
    Count(u64),
    /// A number by which one is called.
    Number(u64),
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
    /// For spreadsheets: the table asked for.
    Csv,
    /// For data frames: the table asked for.
    Parquet,
}

impl Table {
    /// A table of which people are shown all rows.
    pub fn new(name: &'static str, title: impl Into<String>, columns: Vec<Column>, rows: Vec<Vec<Value>>) -> Table {
        Table { name, title: title.into(), columns, rows, most: usize::MAX, is_whole: false }
    }

    /// Of which they are shown so many, and told of the others.
    pub fn most(self, most: usize) -> Table {
        Table { most, ..self }
    }

    /// Of which the rows belong together: it is neither sorted nor cut.
    pub fn whole(self) -> Table {
        Table { is_whole: true, ..self }
    }
}

impl Column {
    /// A column that text shows too.
    pub fn new(key: impl Into<String>, heading: impl Into<String>) -> Column {
        Column { key: key.into(), heading: heading.into(), is_each: false, spare: 0 }
    }

    /// A column for structured output only.
    pub fn hidden(key: impl Into<String>) -> Column {
        Column::new(key, "")
    }

    /// The same, of times in a unit of their own.
    pub fn each(self) -> Column {
        Column { is_each: true, ..self }
    }

    /// The same, to be left out of text before those with a lower number where there is no room for all.
    pub fn spare(self, spare: u8) -> Column {
        Column { spare, ..self }
    }
}

impl Fact {
    /// A fact that text shows too.
    pub fn new(key: &'static str, heading: &'static str, value: Value) -> Fact {
        Fact { key, heading, value, error: None, note: Vec::new() }
    }

    /// A fact for structured output only.
    pub fn hidden(key: &'static str, value: Value) -> Fact {
        Fact::new(key, "", value)
    }

    /// With something behind it in text.
    pub fn note(self, note: impl Into<String>) -> Fact {
        self.figure(Value::Text(note.into()))
    }

    /// And a figure behind that.
    pub fn figure(mut self, figure: Value) -> Fact {
        self.note.push(figure);
        self
    }

    /// With what it may be off by.
    pub fn error(self, error: Value) -> Fact {
        Fact { error: Some(error), ..self }
    }
}
