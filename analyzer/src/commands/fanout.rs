//! `overhear fanout`: one rank to several others and back.

use super::open::open;
use super::print::print;
use crate::cli;
use metrics::fanout::round_rows;
use metrics::reports::fanout::RunRounds;
use model::error::{Error, OK, PARTIAL};
use pictures::charts;
use pictures::plot;

/// Prints the rounds. Returns the exit status.
pub fn run(arguments: &cli::Plotted) -> Result<u8, Error> {
    let run = open(&arguments.of)?;
    let rounds = RunRounds::of(&run)?;
    let gathered = rounds.gathered(&run);
    if let Some(file) = &arguments.plot {
        plot::write(charts::fanout::figures(&round_rows(&gathered)), file)?;
    }
    print(rounds.report(&run, &gathered), "fanout", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
