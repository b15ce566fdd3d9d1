//! `overhear path`: the critical path.

use super::open::open;
use super::print::print;
use crate::cli;
use model::error::{Error, OK, PARTIAL};
use metrics::{cost, critical, overview, waits};
use model::Run;
use model::critical::CriticalPath;
use model::matching::{Account, Follow, settled};
use tables::Report;
use tables::schema::Schema;

/// Prints what lies on the critical path. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    print(found(&run)?, "path", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// What lies on the critical path of a run.
pub fn found(run: &Run) -> Result<Report, Error> {
    run.has_calls("path")?;
    let mut settled = settled(run, Follow::JUMPS);
    let path = CriticalPath::of(run, &mut settled);
    Ok(report(run, &settled.account, &path))
}

/// The same, of an account.
pub fn report(run: &Run, account: &Account, path: &CriticalPath) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(critical::facts(&path.segments, &path.places));
    let mut warnings = waits::unmatched(run, account);
    warnings.extend(waits::explained(run, account));
    let tables = vec![critical::table(run, &path.places).into(), critical::ranks(run, &path.segments).into()];
    warnings.extend(overview::warnings(run));
    Report { facts, warnings, tables }
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("path").facts(overview::FACTS).facts(cost::FACTS).facts(critical::FACTS);
    schema.table::<critical::PathRow>().table::<critical::PathRankRow>()
}
