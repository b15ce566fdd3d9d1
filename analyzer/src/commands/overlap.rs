//! `overhear overlap`: how much of communication was hidden behind computation.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::overlap::messages;
use metrics::reports::overlap;
use model::error::{Error, OK, PARTIAL};
use pictures::charts;
use pictures::plot;

/// Prints overhead, availability and overlap. Returns the exit status.
pub fn run(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let requests = overlap::requests(&run)?;
    if let Some(file) = &arguments.plot {
        plot::write(charts::overlap::figures(&messages(&requests)), file)?;
    }
    print(overlap::report(&run, &requests), "overlap", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
