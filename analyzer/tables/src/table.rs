//! Tables of typed rows, and the sheets that printers get from them.

use super::column::{Column, ColumnHead};
use super::value::Value;
use super::values::Values;
use crate::format::Format;
use crate::part::PartTable;

/// A row type that declares its table.
pub trait Row: Sized + 'static {
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
    pub rows: Vec<Vec<Value>>,
    pub look: Presentation,
}

pub struct Presentation {
    pub name: &'static str,
    pub title: String,
    pub audience: Audience,
    /// Maximum number of rows that text shows if the user does not choose a number.
    pub most: usize,
    /// True if the rows belong together, so that the table is neither sorted nor cut.
    pub is_whole: bool,
    /// True if CSV and Parquet get this table rather than the report's others.
    pub is_asked: bool,
    /// True if text leaves the table out if it has no rows.
    pub is_silent_empty: bool,
    /// Rule by which the table follows a page's timeline; `None` if it always shows the whole run.
    pub part: Option<PartTable>,
}

/// The formats that a table is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
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

    pub fn number(&self, row: usize, key: &str) -> Option<f64> {
        self.value(row, key).number()
    }

    /// The error of a row's figure in seconds, if the next column has it: its heading begins with ±. The error itself is as exact, and
    /// so is a figure beside them that has none.
    pub fn error(&self, column: usize, row: &[Value]) -> Option<f64> {
        let is_error = |at: usize| self.columns.get(at).is_some_and(|column| column.heading.starts_with('±'));
        let at = if is_error(column) { column } else { column + 1 };
        if !is_error(at) {
            return None;
        }
        let error = |row: &[Value]| row[at].seconds().filter(|error| *error > 0.0);
        error(row).or_else(|| self.rows.iter().filter_map(|row| error(row)).min_by(f64::total_cmp))
    }

    /// True if text shows the column at this index. A column with `is_silent_empty` needs a row with a value other than
    /// a count of 0.
    pub fn is_shown(&self, column: usize) -> bool {
        let head = &self.columns[column];
        let says = |row: &Vec<Value>| !matches!(row[column], Value::None | Value::Count(0));
        !head.heading.is_empty() && (!head.is_silent_empty || self.rows.iter().any(says))
    }

    pub fn is_in(&self, format: Format) -> bool {
        match (self.look.audience, format) {
            (Audience::Programs, Format::Text) => false,
            (_, Format::Text) => !self.rows.is_empty() || !self.look.is_silent_empty,
            (audience, _) => audience != Audience::People,
        }
    }
}
