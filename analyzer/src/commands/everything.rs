//! What all analyses that others build on find of a run, for the page and the first screen.

use super::{check, overlap, path, pop, progress, waits};
use crate::error::Error;
use crate::metrics::overlap::Gathered;
use crate::metrics::pop as efficiency;
use crate::metrics::summary::{self, Finding};
use crate::model::Run;
use crate::model::critical::CriticalPath;
use crate::model::engine::EngineAccount;
use crate::model::matching::{Account, Follow, settled};
use crate::report::Report;

/// See the module.
pub struct Everything<'r> {
    run: &'r Run,
    /// Its calls, matched; why not, where there are none.
    pub matched: Result<Matched, String>,
    /// What each rank's engine did, thread by thread.
    pub engines: Vec<Vec<EngineAccount>>,
    /// Its nonblocking requests.
    pub requests: Result<Gathered, Error>,
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
        summary::findings(&summary::Known {
            run: self.run,
            account: matched.map(|matched| &matched.account),
            efficiency: matched.map(|matched| &matched.efficiency),
            path: matched.map(|matched| &matched.path),
            engines: &self.engines,
            requests: self.requests.as_ref().ok(),
        })
    }
}

/// What one walk through all calls tells.
pub struct Matched {
    pub account: Account,
    pub path: CriticalPath,
    pub efficiency: efficiency::Efficiency,
    pub waits: Report,
    pub path_report: Report,
    pub pop: Report,
    pub check: Report,
}

impl Matched {
    /// Fails where there are no single calls.
    fn of(run: &Run) -> Result<Matched, String> {
        run.has_calls("this").map_err(|error| error.to_string())?;
        let mut settled = settled(run, Follow::JUMPS | Follow::DEPENDENCIES);
        let path = CriticalPath::of(run, &mut settled);
        let (waits, check) = (waits::report(run, &settled.account), check::report(run, &settled));
        let path_report = path::report(run, &settled.account, &path);
        let mut account = settled.account;
        let (efficiency, phases) = efficiency::efficiencies(run, &mut account);
        let pop = pop::report(run, &account, &efficiency, phases);
        Ok(Matched { account, path, efficiency, waits, path_report, pop, check })
    }
}
