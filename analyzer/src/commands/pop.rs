//! `overhear pop`: how efficient the run was.

use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::pop::{self, Efficiency};
use crate::metrics::{overview, waits};
use crate::model::Run;
use crate::model::matching::{Follow, settled};
use crate::report::{Format, Report};

/// Prints the factors. Returns the exit status.
pub fn run(arguments: &cli::Pop) -> Result<u8, Error> {
    let run = Run::load(&arguments.dir)?;
    let mut account = settled(&run, Follow::Dependencies)?.account;
    let mut warnings = waits::unmatched(&run, &account);
    let efficiency = Efficiency::of(&mut account);
    if run.ranks.iter().any(|rank| rank.threads.len() > 1) {
        warnings.push("ranks have several threads: useful time is that of the first one outside MPI".into());
    }
    let mut facts = overview::facts(&run);
    facts.extend(pop::facts(&efficiency));
    warnings.extend(overview::warnings(&run));
    let mut tables = vec![pop::factors(&efficiency)];
    if arguments.format != Format::Text {
        tables.push(pop::ranks(&run, &efficiency));
    }
    super::report::print(&Report { facts, warnings, tables }, "pop", arguments.format, arguments.output.as_deref())?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
