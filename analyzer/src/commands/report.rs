//! `overhear report`: where the time of a run went.

use super::open::open;
use super::print::print;
use crate::cli::{self, By};
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{breakdown, overview, ranks, regions, where_to};
use crate::model::{Choice, Run};
use crate::report::{Format, Report};

/// Prints the report. Returns the exit status.
pub fn run(arguments: &cli::Report) -> Result<u8, Error> {
    let choice = Choice { by_region: arguments.by == By::Region, ..arguments.select.choice() };
    if let (By::OneRank(rank), Some(asked)) = (arguments.by, &choice.ranks)
        && !asked.contain(rank)
    {
        return Err(Error::RankLeftOut { rank, asked: asked.clone() });
    }
    let run = open(&arguments.folder, choice)?;
    let report = report(&run, arguments.by, arguments.print.format)?;
    print(report, "report", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

fn report(run: &Run, by: By, format: Format) -> Result<Report, Error> {
    let tables = match by {
        By::Function => vec![breakdown::functions(run)],
        By::Rank if format == Format::Text => {
            let mut tables = vec![ranks::overview(run)];
            tables.extend(ranks::side_by_side(run));
            tables
        }
        By::Rank => vec![ranks::overview(run), ranks::rank_functions(run)],
        By::OneRank(rank) => vec![ranks::alone(run, rank)?],
        By::Communicator => vec![where_to::communicators(run)],
        By::Site => vec![where_to::sites(run)],
        By::Size => vec![where_to::sizes(run)],
        By::Peer => vec![where_to::peers(run)],
        By::Thread => vec![where_to::threads(run)],
        By::Region => vec![regions::table(run)],
    };
    let mut warnings = overview::warnings(run);
    if by == By::Site {
        warnings.extend(unresolved(run));
        warnings.extend(where_to::in_linked_binding(run));
    }
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

/// Why call sites are not named.
pub fn unresolved(run: &Run) -> impl Iterator<Item = String> {
    run.sites.unresolved.iter().map(|reason| format!("call sites stay numbers: {reason}"))
}
