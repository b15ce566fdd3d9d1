//! `overhear overlap`: how much communication was hidden behind computation.

use super::empty_analysis::nothing;
use crate::{cost, overlap, overview};
use model::error::Error;
use model::overlap::of_rank;
use model::parallel;
use model::{Rank, Run};
use tables::Report;
use tables::schema::Schema;

/// The error if a run has no nonblocking requests.
const NEEDED: &str = "no nonblocking request: overlap needs MPI_Isend, MPI_Irecv, MPI_Ialltoall and the like, or \
                      persistent requests, with what completes them";

/// The nonblocking requests of a run. Fails if there are none.
pub fn requests(run: &Run) -> Result<overlap::GatheredRequests, Error> {
    run.needs_calls("overlap")?;
    let all = gathered(run);
    if all.posted == 0 { Err(nothing(run, NEEDED)) } else { Ok(all) }
}

pub fn gathered(run: &Run) -> overlap::GatheredRequests {
    let asked: Vec<&Rank> = run.asked().collect();
    let requests = parallel::map(asked.len(), |at| of_rank(run, asked[at]));
    overlap::GatheredRequests::of(run, requests)
}

/// The report on overhead, availability and overlap.
pub fn report(run: &Run, all: &overlap::GatheredRequests) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(overlap::facts(all));
    let messages = overlap::messages(all);
    let mut warnings = overlap::switches(&messages.rows);
    warnings.extend(overlap::unseen(all));
    warnings.extend(crate::warnings::of_run(run));
    let tables =
        vec![messages.asked().silent_empty().into(), overlap::collectives(all).into(), overlap::postponed(all).into()];
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("overlap").facts(overview::FACTS).facts(cost::FACTS).facts(overlap::FACTS);
    let schema = schema.table::<overlap::MessageOverlapRow>().table::<overlap::CollectiveOverlapRow>();
    schema.table::<overlap::PostponedRow>()
}
