//! `overhear check`: whether the ranks' accounts agree.

use super::open::open;
use super::print::print;
use crate::cli;
use model::error::{DIFFERENT, Error, OK, PARTIAL};
use metrics::{check, cost, overview, waits};
use model::Run;
use model::matching::{Follow, Settled, settled};
use tables::Report;
use tables::schema::Schema;

/// Prints what was matched and what was not. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    let settled = matched(&run)?;
    print(report(&run, &settled), "check", &arguments.print)?;
    let account = &settled.account;
    Ok(match run.is_partial() {
        true => PARTIAL,
        false if !waits::unmatched(&run, account).is_empty() || account.backwards() > 0 => DIFFERENT,
        false => OK,
    })
}

/// The messages and collective calls of a run, put together across ranks.
pub fn matched(run: &Run) -> Result<Settled, Error> {
    run.has_calls("check")?;
    Ok(settled(run, Follow::empty()))
}

/// What was matched and what was not.
pub fn report(run: &Run, settled: &Settled) -> Report {
    let account = &settled.account;
    let mut facts = overview::facts(run);
    facts.extend(check::facts(settled));
    let mut warnings = waits::unmatched(run, account);
    warnings.extend(waits::explained(run, account));
    let tables = vec![
        check::pairs(run, account).into(),
        check::clocks(run, settled).into(),
        check::unmatched(run, account).into(),
    ];
    warnings.extend(overview::warnings(run));
    Report { facts, warnings, tables }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("check").facts(overview::FACTS).facts(cost::FACTS).facts(check::FACTS);
    schema.table::<check::MatchedRow>().table::<check::ClockRow>().table::<check::UnmatchedRow>()
}
