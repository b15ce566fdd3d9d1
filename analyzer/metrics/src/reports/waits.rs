//! `overhear waits`: who waited for whom.

use crate::{cost, overview, waits};
use model::Run;
use model::error::Error;
use model::matching::{Account, Follow, settled};
use tables::Report;
use tables::schema::Schema;

/// Matches a run and reports its wait states.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("waits")?;
    Ok(report(run, &settled(run, Follow::empty()).account))
}

/// The report on an account's wait states.
pub fn report(run: &Run, account: &Account) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(waits::facts(run, account));
    let mut warnings = waits::warnings(run, account);
    warnings.extend(waits::polled(run));
    // Text begins with the sums; CSV and Parquet get who waited for whom.
    let tables = vec![waits::states(run, account).into(), waits::places(run, account).asked().into()];
    warnings.extend(crate::warnings::of_run(run));
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("waits").facts(overview::FACTS).facts(cost::FACTS).facts(waits::FACTS);
    schema.table::<waits::WaitStateRow>().table::<waits::WaitPlaceRow>()
}
