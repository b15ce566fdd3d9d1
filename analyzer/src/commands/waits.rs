//! `overhear waits`: who waited for whom.

use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{overview, waits};
use crate::model::Run;
use crate::model::matching::{Follow, settled};
use crate::report::{Format, Report};

/// Rows of places that people are shown.
const PLACES: usize = 15;

/// Prints the wait states. Returns the exit status.
pub fn run(arguments: &cli::Waits) -> Result<u8, Error> {
    let run = Run::load(&arguments.dir)?;
    let account = settled(&run, Follow::Sums)?.account;
    let mut facts = overview::facts(&run);
    facts.extend(waits::facts(&run, &account));
    let mut warnings = waits::unmatched(&run, &account);
    let mut places = waits::places(&run, &account);
    if arguments.format == Format::Text && places.rows.len() > PLACES {
        warnings.push(format!("{} more rows of who waited for whom: --format csv", places.rows.len() - PLACES));
        places.rows.truncate(PLACES);
    }
    // A spreadsheet gets the first table.
    let states = waits::states(&run, &account);
    let tables = if arguments.format == Format::Text { vec![states, places] } else { vec![places, states] };
    warnings.extend(overview::warnings(&run));
    super::report::print(&Report { facts, warnings, tables }, "waits", arguments.format, arguments.output.as_deref())?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
