//! `overhear path`: the critical path.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::path;
use model::error::{Error, OK, PARTIAL};

/// Prints what lies on the critical path. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    print(path::analyze(&run)?, "path", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
