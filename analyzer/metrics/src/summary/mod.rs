//! A run in sentences: what dominates, which rank and line cause it, how certain that is, and what to try next.
//!
//! In: the results of the analyses of a run. Out: findings, the most important first, each of one analysis, whose
//! tables show the figures. A finding appears only if its figures are known and large enough to matter.

mod balance;
mod efficiency;
mod machine;
mod overlap;
mod path;
mod progress;
mod time;
mod waiting;
mod whole;

use super::pop::Efficiency;
use crate::overlap::GatheredRequests;
use model::Run;
use model::critical::CriticalPath;
use model::engine::EngineAccount;
use model::matching::Account;

/// The results of the analyses of a run. Without single calls only the run is known.
pub struct Evidence<'a> {
    pub run: &'a Run,
    /// The run's matched calls.
    pub account: Option<&'a Account>,
    pub efficiency: Option<&'a Efficiency>,
    pub path: Option<&'a CriticalPath>,
    /// The activity of each rank's progress engine, by thread.
    pub engines: &'a [Vec<EngineAccount>],
    pub requests: Option<&'a GatheredRequests>,
}

/// One or two sentences about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The section of the page that shows the figures.
    pub section: &'static str,
    pub text: String,
    /// Advice on what to try next.
    pub next: Option<String>,
}

impl Finding {
    fn new(section: &'static str, text: String) -> Finding {
        Finding { section, text, next: None }
    }

    /// The command that shows the figures, without the run's folder.
    pub fn command(&self) -> &'static str {
        match self.section {
            "ranks" => "report --by rank",
            "functions" => "report",
            "run" => "hang",
            analysis => analysis,
        }
    }

    fn next(self, next: impl Into<String>) -> Finding {
        Finding { next: Some(next.into()), ..self }
    }
}

/// All findings on a run.
pub fn findings(known: &Evidence) -> Vec<Finding> {
    let all = [
        machine::finding(known),
        whole::finding(known),
        time::finding(known),
        waiting::finding(known),
        balance::finding(known),
        efficiency::finding(known),
        path::finding(known),
        progress::finding(known),
        overlap::finding(known),
    ];
    all.into_iter().flatten().collect()
}
