//! The report of each analysis of one run: facts, warnings and tables from the metrics, and the schema of its JSON.

pub mod breakdown;
pub mod check;
mod choices;
pub mod diagnosis;
mod empty_analysis;
pub mod fanout;
pub mod imbalance;
pub mod matrix;
pub mod network;
pub mod overlap;
pub mod path;
pub mod pop;
pub mod progress;
pub mod waits;

use model::Run;
use model::error::Error;
use tables::{Format, Report, json};

pub use choices::{Breakdown, ByEngine, ByPlace};

use crate::matrix::{TrafficKind, matrix as traffic};

/// An analysis of one run, with the choices that it takes.
#[derive(Clone, Debug)]
pub enum RunAnalysis {
    Report(Breakdown),
    /// The progress engine's activity.
    Progress(Option<ByEngine>),
    /// Who waited for whom.
    Waits,
    /// The critical path.
    Path,
    /// Overlap of communication and computation.
    Overlap,
    /// Latency and bandwidth.
    Network,
    Fanout,
    Pop,
    /// The communication matrix, optionally of the communicators of one name, and of one kind of traffic.
    Matrix(Option<String>, Option<TrafficKind>),
    Imbalance(ByPlace),
    /// Whether the ranks' accounts agree.
    Check,
}

impl RunAnalysis {
    /// The output of the command with `--format json`.
    pub fn json(&self, run: &Run) -> Result<String, Error> {
        let mut report = self.report(run)?;
        report.arrange(None, None, Format::Json)?;
        let mut text = Vec::new();
        let printed = json::print(&report, self.name(), &mut text);
        let text = printed.and_then(|()| String::from_utf8(text).map_err(std::io::Error::other));
        text.map_err(|error| Error::Other(error.to_string()))
    }

    pub fn report(&self, run: &Run) -> Result<Report, Error> {
        Ok(match self {
            RunAnalysis::Report(by) => breakdown::analyze(run, *by)?,
            RunAnalysis::Progress(by) => progress::report(run, &progress::engines(run), *by),
            RunAnalysis::Waits => waits::analyze(run)?,
            RunAnalysis::Path => path::analyze(run)?,
            RunAnalysis::Overlap => overlap::report(run, &overlap::requests(run)?),
            RunAnalysis::Network => {
                let settled = network::matched(run)?;
                network::report(run, &settled.account, &network::network(run, &settled))
            }
            RunAnalysis::Fanout => {
                let rounds = fanout::RunRounds::of(run)?;
                rounds.report(run, &rounds.gathered(run))
            }
            RunAnalysis::Pop => pop::analyze(run)?,
            RunAnalysis::Matrix(communicator, only) => {
                matrix::report(run, &traffic(run, communicator.as_deref(), *only)?)
            }
            RunAnalysis::Imbalance(by) => imbalance::report(run, *by),
            RunAnalysis::Check => check::report(run, &check::matched(run)?),
        })
    }

    /// The name of the command.
    pub fn name(&self) -> &'static str {
        match self {
            RunAnalysis::Report(_) => "report",
            RunAnalysis::Progress(_) => "progress",
            RunAnalysis::Waits => "waits",
            RunAnalysis::Path => "path",
            RunAnalysis::Overlap => "overlap",
            RunAnalysis::Network => "network",
            RunAnalysis::Fanout => "fanout",
            RunAnalysis::Pop => "pop",
            RunAnalysis::Matrix(..) => "matrix",
            RunAnalysis::Imbalance(_) => "imbalance",
            RunAnalysis::Check => "check",
        }
    }
}
