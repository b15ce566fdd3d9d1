//! `overhear pop`: how efficient the run was.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::pop;
use model::error::{Error, OK, PARTIAL};

/// Prints the factors. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    print(pop::analyze(&run)?, "pop", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
