//! `overhear query`: SQL over the tables of a run.

use std::path::Path;

use super::print::print_text;
use crate::cli;
use data::description;
use model::error::{Error, OK};

/// Prints the rows of a query, or the tables that can be queried. Returns the exit status.
pub fn run(arguments: &cli::QueryArgs) -> Result<u8, Error> {
    match arguments.words.as_slice() {
        _ if arguments.tables => print_text(&description()).map(|()| OK),
        [query] => ask(arguments, None, query),
        [folder, query] => ask(arguments, Some(Path::new(folder)), query),
        _ => Err(Error::Setting("give a run's folder and a query, or --tables".into())),
    }
}

#[cfg(feature = "polars")]
fn ask(arguments: &cli::QueryArgs, folder: Option<&Path>, query: &str) -> Result<u8, Error> {
    use super::open_run::{open_run, status};
    use super::print::print;
    use data::DataSet;
    use model::Choice;
    use sql::{Query, sheet};
    use tables::Report;

    let query = Query::of(query)?;
    let choice = Choice { whole: true, kept: false, ..arguments.select.choice() };
    // Plans of Polars may outlive their creator, and this process ends with its query.
    let run = Box::leak(Box::new(open_run(folder, choice)?));
    let set = Box::leak(Box::new(DataSet::new(run, query.follow())));
    let table = sheet(&query.rows(set)?)?;
    let warnings = metrics::warnings::of_run(run);
    print(Report { facts: Vec::new(), warnings, tables: vec![table] }, "query", &arguments.print)?;
    Ok(status(run))
}

#[cfg(not(feature = "polars"))]
fn ask(_arguments: &cli::QueryArgs, _folder: Option<&Path>, _query: &str) -> Result<u8, Error> {
    Err(Error::without_polars("overhear query"))
}
