//! `overhear sleeps`: where the ranks slept between their calls of MPI, by calls of their own.

use super::breakdown::unresolved;
use crate::sleeps::{self, RankSleepsRow, SleepRow};
use crate::{cost, overview};
use model::Run;
use model::error::Error;
use tables::Report;
use tables::schema::Schema;

/// The report on the ranks' sleeps.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("sleeps")?;
    let ranks = sleeps::of_sleeps(run);
    let mut warnings = crate::warnings::of_run(run);
    warnings.extend(unresolved(run));
    if ranks.is_empty() {
        warnings.push(
            "no sleep was recorded: the recorder sees those of threads that call MPI, from MPI_Init to MPI_Finalize"
                .into(),
        );
    }
    let tables = vec![sleeps::by_place(run, &ranks).into(), sleeps::by_rank(&ranks).into()];
    Ok(Report { facts: overview::facts(run), warnings, tables })
}

pub fn schema() -> Schema {
    let schema = Schema::of("sleeps").facts(overview::FACTS).facts(cost::FACTS);
    schema.table::<SleepRow>().table::<RankSleepsRow>()
}
