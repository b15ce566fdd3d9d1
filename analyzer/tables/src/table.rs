//! Tables of typed rows, and the sheets that printers get from them.

use super::column::{Column, ColumnHead};
use super::value::Value;
use super::values::Values;
use crate::format::Format;
use crate::part::PartTable;

/// A row type that declares its table.
pub trait Row: Sized + 'static {
    /// The table's name for programs.
    const TABLE: &'static str;
    fn columns() -> Vec<Column<Self>>;
}

/// A table: rows, columns, and how to show them.
pub struct Table<R> {
    pub rows: Vec<R>,
    columns: Vec<Column<R>>,
    look: Presentation,
}

/// A table as it is printed, its columns applied to its rows.
pub struct Sheet {
    pub columns: Vec<ColumnHead>,
    /// One value for each column.
    pub rows: Vec<Vec<Value>>,
    pub look: Presentation,
}

pub struct Presentation {
    /// The name for programs.
    pub name: &'static str,
    /// The heading in text.
    pub title: String,
    pub audience: Audience,
    /// The most rows that text shows if the user does not choose a number.
    pub most: usize,
    /// Whether the rows belong together, so that the table is neither sorted nor cut.
    pub is_whole: bool,
    /// Whether CSV and Parquet get this table rather than the report's others.
    pub is_asked: bool,
    /// Whether text leaves the table out if it has no rows.
    pub is_silent_empty: bool,
    /// How it follows a page's timeline; without, it is always of the whole run.
    pub part: Option<PartTable>,
}

/// The formats that a table is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// All formats.
    All,
    /// Text.
    People,
    /// JSON, CSV and Parquet.
    Programs,
}

impl<R: Row> Table<R> {
    /// A table for all formats. Text shows all rows.
    pub fn new(title: impl Into<String>, rows: Vec<R>) -> Table<R> {
        Table::with_columns(R::TABLE, title, R::columns(), rows)
    }
}

impl<R> Table<R> {
    /// A table whose columns depend on the run.
    pub fn with_columns(
        name: &'static str,
        title: impl Into<String>,
        columns: Vec<Column<R>>,
        rows: Vec<R>,
    ) -> Table<R> {
        let look = Presentation {
            name,
            title: title.into(),
            audience: Audience::All,
            most: usize::MAX,
            is_whole: false,
            is_asked: false,
            is_silent_empty: false,
            part: None,
        };
        Table { rows, columns, look }
    }

    /// Limits the rows that text shows; a warning counts the others.
    pub fn most(mut self, most: usize) -> Table<R> {
        self.look.most = most;
        self
    }

    /// Keeps the rows together: the table is neither sorted nor cut.
    pub fn whole(mut self) -> Table<R> {
        self.look.is_whole = true;
        self
    }

    /// Restricts the table to text.
    pub fn for_people(mut self) -> Table<R> {
        self.look.audience = Audience::People;
        self
    }

    /// Restricts the table to JSON, CSV and Parquet.
    pub fn for_programs(mut self) -> Table<R> {
        self.look.audience = Audience::Programs;
        self
    }

    /// Marks the table as the one that CSV and Parquet get.
    pub fn asked(mut self) -> Table<R> {
        self.look.is_asked = true;
        self
    }

    /// Declares the rows that a page's table has for a part of the run.
    pub fn in_part(mut self, follow: PartTable) -> Table<R> {
        self.look.part = Some(follow);
        self
    }

    /// Lets text leave the table out if it has no rows.
    pub fn silent_empty(mut self) -> Table<R> {
        self.look.is_silent_empty = true;
        self
    }
}

impl<R: 'static> From<Table<R>> for Sheet {
    fn from(table: Table<R>) -> Sheet {
        let columns: Vec<Values> = table.columns.iter().map(|column| column.values(&table.rows, &())).collect();
        let row = |row: usize| {
            let columns = table.columns.iter().zip(&columns);
            columns.map(|(column, values)| values.value(row, column.head.unit)).collect()
        };
        let rows = (0..table.rows.len()).map(row).collect();
        Sheet { columns: table.columns.into_iter().map(|column| column.head).collect(), rows, look: table.look }
    }
}

impl Sheet {
    /// The value in a row, by the column's key.
    pub fn value(&self, row: usize, key: &str) -> &Value {
        let column = self.columns.iter().position(|column| column.key == key);
        let value = column.and_then(|column| self.rows.get(row)?.get(column));
        value.unwrap_or(&Value::None)
    }

    /// The value in a row as a number, if it is one.
    pub fn number(&self, row: usize, key: &str) -> Option<f64> {
        self.value(row, key).number()
    }

    /// Whether text shows the column at this index. A column with `is_silent_empty` needs a row with a value other than
    /// a count of 0.
    pub fn is_shown(&self, column: usize) -> bool {
        let head = &self.columns[column];
        let says = |row: &Vec<Value>| !matches!(row[column], Value::None | Value::Count(0));
        !head.heading.is_empty() && (!head.is_silent_empty || self.rows.iter().any(says))
    }

    /// Whether a format shows the table.
    pub fn is_in(&self, format: Format) -> bool {
        match (self.look.audience, format) {
            (Audience::Programs, Format::Text) => false,
            (_, Format::Text) => !self.rows.is_empty() || !self.look.is_silent_empty,
            (audience, _) => audience != Audience::People,
        }
    }
}
