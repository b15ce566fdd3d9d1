//! What all analyses that others build on find of a run, for the page and the first screen.

use metrics::overlap::GatheredRequests;
use metrics::pop::{Efficiency, efficiencies};
use metrics::reports::{overlap, progress};
use metrics::summary::{self, Finding};
use model::Run;
use model::critical::CriticalPath;
use model::engine::EngineAccount;
use model::error::Error;
use model::matching::{Follow, Settled, settled};

/// See the module.
pub struct Everything<'r> {
    run: &'r Run,
    /// Its calls, matched; why not, where there are none.
    pub matched: Result<Matched, String>,
    /// What each rank's engine did, thread by thread.
    pub engines: Vec<Vec<EngineAccount>>,
    /// Its nonblocking requests.
    pub requests: Result<GatheredRequests, Error>,
}

impl<'r> Everything<'r> {
    /// Of a run.
    pub fn of(run: &'r Run) -> Everything<'r> {
        let (matched, engines) = (Matched::of(run), progress::engines(run));
        Everything { run, matched, engines, requests: overlap::requests(run) }
    }

    /// The run in words.
    pub fn findings(&self) -> Vec<Finding> {
        let matched = self.matched.as_ref().ok();
        summary::findings(&summary::Evidence {
            run: self.run,
            account: matched.map(|matched| &matched.settled.account),
            efficiency: matched.map(|matched| &matched.efficiency),
            path: matched.map(|matched| &matched.path),
            engines: &self.engines,
            requests: self.requests.as_ref().ok(),
        })
    }
}

/// What one walk through all calls tells.
pub struct Matched {
    /// The account, but for its links, which the efficiency is made of.
    pub settled: Settled,
    /// The critical path.
    pub path: CriticalPath,
    /// The whole run's.
    pub efficiency: Efficiency,
    /// Each phase's.
    pub phases: Vec<Efficiency>,
}

impl Matched {
    /// Fails where there are no single calls.
    fn of(run: &Run) -> Result<Matched, String> {
        run.has_calls("this").map_err(|error| error.to_string())?;
        let mut settled = settled(run, Follow::JUMPS | Follow::DEPENDENCIES);
        let path = CriticalPath::of(run, &mut settled);
        let (efficiency, phases) = efficiencies(run, &mut settled.account);
        Ok(Matched { settled, path, efficiency, phases })
    }
}
