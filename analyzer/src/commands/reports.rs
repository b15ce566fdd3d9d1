//! What the analyses find out about a run that is in memory: the reports of their commands, as JSON.

use super::{
    breakdown, check, fanout, imbalance, matrix, model, overlap, path, pop, progress, report as of_report, waits,
};
use crate::cli::{Breakdown, ByEngine, ByPlace};
use model::error::Error;
use metrics::matrix::{TrafficKind, matrix as traffic};
use model::Run;
use tables::{Format, Report, json};

pub use super::open::open_run;

/// An analysis of one run, with what chooses its tables.
#[derive(Clone, Debug)]
pub enum RunAnalysis {
    /// Where the time went.
    Report(Breakdown),
    /// What the progress engine did.
    Progress(Option<ByEngine>),
    /// Who waited for whom.
    Waits,
    /// The critical path.
    Path,
    /// How much communication was hidden.
    Overlap,
    /// Latency and bandwidth.
    Model,
    /// Rounds from one rank to others and back.
    Fanout,
    /// The POP metrics.
    Pop,
    /// Who sent how much to whom, by the communicator of a name alone, and by some calls alone.
    Matrix(Option<String>, Option<TrafficKind>),
    /// How unevenly time is spread over the ranks.
    Imbalance(ByPlace),
    /// Whether the ranks agree.
    Check,
}

impl RunAnalysis {
    /// What its command prints with `--format json`.
    pub fn json(&self, run: &Run) -> Result<String, Error> {
        let mut report = self.report(run)?;
        report.arrange(None, None, Format::Json)?;
        let mut text = Vec::new();
        let printed = json::print(&report, self.name(), &mut text);
        let text = printed.and_then(|()| String::from_utf8(text).map_err(std::io::Error::other));
        text.map_err(|error| Error::Other(error.to_string()))
    }

    fn report(&self, run: &Run) -> Result<Report, Error> {
        Ok(match self {
            RunAnalysis::Report(Breakdown::Region) => breakdown::by_region(run)?,
            RunAnalysis::Report(by) => of_report::found(run, *by, None)?,
            RunAnalysis::Progress(by) => progress::report(run, &progress::engines(run), *by),
            RunAnalysis::Waits => waits::found(run)?,
            RunAnalysis::Path => path::found(run)?,
            RunAnalysis::Overlap => overlap::report(run, &overlap::requests(run)?),
            RunAnalysis::Model => model::found(run, None)?,
            RunAnalysis::Fanout => fanout::found(run, None)?,
            RunAnalysis::Pop => pop::found(run)?,
            RunAnalysis::Matrix(communicator, only) => {
                matrix::report(run, &traffic(run, communicator.as_deref(), *only)?)
            }
            RunAnalysis::Imbalance(by) => imbalance::report(run, *by),
            RunAnalysis::Check => check::report(run, &check::matched(run)?),
        })
    }

    /// The command.
    fn name(&self) -> &'static str {
        match self {
            RunAnalysis::Report(_) => "report",
            RunAnalysis::Progress(_) => "progress",
            RunAnalysis::Waits => "waits",
            RunAnalysis::Path => "path",
            RunAnalysis::Overlap => "overlap",
            RunAnalysis::Model => "model",
            RunAnalysis::Fanout => "fanout",
            RunAnalysis::Pop => "pop",
            RunAnalysis::Matrix(..) => "matrix",
            RunAnalysis::Imbalance(_) => "imbalance",
            RunAnalysis::Check => "check",
        }
    }
}
