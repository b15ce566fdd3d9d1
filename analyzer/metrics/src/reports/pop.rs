//! `overhear pop`: how efficient the run was.

use crate::pop::Efficiency;
use crate::{cost, overview, pop, waits};
use model::Run;
use model::error::Error;
use model::matching::{Account, Follow, settled};
use tables::Report;
use tables::schema::Schema;

/// Computes the POP metrics of a run and reports them.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    let (account, efficiency, phases) = efficiencies(run)?;
    Ok(report(run, &account, &efficiency, phases))
}

/// The run's account, its efficiency, and the efficiency of each phase.
pub fn efficiencies(run: &Run) -> Result<(Account, Efficiency, Vec<Efficiency>), Error> {
    run.needs_calls("pop")?;
    let account = settled(run, Follow::DEPENDENCIES).account;
    let (efficiency, phases) = pop::efficiencies(run, &account);
    Ok((account, efficiency, phases))
}

/// The report on efficiencies that are known.
pub fn report(run: &Run, account: &Account, efficiency: &Efficiency, phases: Vec<Efficiency>) -> Report {
    let mut warnings = waits::warnings(run, account);
    if run.asked().any(|rank| rank.thread_count() > 1) {
        warnings.push("some ranks have several threads: useful time is the first one's outside MPI".into());
    }
    let mut facts = overview::facts(run);
    facts.extend(pop::facts(run, efficiency));
    warnings.extend(crate::warnings::of_run(run));
    let tables = vec![pop::factors(efficiency).into(), pop::phases(phases).into(), pop::ranks(run, efficiency).into()];
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("pop").facts(overview::FACTS).facts(cost::FACTS).facts(pop::FACTS);
    schema.table::<pop::FactorRow>().table::<pop::PhaseRow>().table::<pop::UsefulRankRow>()
}
