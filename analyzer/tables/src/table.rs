//! A table of typed rows, and what printers get of it.

use super::column::{Column, ColumnHead};
use super::value::Value;
use super::values::Values;
use crate::format::Format;
use crate::part::PartTable;

/// What a row of a table is made of.
pub trait Row: Sized + 'static {
    /// The table's name for programs.
    const TABLE: &'static str;
    /// The table's columns.
    fn columns() -> Vec<Column<Self>>;
}

/// Rows of one kind.
pub struct Table<R> {
    /// The rows.
    pub rows: Vec<R>,
    columns: Vec<Column<R>>,
    look: Presentation,
}

/// A table as it is printed: its columns applied to its rows.
pub struct Sheet {
    /// What the columns are.
    pub columns: Vec<ColumnHead>,
    /// One value for each column.
    pub rows: Vec<Vec<Value>>,
    /// How it is to be shown.
    pub look: Presentation,
}

/// How a table is to be shown.
pub struct Presentation {
    /// Its name for programs.
    pub name: &'static str,
    /// Its heading in text.
    pub title: String,
    /// Who it is for.
    pub audience: Audience,
    /// How many rows people are shown who do not say how many they want.
    pub most: usize,
    /// The rows belong together, in this order, all of them.
    pub is_whole: bool,
    /// Of several tables, spreadsheets and data frames get this one.
    pub is_asked: bool,
    /// People are shown nothing of it where it has no rows.
    pub is_silent_empty: bool,
    /// How it follows a page's timeline; without, it is always of the whole run.
    pub part: Option<PartTable>,
}

/// Who a table is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Whoever asks.
    All,
    /// Who reads text.
    People,
    /// What reads JSON, CSV and Parquet.
    Programs,
}

impl<R: Row> Table<R> {
    /// A table for all, of which people are shown all rows.
    pub fn new(title: impl Into<String>, rows: Vec<R>) -> Table<R> {
        Table::with_columns(R::TABLE, title, R::columns(), rows)
    }
}

impl<R> Table<R> {
    /// The same with columns that depend on the run.
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

    /// Of which people are shown so many rows, and told of the others.
    pub fn most(mut self, most: usize) -> Table<R> {
        self.look.most = most;
        self
    }

    /// Of which the rows belong together: it is neither sorted nor cut.
    pub fn whole(mut self) -> Table<R> {
        self.look.is_whole = true;
        self
    }

    /// For people alone.
    pub fn for_people(mut self) -> Table<R> {
        self.look.audience = Audience::People;
        self
    }

    /// For programs alone.
    pub fn for_programs(mut self) -> Table<R> {
        self.look.audience = Audience::Programs;
        self
    }

    /// The one of several that spreadsheets and data frames get.
    pub fn asked(mut self) -> Table<R> {
        self.look.is_asked = true;
        self
    }

    /// Which follows a page's timeline.
    pub fn in_part(mut self, follow: PartTable) -> Table<R> {
        self.look.part = Some(follow);
        self
    }

    /// Of which people are shown nothing where it has no rows.
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
    /// A value of a row, by the column's key.
    pub fn value(&self, row: usize, key: &str) -> &Value {
        let column = self.columns.iter().position(|column| column.key == key);
        let value = column.and_then(|column| self.rows.get(row)?.get(column));
        value.unwrap_or(&Value::None)
    }

    /// The same, where it is a number.
    pub fn number(&self, row: usize, key: &str) -> Option<f64> {
        self.value(row, key).number()
    }

    /// Whether people are shown a column, by its place: one that may be silent says more than nothing and no things.
    pub fn is_shown(&self, column: usize) -> bool {
        let head = &self.columns[column];
        let says = |row: &Vec<Value>| !matches!(row[column], Value::None | Value::Count(0));
        !head.heading.is_empty() && (!head.is_silent_empty || self.rows.iter().any(says))
    }

    /// Whether a format shows it.
    pub fn is_in(&self, format: Format) -> bool {
        match (self.look.audience, format) {
            (Audience::Programs, Format::Text) => false,
            (_, Format::Text) => !self.rows.is_empty() || !self.look.is_silent_empty,
            (audience, _) => audience != Audience::People,
        }
    }
}
