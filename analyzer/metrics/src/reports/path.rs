//! `overhear path`: the critical path.

use crate::imbalance::of_computation;
use crate::{cost, critical, overview, waits};
use model::Run;
use model::critical::CriticalPath;
use model::error::Error;
use model::matching::{Account, Follow, settled};
use model::shared_walk::critical_path;
use tables::Report;
use tables::schema::Schema;

/// Finds the critical path of a run and reports it.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("path")?;
    let mut settled = settled(run, Follow::JUMPS);
    let path = critical_path(run, &mut settled);
    Ok(report(run, &settled.account, &path))
}

pub fn report(run: &Run, account: &Account, path: &CriticalPath) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(critical::facts(path));
    let mut warnings = waits::warnings(run, account);
    let uneven = of_computation(run).imbalance();
    let tables = vec![critical::table(run, &path.places, uneven).into(), critical::ranks(run, path).into()];
    warnings.extend(crate::warnings::of_run(run));
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("path").facts(overview::FACTS).facts(cost::FACTS).facts(critical::FACTS);
    schema.table::<critical::PathRow>().table::<critical::PathRankRow>()
}
