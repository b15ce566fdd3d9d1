//! `overhear imbalance`: how unevenly time is spread over the ranks.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::imbalance;
use model::error::{Error, OK, PARTIAL};

/// Prints the table. Returns the exit status.
pub fn run(arguments: &cli::ImbalanceArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    print(imbalance::report(&run, arguments.by), "imbalance", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
