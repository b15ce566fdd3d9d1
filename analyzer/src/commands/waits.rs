//! `overhear waits`: who waited for whom.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::waits;
use model::error::{Error, OK, PARTIAL};

/// Prints the wait states. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    print(waits::analyze(&run)?, "waits", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
