//! Analyses of one run that have flags of their own.

use std::path::PathBuf;

use clap::Args;

use super::OneRun;
use super::choices::choices;
use metrics::matrix::TrafficKind;
use metrics::reports::{Breakdown, ByEngine, ByPlace};
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

/// The flags of `progress`.
#[derive(Args)]
pub struct ProgressArgs {
    /// Show one table in full: by rank, component, function or site
    #[arg(long, value_name = "WHAT", value_parser = choices::<ByEngine>())]
    pub by: Option<ByEngine>,
    /// Plot entries over time to this file, SVG or PNG by its name
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PlotFile>,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}

/// The flags of `matrix`.
#[derive(Args)]
pub struct MatrixArgs {
    /// Only what went through the communicator of this name
    #[arg(long, value_name = "NAME")]
    pub comm: Option<String>,
    /// Only point-to-point messages and one-sided transfers, or only collective calls
    #[arg(long, value_name = "KIND", value_parser = choices::<TrafficKind>())]
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
    #[arg(long, value_name = "WHAT", default_value = "function", value_parser = choices::<ByPlace>())]
    pub by: ByPlace,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}
