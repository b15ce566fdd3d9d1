//! Analyses that the page and the first screen share.

use metrics::hang::{EndVerdict, may_have_hung, verdict_at_its_end};
use metrics::pop::{Efficiency, efficiencies};
use metrics::reports::progress;
use metrics::summary::{Answers, Evidence};
use model::engine::EngineAccount;
use model::matching::{Follow, Settled, settled};
use model::shared_walk::SharedWalk;
use model::what_if::NEEDS;
use model::{Choice, Run};

pub struct AllAnalyses<'r> {
    run: &'r Run,
    /// Results of matching, or the reason why there are none.
    pub matched: Result<Matched, String>,
    /// Progress engine of each rank, by thread.
    pub engines: Vec<Vec<EngineAccount>>,
    at_end: Option<EndVerdict>,
}

impl<'r> AllAnalyses<'r> {
    pub fn of(run: &'r Run) -> AllAnalyses<'r> {
        let (matched, engines) = (Matched::of(run), progress::engines(run));
        AllAnalyses { run, matched, engines, at_end: at_end(run) }
    }

    /// Everything that findings are derived from.
    pub fn evidence(&self) -> Evidence<'_> {
        let matched = self.matched.as_ref().ok();
        Evidence {
            run: self.run,
            settled: matched.map(|matched| &matched.settled),
            walk: matched.map(|matched| &matched.walk),
            efficiency: matched.map(|matched| &matched.efficiency),
            engines: &self.engines,
            at_end: self.at_end.as_ref(),
            answers: Answers::default(),
        }
    }
}

/// Judges a run that did not end by MPI_Finalize. A selected part does not show the positions of its ranks at the run's
/// end.
fn at_end(run: &Run) -> Option<EndVerdict> {
    if !may_have_hung(run) {
        return None;
    }
    let choice = Choice { whole: true, no_cache: run.choice.no_cache, ..Choice::default() };
    let whole = Run::select(&run.folder, &choice).ok()?;
    verdict_at_its_end(&whole).ok().flatten()
}

/// Results of matching all calls.
pub struct Matched {
    pub settled: Settled,
    /// Habits, origins of waiting and the critical path.
    pub walk: SharedWalk,
    pub efficiency: Efficiency,
    pub phases: Vec<Efficiency>,
}

impl Matched {
    /// Fails if the run is a profile, without single calls.
    fn of(run: &Run) -> Result<Matched, String> {
        run.needs_calls("this").map_err(|error| error.to_string())?;
        let mut settled = settled(run, Follow::JUMPS | Follow::ORIGINS | Follow::DEPENDENCIES | NEEDS);
        let walk = SharedWalk::of(run, &mut settled);
        let (efficiency, phases) = efficiencies(run, &settled.account);
        Ok(Matched { settled, walk, efficiency, phases })
    }
}
