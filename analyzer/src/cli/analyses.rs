//! Analyses of one run that have flags of their own.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::OneRun;
use metrics::matrix::TrafficKind;
use pictures::plot::PlotFile;

/// The flags of `report`.
#[derive(Args)]
pub struct ReportArgs {
    /// Break the time down by function, rank, rank=N, comm, site, size, peer, thread, region, collective
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub by: Breakdown,
    /// With --by collective: plot times over message size to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Write all analyses to this file as one page, with a summary in words, which any browser opens from disk
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "plot", "format", "output", "top", "sort"])]
    pub html: Option<PathBuf>,
    /// With --html: replace the file if it exists
    #[arg(long, requires = "html")]
    pub force: bool,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// What a report breaks the time down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    /// MPI function.
    Function,
    /// All ranks side by side.
    Rank,
    /// One rank alone.
    OneRank(u32),
    /// Communicator, window or file.
    Communicator,
    /// Place in the program.
    Site,
    /// Bytes of a call.
    Size,
    /// The rank at the other end.
    Peer,
    /// Thread.
    Thread,
    /// Innermost region of the program.
    Region,
    /// Collective call, all its ranks together.
    Collective,
}

impl std::str::FromStr for Breakdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Breakdown, String> {
        match text {
            "function" => Ok(Breakdown::Function),
            "rank" => Ok(Breakdown::Rank),
            "comm" => Ok(Breakdown::Communicator),
            "site" => Ok(Breakdown::Site),
            "size" => Ok(Breakdown::Size),
            "peer" => Ok(Breakdown::Peer),
            "thread" => Ok(Breakdown::Thread),
            "region" => Ok(Breakdown::Region),
            "collective" => Ok(Breakdown::Collective),
            _ => {
                match text.strip_prefix("rank=").map(str::parse) {
                    Some(Ok(rank)) => Ok(Breakdown::OneRank(rank)),
                    _ => Err("it is one of function, rank, rank=N, comm, site, size, peer, thread, region, collective"
                        .into()),
                }
            }
        }
    }
}

/// The flags of `progress`.
#[derive(Args)]
pub struct ProgressArgs {
    /// Show one table in full: by rank, component, function or site
    #[arg(long, value_name = "WHAT")]
    pub by: Option<ByEngine>,
    /// Plot entries over time to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// What the engine's figures are broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ByEngine {
    /// Rank.
    Rank,
    /// Part of the engine.
    Component,
    /// MPI function.
    Function,
    /// Place in the program.
    Site,
}

/// The flags of `matrix`.
#[derive(Args)]
pub struct MatrixArgs {
    /// Only what went through the communicator of this name
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Only point-to-point messages and one-sided transfers, or only collective calls
    #[arg(long, value_name = "KIND")]
    pub only: Option<TrafficKind>,
    /// Plot the bytes as a heat map to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// The flags of `imbalance`.
#[derive(Args)]
pub struct ImbalanceArgs {
    /// Break the time in MPI down by this
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub by: ByPlace,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// What imbalance is broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ByPlace {
    /// MPI function.
    Function,
    /// Place in the program.
    Site,
}
