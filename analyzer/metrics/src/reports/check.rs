//! `overhear check`: checks that the ranks' accounts agree.

use crate::{check, cost, file_calls, overview, waits};
use model::Run;
use model::error::Error;
use model::matching::{Follow, Settled, settled};
use tables::Report;
use tables::schema::Schema;

/// Matches the messages and collective calls of a run across ranks.
pub fn matched(run: &Run) -> Result<Settled, Error> {
    run.needs_calls("check")?;
    Ok(settled(run, Follow::empty()))
}

/// The report on matched and unmatched calls.
pub fn report(run: &Run, settled: &Settled) -> Report {
    let account = &settled.account;
    let mut facts = overview::facts(run);
    facts.extend(check::facts(settled));
    let mut warnings = waits::warnings(run, account);
    warnings.extend(file_calls::differences(run));
    let tables = vec![
        check::pairs(run, account).into(),
        check::clocks(run, settled).into(),
        check::unmatched(run, account).into(),
    ];
    warnings.extend(crate::warnings::of_run(run));
    Report { facts, warnings, tables }
}

pub fn schema() -> Schema {
    let schema = Schema::of("check").facts(overview::FACTS).facts(cost::FACTS).facts(check::FACTS);
    schema.table::<check::MatchedRow>().table::<check::ClockRow>().table::<check::UnmatchedRow>()
}
