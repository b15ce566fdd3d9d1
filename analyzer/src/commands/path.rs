//! `overhear path`: the critical path.

use super::open::open;
use super::print::print;
use crate::cli;
use crate::error::{Error, OK, PARTIAL};
use crate::metrics::{cost, critical, overview, waits};
use crate::model::critical::{path, places, selected};
use crate::model::matching::{Follow, Settled, settled};
use crate::report::Report;
use crate::report::schema::Schema;

/// Prints what lies on the critical path. Returns the exit status.
pub fn run(arguments: &cli::OneRun) -> Result<u8, Error> {
    let run = open(arguments)?;
    run.has_calls("path")?;
    let Settled { mut account, timeline, .. } = settled(&run, Follow::Waits);
    let path = path(std::mem::take(&mut account.jumps), &account.links);
    let path = selected(&run, &timeline, path);
    let places = places(&run, &timeline, &path);
    let mut facts = overview::facts(&run);
    facts.extend(critical::facts(&path, &places));
    let mut warnings = waits::unmatched(&run, &account);
    warnings.extend(waits::explained(&run, &account));
    let tables = vec![critical::table(&run, &places).into(), critical::ranks(&run, &path).into()];
    warnings.extend(overview::warnings(&run));
    print(Report { facts, warnings, tables }, "path", &arguments.print)?;
    Ok(if run.is_partial() { PARTIAL } else { OK })
}

/// What its JSON looks like.
pub fn schema() -> Schema {
    let schema = Schema::of("path").facts(overview::FACTS).facts(cost::FACTS).facts(critical::FACTS);
    schema.table::<critical::PathRow>().table::<critical::PathRankRow>()
}
