//! `overhear paths`: which of the program's functions the calls are for.

use super::breakdown::unresolved;
use super::empty_analysis::nothing;
use crate::paths::{CallPathRow, FlatRow, PathChoice, RunPaths};
use crate::{cost, overview, paths};
use model::Run;
use model::error::Error;
use tables::Report;
use tables::schema::Schema;

/// The error if no rank has call paths.
const NEEDED: &str = "no call paths: they are in runs recorded since overhear records them, without --call-path off";

/// Adds a run's calls up by path. Fails if there are no paths.
pub fn analyze(run: &Run) -> Result<RunPaths, Error> {
    match run.asked().any(|rank| !rank.callers.is_empty()) {
        true => Ok(RunPaths::of(run)),
        false => Err(nothing(run, NEEDED)),
    }
}

pub fn report(run: &Run, all: &RunPaths, choice: &PathChoice) -> Report {
    let mut facts = overview::facts(run);
    facts.extend(paths::facts(run, all));
    let mut warnings = paths::unseen(run, all);
    let table = if choice.flat { paths::functions(run, all).into() } else { paths::table(run, all, choice).into() };
    if !choice.flat {
        warnings.extend(paths::left_out(all, choice));
    }
    warnings.extend(unresolved(run));
    warnings.extend(crate::warnings::of_run(run));
    Report { facts, warnings, tables: vec![table] }
}

pub fn schema() -> Schema {
    let schema = Schema::of("paths").facts(overview::FACTS).facts(cost::FACTS).facts(paths::FACTS);
    schema.table::<CallPathRow>().table::<FlatRow>()
}
