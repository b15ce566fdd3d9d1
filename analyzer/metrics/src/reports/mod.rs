//! The report of each analysis of one run: facts, warnings and tables from the metrics, and the schema of its JSON.

pub mod breakdown;
pub mod check;
pub mod diagnosis;
mod empty_analysis;
pub mod fanout;
pub mod files;
pub mod imbalance;
pub mod matrix;
pub mod network;
pub mod overlap;
pub mod path;
pub mod paths;
pub mod pop;
pub mod progress;
pub mod settings;
pub mod sleeps;
pub mod teams;
pub mod waits;
pub mod what_if;
pub mod why;

use model::error::Error;
use model::site_naming::{NamedBy, SiteNaming};
use model::{Choice, Run};
use tables::{Format, Report, json};

pub use breakdown::{Breakdown, ByEngine, ByPlace};

use crate::matrix::{TrafficKind, matrix as traffic};
use crate::paths::PathChoice;

/// An analysis of one run, with the choices that it takes.
#[derive(Clone, Debug)]
pub enum RunAnalysis {
    Report(Breakdown),
    /// The progress engine's activity.
    Progress(Option<ByEngine>),
    /// Who waited for whom.
    Waits(NamedBy),
    /// The causes of waiting, and all of the ranks' time.
    Why(NamedBy),
    /// The critical path.
    Path(NamedBy),
    /// Calls by the paths that lead to them.
    Paths(PathChoice),
    /// Overlap of communication and computation.
    Overlap(NamedBy),
    /// Latency and bandwidth.
    Network,
    Fanout(NamedBy),
    Pop,
    /// Parallel regions of OpenMP, and threads that idle.
    Teams(NamedBy),
    /// Files that the ranks accessed.
    Files(NamedBy),
    /// Calls in which the ranks slept.
    Sleeps(NamedBy),
    /// The settings of MPI.
    Settings,
    /// The communication matrix, optionally of the communicators of one name, and of one kind of traffic.
    Matrix(Option<String>, Option<TrafficKind>),
    Imbalance(ByPlace),
    /// `overhear check`: do the ranks' accounts agree?
    Check(NamedBy),
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

    /// Reports on a run. Loads the run again if the analysis needs other names of call sites, or another part of the run.
    pub fn report(&self, run: &Run) -> Result<Report, Error> {
        let (by, kept) = (self.named_by(), self.needs_calls());
        let is_of_part = run.choice.kept == kept || run.ranks.iter().all(|rank| rank.kept_from.is_none());
        if by == run.choice.naming.by && is_of_part {
            return self.report_named(run);
        }
        let naming = SiteNaming { by, ..run.choice.naming.clone() };
        self.report_named(&Run::select(&run.folder, &Choice { naming, kept, ..run.choice.clone() })?)
    }

    /// True if the analysis needs single calls, and so covers the time whose records are kept.
    pub fn needs_calls(&self) -> bool {
        match self {
            RunAnalysis::Report(by) => *by == Breakdown::Collective,
            RunAnalysis::Progress(_) | RunAnalysis::Settings | RunAnalysis::Matrix(..) | RunAnalysis::Imbalance(_) => {
                false
            }
            _ => true,
        }
    }

    /// Names of call sites in the analysis.
    pub fn named_by(&self) -> NamedBy {
        match self {
            RunAnalysis::Report(by) => by.named_by(),
            RunAnalysis::Progress(by) => by.map_or(NamedBy::Site, ByEngine::named_by),
            RunAnalysis::Imbalance(by) => by.named_by(),
            RunAnalysis::Waits(by)
            | RunAnalysis::Why(by)
            | RunAnalysis::Path(by)
            | RunAnalysis::Overlap(by)
            | RunAnalysis::Fanout(by)
            | RunAnalysis::Teams(by)
            | RunAnalysis::Files(by)
            | RunAnalysis::Sleeps(by)
            | RunAnalysis::Check(by) => *by,
            RunAnalysis::Paths(_)
            | RunAnalysis::Network
            | RunAnalysis::Pop
            | RunAnalysis::Settings
            | RunAnalysis::Matrix(..) => NamedBy::Site,
        }
    }

    fn report_named(&self, run: &Run) -> Result<Report, Error> {
        Ok(match self {
            RunAnalysis::Report(by) => breakdown::analyze(run, *by)?,
            RunAnalysis::Progress(by) => progress::report(run, &progress::engines(run), *by),
            RunAnalysis::Waits(_) => waits::analyze(run)?,
            RunAnalysis::Why(_) => why::analyze(run)?,
            RunAnalysis::Path(_) => path::analyze(run)?,
            RunAnalysis::Paths(choice) => paths::report(run, &paths::analyze(run)?, choice),
            RunAnalysis::Overlap(_) => overlap::report(run, &overlap::requests(run)?),
            RunAnalysis::Network => {
                let settled = network::matched(run)?;
                network::report(run, &settled.account, &network::network(run, &settled))
            }
            RunAnalysis::Fanout(_) => {
                let rounds = fanout::RunRounds::of(run)?;
                rounds.report(run, &rounds.gathered(run))
            }
            RunAnalysis::Pop => pop::analyze(run)?,
            RunAnalysis::Teams(_) => teams::analyze(run)?,
            RunAnalysis::Files(_) => files::analyze(run)?,
            RunAnalysis::Sleeps(_) => sleeps::analyze(run)?,
            RunAnalysis::Settings => settings::analyze(run),
            RunAnalysis::Matrix(communicator, only) => {
                matrix::report(run, &traffic(run, communicator.as_deref(), *only)?)
            }
            RunAnalysis::Imbalance(by) => imbalance::report(run, *by),
            RunAnalysis::Check(_) => check::report(run, &check::matched(run)?),
        })
    }

    pub fn name(&self) -> &'static str {
        match self {
            RunAnalysis::Report(_) => "report",
            RunAnalysis::Progress(_) => "progress",
            RunAnalysis::Waits(_) => "waits",
            RunAnalysis::Why(_) => "why",
            RunAnalysis::Path(_) => "path",
            RunAnalysis::Paths(_) => "paths",
            RunAnalysis::Overlap(_) => "overlap",
            RunAnalysis::Network => "network",
            RunAnalysis::Fanout(_) => "fanout",
            RunAnalysis::Pop => "pop",
            RunAnalysis::Matrix(..) => "matrix",
            RunAnalysis::Imbalance(_) => "imbalance",
            RunAnalysis::Teams(_) => "teams",
            RunAnalysis::Files(_) => "files",
            RunAnalysis::Sleeps(_) => "sleeps",
            RunAnalysis::Settings => "settings",
            RunAnalysis::Check(_) => "check",
        }
    }
}
