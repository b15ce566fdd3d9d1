//! `overhear progress`: what the progress engine did.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::progress;
use model::error::{Error, OK, PARTIAL};
use pictures::charts;
use pictures::plot;

/// Prints the ledger and what follows from it. Returns the exit status.
pub fn run(arguments: &cli::ProgressArgs) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let engines = progress::engines(&run);
    if let Some(path) = &arguments.plot {
        plot::entries(&charts::entry_rates(&run, &engines), path)?;
    }
    print(progress::report(&run, &engines, arguments.by), "progress", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
