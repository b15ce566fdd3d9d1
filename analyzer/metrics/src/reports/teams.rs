//! `overhear teams`: the parallel regions of OpenMP, and the threads that idle.

use super::breakdown::unresolved;
use crate::teams::{self, HybridRow, IdleCallRow, LeaderRow, TeamRow};
use crate::{cost, overview};
use model::Run;
use model::error::Error;
use tables::schema::Schema;
use tables::{Report, Table};

/// The report on the teams that the ranks' threads led.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("teams")?;
    let leaders = teams::leaders(run);
    let mut warnings = crate::warnings::of_run(run);
    warnings.extend(unresolved(run));
    if leaders.is_empty() {
        warnings.push(
            "no parallel region of OpenMP was recorded: the recorder sees those of gcc's libgomp, from MPI_Init on"
                .into(),
        );
    }
    let regions = teams::regions(run, &leaders);
    let unknown: u64 = regions.rows.iter().map(|row| row.times.unknown_count).sum();
    if unknown > 0 {
        warnings.push(format!(
            "how long threads worked is unknown of {unknown} regions, which have tasks or teams inside: they count as work"
        ));
    }
    let idle = Table::new("threads that idle, by what their leader does", teams::idle_threads(run, &leaders));
    let tables =
        vec![teams::efficiencies(&leaders).into(), idle.into(), regions.into(), teams::by_rank(&leaders).into()];
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

pub fn schema() -> Schema {
    let schema = Schema::of("teams").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<HybridRow>().table::<IdleCallRow>().table::<TeamRow>().table::<LeaderRow>()
}
