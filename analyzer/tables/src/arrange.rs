//! Sorts and cuts the tables of a report as the user chose, in the same way for every table and format.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::Report;
use crate::column::ColumnHead;
use crate::format::Format;
use crate::number::whole;
use crate::suggest::instead;
use crate::text::is_heading;

/// The number of rows to print of a table; `all` is `usize::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Top(pub usize);

impl FromStr for Top {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Top, Self::Err> {
        match text {
            "all" => Ok(Top(usize::MAX)),
            text => text.parse().map(Top).map_err(|_| "expected a number of rows, or all"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no column is called {column}. {instead}")]
pub struct UnknownColumn {
    column: String,
    instead: String,
}

impl UnknownColumn {
    /// The error for `asked`, with a suggestion from `names`, the columns that exist.
    pub fn new(asked: &str, names: BTreeSet<String>) -> UnknownColumn {
        UnknownColumn { column: asked.into(), instead: instead(asked, &names, "There is none to sort by.") }
    }
}

impl Report {
    /// Keeps the tables that the format shows, sorts them by a column, and cuts them to `top` rows. Without `top`, text
    /// is cut to the table's own limit, and a warning counts the rows left out.
    pub fn arrange(&mut self, sort: Option<&str>, top: Option<Top>, format: Format) -> Result<(), UnknownColumn> {
        self.tables.retain(|table| table.is_in(format));
        if let Some(asked) = sort {
            self.sort(asked)?;
        }
        for table in self.tables.iter_mut().filter(|table| !table.look.is_whole) {
            let most = top.map_or(if format == Format::Text { table.look.most } else { usize::MAX }, |top| top.0);
            let more = table.rows.len().saturating_sub(most);
            table.rows.truncate(most);
            if more > 0 && top.is_none() {
                let plural = if more == 1 { "" } else { "s" };
                let name = table.look.name.replace('_', " ");
                let text = format!("{} more row{plural} of {name}: --top all", whole(more as u64));
                self.warnings.insert(0, text);
            }
        }
        Ok(())
    }

    /// Sorts every table that has the column. Fails if none has it.
    fn sort(&mut self, asked: &str) -> Result<(), UnknownColumn> {
        let mut names = BTreeSet::new();
        let mut is_there = false;
        for table in self.tables.iter_mut().filter(|table| !table.look.is_whole) {
            names.extend(table.columns.iter().map(|column| name_to_type(&table.columns, column)));
            if let Some(at) = place(&table.columns, asked) {
                table.rows.sort_by(|a, b| a[at].order(&b[at]));
                is_there = true;
            }
        }
        if is_there { Ok(()) } else { Err(UnknownColumn::new(asked, names)) }
    }
}

/// A column's key without its unit, unless another has that, too.
fn name_to_type(columns: &[ColumnHead], column: &ColumnHead) -> String {
    let bare = column.unit.bare(&column.key);
    let is_one = columns.iter().filter(|other| other.unit.bare(&other.key) == bare).count() == 1;
    if is_one && !bare.is_empty() { bare.into() } else { column.key.to_string() }
}

/// The index of a column by its key, its heading with or without a unit, or its key without the unit.
fn place(columns: &[ColumnHead], asked: &str) -> Option<usize> {
    let find = |is_meant: &dyn Fn(&ColumnHead) -> bool| columns.iter().position(is_meant);
    find(&|column| column.key == asked)
        .or_else(|| find(&|column| column.heading == asked))
        .or_else(|| find(&|column| column.unit.bare(&column.key) == asked))
        .or_else(|| find(&|column| is_heading(asked, &column.heading)))
}
