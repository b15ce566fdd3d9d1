//! `overhear whatif`: what the run would take if something were different.

use crate::what_if::{self, AloneRow, AskedChange, Prediction, ThenRow, WaitRow};
use crate::{cost, overview};
use model::Run;
use model::attribution::off_core;
use model::error::Error;
use model::what_if::Replayable;
use tables::Report;
use tables::schema::Schema;

/// Facts about the run that text shows above the prediction.
const SHOWN: [&str; 3] = ["program", "folder", "wall_time_s"];

/// Replays a run with all changes and with each alone, and reports on it. `between`: the two hosts whose messages changes of the
/// network are for.
pub fn analyze(run: &Run, asked: &[AskedChange], between: Option<&[String]>) -> Result<Report, Error> {
    run.needs_calls("whatif")?;
    let mut replayable = Replayable::of(run, asked.contains(&AskedChange::Balance));
    if asked.contains(&AskedChange::OnCore) {
        replayable.core_lacks = off_core(run, &replayable.settled.common_clock);
    }
    let mut changes = Vec::new();
    for change in asked {
        changes.push((change.of(run, &replayable, between)?, change.typed()));
    }
    let prediction = Prediction::of(run, &replayable, &changes);
    if let Some(hang) = prediction.hang() {
        return Err(hang);
    }
    let mut facts = overview::facts(run);
    for fact in facts.iter_mut().filter(|fact| !SHOWN.contains(&fact.key.name)) {
        fact.heading = "";
    }
    facts.extend(prediction.facts());
    let mut warnings = prediction.warnings();
    warnings.extend(crate::warnings::of_run(run));
    let tables = vec![prediction.alone().into(), prediction.waits().into(), prediction.then().into()];
    Ok(Report { facts, warnings, tables })
}

pub fn schema() -> Schema {
    let schema = Schema::of("whatif").facts(overview::FACTS).facts(cost::FACTS).facts(what_if::FACTS);
    schema.table::<AloneRow>().table::<WaitRow>().table::<ThenRow>()
}
