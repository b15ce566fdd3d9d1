//! SQL over the tables of a run, by Polars, straight from its files.
//!
//! A query runs twice. The first time, over empty tables, tells which columns it needs of each ([`rehearsal`]), and if it is
//! wrong. The second time is over the run: Polars asks for a part of a table at a time ([`scan`]), and only the needed columns are read.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! rehearsal scan
//! frame plan sheet
//! ```

mod frame;
mod plan;
mod rehearsal;
mod scan;
mod sheet;

use polars::prelude::{DataFrame, Engine, PolarsError};

use data::{DataSet, TableHead, follow, heads};
use model::error::Error;
use model::matching::Follow;
use plan::plan;
use rehearsal::Rehearsal;
pub use sheet::sheet;
use tables::arrange::UnknownColumn;

/// A query that was planned over empty tables.
pub struct Query<'q> {
    text: &'q str,
    rehearsal: Rehearsal,
}

impl<'q> Query<'q> {
    /// Fails if the text is no query, or no query over these tables.
    pub fn of(text: &'q str) -> Result<Query<'q>, Error> {
        Ok(Query { text, rehearsal: Rehearsal::of(text).map_err(explained)? })
    }

    /// The matching that the query's tables need.
    pub fn follow(&self) -> Follow {
        let needed = |head: &TableHead| self.rehearsal.needed(head.name).is_some();
        heads().iter().filter(|head| needed(head)).map(|head| follow(head.name)).collect()
    }

    pub fn rows(&self, set: &'static DataSet<'static>) -> Result<DataFrame, Error> {
        let over_run = |name: &'static str| scan::table(set, name, self.rehearsal.needed(name));
        let plan = plan(self.text, over_run).map_err(explained)?;
        let rows = plan.collect_with_engine(Engine::Streaming).map(|result| result.unwrap_single());
        rows.map_err(explained)
    }
}

/// Turns an error of Polars into one of ours, with a suggestion for an unknown name.
fn explained(error: PolarsError) -> Error {
    let text = error.to_string();
    let quoted = |mark| text.split(mark).nth(1).filter(|name| !name.is_empty());
    let named = quoted('"').or_else(|| quoted('\''));
    let tables = heads();
    match (&error, named) {
        (PolarsError::ColumnNotFound(_), Some(name)) => {
            let columns = tables.iter().flat_map(|table| table.columns.iter().map(|column| column.key.to_string()));
            UnknownColumn::new(name, columns.collect()).into()
        }
        (PolarsError::SQLInterface(_), Some(name)) if text.contains("was not found") => {
            Error::no_table(name, tables.iter().map(|table| table.name.to_string()).collect())
        }
        _ => {
            // The following lines show Polars' position in its plan.
            let what = text.lines().next().unwrap_or_default();
            Error::Setting(format!("{what}. overhear query --tables describes what can be asked"))
        }
    }
}
