//! `overhear waits`: who waited for whom.

use super::open::open;
use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{overview, waits};
use crate::model::matching::{Follow, settled};
use crate::report::Report;

/// Prints the wait states. Returns the exit status.
pub fn run(arguments: &cli::Waits) -> Result<u8, Error> {
    let run = open(&arguments.folder, arguments.select.choice())?;
    run.has_calls("waits")?;
    let account = settled(&run, Follow::Sums).account;
    let mut facts = overview::facts(&run);
    facts.extend(waits::facts(&run, &account));
    let mut warnings = waits::unmatched(&run, &account);
    warnings.extend(waits::explained(&run, &account));
    let (states, places) = (waits::states(&run, &account), waits::places(&run, &account));
    // A spreadsheet gets the first table, and who waited for whom is what was asked for.
    let tables = if arguments.print.is_text() { vec![states, places] } else { vec![places, states] };
    warnings.extend(overview::warnings(&run));
    print(Report { facts, warnings, tables }, "waits", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
