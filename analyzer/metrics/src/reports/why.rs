//! `overhear why`: where the ranks' time went, and what they waited for.

use crate::why::{self, CauseRow, IterationRow, Iterations, KindRow, OtherThreadRow, PlaceRow, RankRow, Why};
use crate::{cost, overview, waits};
use model::Run;
use model::attribution::other_threads;
use model::error::Error;
use model::matching::{Follow, settled};
use model::shared_walk::SharedWalk;
use tables::Report;
use tables::schema::Schema;

/// Attributes the time of a run and reports it.
pub fn analyze(run: &Run) -> Result<Report, Error> {
    run.needs_calls("why")?;
    let mut settled = settled(run, Follow::ORIGINS | Follow::JUMPS);
    let walk = SharedWalk::by_iteration(run, &mut settled);
    let why = Why { run, attribution: &walk.attribution, origins: &walk.origins };
    let mut facts = overview::facts(run);
    facts.extend(why.facts());
    let mut warnings = waits::warnings(run, &settled.account);
    warnings.extend(crate::warnings::of_run(run));
    let iterations = Iterations::of(&why);
    if let Some(iterations) = &iterations {
        facts.extend(iterations.facts(&why));
    }
    let iterations = iterations.map_or_else(|| Iterations::default().table(&why), |iterations| iterations.table(&why));
    let tables = vec![
        why.causes().asked().into(),
        why.kinds().into(),
        iterations.into(),
        why.places().into(),
        why.by_rank().into(),
        why.threads(&other_threads(run, &settled.common_clock)).into(),
    ];
    Ok(Report { facts, warnings, tables })
}

pub fn schema() -> Schema {
    let schema = Schema::of("why").facts(overview::FACTS).facts(cost::FACTS).facts(why::FACTS);
    let schema = schema.table::<CauseRow>().table::<KindRow>().table::<IterationRow>();
    schema.table::<PlaceRow>().table::<RankRow>().table::<OtherThreadRow>()
}
