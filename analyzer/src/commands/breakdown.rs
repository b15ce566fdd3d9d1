//! The breakdowns of a run that its totals hold: by function, rank, call site and so on.

use crate::cli::Breakdown;
use model::error::Error;
use metrics::{breakdown, groupings, overview, ranks, regions};
use model::{Choice, Run};
use tables::{Report, Sheet};

/// A breakdown. Collective calls have none here: their ranks' parts have to be put together first.
pub fn report(run: &Run, by: Breakdown) -> Result<Report, Error> {
    let tables = match by {
        Breakdown::Function => vec![breakdown::functions(run).into()],
        Breakdown::Rank => {
            let mut tables = vec![ranks::overview(run).into()];
            tables.extend(ranks::side_by_side(run).into_iter().map(Sheet::from));
            tables.push(ranks::rank_functions(run).into());
            tables
        }
        Breakdown::OneRank(rank) => vec![ranks::alone(run, rank)?.into()],
        Breakdown::Communicator => vec![groupings::communicators(run).into()],
        Breakdown::Site => vec![groupings::sites(run).into()],
        Breakdown::Size => vec![groupings::sizes(run).into()],
        Breakdown::Peer => vec![groupings::peers(run).into()],
        Breakdown::Thread => vec![groupings::threads(run).into()],
        Breakdown::Region => vec![regions::table(run).into()],
        Breakdown::Collective => Vec::new(),
    };
    let mut warnings = overview::warnings(run);
    if by == Breakdown::Site {
        warnings.extend(unresolved(run));
        warnings.extend(groupings::in_linked_binding(run));
    }
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

/// The time of each region, of a run that was read without them: it is read once more, with each call's innermost one.
pub fn by_region(run: &Run) -> Result<Report, Error> {
    let choice = Choice { by_region: true, ..run.choice.clone() };
    report(&Run::select(&run.folder, &choice)?, Breakdown::Region)
}

/// Why call sites are not named.
pub fn unresolved(run: &Run) -> impl Iterator<Item = String> {
    run.sites.unresolved.iter().map(|reason| format!("call sites stay numbers: {reason}"))
}
