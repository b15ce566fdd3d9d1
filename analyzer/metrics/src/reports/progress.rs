//! `overhear progress`: the activity of the progress engine.

use super::ByEngine;
use crate::engine::{ComponentRow, EngineSiteRow, FunctionRow, LengthRow, RankLedgerRow, StarvedRow};
use crate::{cost, engine, overview};
use model::engine::{EngineAccount, SlicedTime, of_rank};
use model::parallel;
use model::{Rank, Run};
use tables::schema::Schema;
use tables::{Report, Sheet};

pub fn schema() -> Schema {
    let schema = Schema::of("progress").facts(overview::FACTS).facts(cost::FACTS).facts(engine::FACTS);
    let schema = schema.table::<RankLedgerRow>().table::<ComponentRow>();
    schema.table::<FunctionRow>().table::<LengthRow>().table::<EngineSiteRow>().table::<StarvedRow>()
}

/// The activity of each rank's engine over time, thread by thread.
pub fn engines(run: &Run) -> Vec<Vec<EngineAccount>> {
    let time = SlicedTime::of(run);
    // A profile has no single entries: looking for them would decode every rank's file again.
    let of = |rank: &Rank| if rank.header.is_only_profile() { Vec::new() } else { of_rank(run, rank, &time) };
    parallel::map(run.ranks.len(), |at| of(&run.ranks[at]))
}

/// The report on the ledger, by the chosen property or by all of them.
pub fn report(run: &Run, engines: &[Vec<EngineAccount>], by: Option<ByEngine>) -> Report {
    let starved = engine::starved(run, engines);
    let tables: Vec<Sheet> = match by {
        Some(ByEngine::Rank) => vec![engine::by_rank(run).into()],
        Some(ByEngine::Component) => vec![engine::components(run).into()],
        Some(ByEngine::Function) => vec![engine::functions(run).into(), engine::lengths(run).into()],
        Some(ByEngine::Site | ByEngine::Caller | ByEngine::Path) => {
            vec![engine::sites(run).into(), starved.most(usize::MAX).into()]
        }
        None => vec![
            engine::ledger(run).silent_empty().into(),
            engine::by_rank(run).for_programs().into(),
            engine::components(run).silent_empty().into(),
            engine::functions(run).silent_empty().into(),
            engine::lengths(run).silent_empty().into(),
            starved.silent_empty().into(),
        ],
    };
    let mut facts = overview::facts(run);
    facts.extend(engine::too_often(run));
    let mut warnings = engine::unseen(run);
    if engines.iter().flatten().any(|engine| engine.shared) {
        warnings.push("threads completed each other's requests: those threads' pending requests are left out".into());
    }
    warnings.extend(crate::warnings::of_run(run));
    Report { facts, warnings, tables }
}
