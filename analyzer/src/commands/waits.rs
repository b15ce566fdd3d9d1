//! `overhear waits`: who waited for whom.

use super::print::{print, shorten};
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{overview, waits};
use crate::model::Run;
use crate::model::matching::{Follow, settled};
use crate::report::Report;

/// Rows of places that people are shown.
const PLACES: usize = 15;

/// Prints the wait states. Returns the exit status.
pub fn run(arguments: &cli::Waits) -> Result<u8, Error> {
    let run = Run::select(&arguments.dir, &arguments.select.choice())?;
    run.has_calls("waits")?;
    let account = settled(&run, Follow::Sums)?.account;
    let mut facts = overview::facts(&run);
    facts.extend(waits::facts(&run, &account));
    let mut warnings = waits::unmatched(&run, &account);
    let mut places = waits::places(&run, &account);
    shorten(&mut places, PLACES, &arguments.print, &mut warnings);
    // A spreadsheet gets the first table.
    let states = waits::states(&run, &account);
    let tables = if arguments.print.is_text() { vec![states, places] } else { vec![places, states] };
    warnings.extend(overview::warnings(&run));
    print(&Report { facts, warnings, tables }, "waits", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
