//! A run in words: what dominates, which rank and line is the cause, how sure that is, and what to try next.
//!
//! In: what the analyses know of a run. Out: findings, the weightiest first, each of one analysis, whose tables show the figures. A
//! finding stands only where its figures are there and large enough to matter.

mod balance;
mod efficiency;
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

/// What is known of a run; without single calls only the run.
pub struct Evidence<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its calls, matched.
    pub account: Option<&'a Account>,
    /// Its efficiency.
    pub efficiency: Option<&'a Efficiency>,
    /// Its critical path.
    pub path: Option<&'a CriticalPath>,
    /// Its ranks' progress engines, by thread.
    pub engines: &'a [Vec<EngineAccount>],
    /// Its nonblocking requests.
    pub requests: Option<&'a GatheredRequests>,
}

/// A sentence about a run, or two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The section of the page that shows its figures.
    pub section: &'static str,
    /// What was found.
    pub text: String,
    /// What to try.
    pub next: Option<String>,
}

impl Finding {
    fn new(section: &'static str, text: String) -> Finding {
        Finding { section, text, next: None }
    }

    /// The command that shows its figures, without the run.
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

/// All that stands out.
pub fn findings(known: &Evidence) -> Vec<Finding> {
    let all = [
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
