//! `overhear network`: latency and bandwidth as a job saw them.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::reports::network;
use model::error::{Error, OK, PARTIAL};
use pictures::charts;
use pictures::plot;

/// Prints latency and bandwidth by protocol and size. Returns the exit status.
pub fn run(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let settled = network::matched(&run)?;
    let network = network::network(&run, &settled);
    if let Some(file) = &arguments.plot {
        plot::write(charts::network::figures(&network), file)?;
    }
    let report = metrics::reports::network::report(&run, &settled.account, &network);
    print(report, "network", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
