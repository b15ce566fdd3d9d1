//! `overhear report`: where the time of a run went.

use super::open::choose;
use super::page;
use super::print::print;
use crate::cli;
use metrics::operations::operations;
use metrics::reports::Breakdown;
use metrics::reports::breakdown::{analyze, collective, operations_of};
use model::Choice;
use model::error::{Error, OK, PARTIAL};
use pictures::charts;
use pictures::plot;

/// Prints the report. Returns the exit status.
pub fn run(arguments: &cli::ReportArgs) -> Result<u8, Error> {
    if let Some(file) = &arguments.html {
        return page::run(file, arguments.force, &arguments.of);
    }
    let choice = Choice { by_region: arguments.by == Breakdown::Region, ..arguments.of.select.choice() };
    if arguments.plot.is_some() && arguments.by != Breakdown::Collective {
        return Err(Error::Setting(
            "report --plot draws collective calls over message size: add --by collective".into(),
        ));
    }
    let run = choose(&arguments.of, choice)?;
    let report = match &arguments.plot {
        Some(file) => {
            let all = operations_of(&run)?;
            plot::write(charts::operations::figures(&operations(&all)), file)?;
            collective(&run, &all)
        }
        None => analyze(&run, arguments.by)?,
    };
    print(report, "report", &arguments.of.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}
