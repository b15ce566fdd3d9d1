//! The flags of commands about a run that is going on: `hang` and `top`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Print;

#[derive(Args)]
pub struct HangArgs {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// Do not cache the names of call sites, in the run's folder or in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub print: Print,
}

#[derive(Args)]
pub struct TopArgs {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// Print one frame and exit; rates are measured over 0.2 s
    #[arg(long)]
    pub once: bool,
    /// Print one frame as OpenMetrics and exit; totals count from the start of the recording
    #[arg(long, conflicts_with_all = ["once", "format", "output", "top", "sort"])]
    pub metrics: bool,
    /// Read each rank's file on its own node, by a reader started there: for file systems that show new data late
    #[arg(long, value_name = "LAUNCHER")]
    pub launcher: Option<NodeLauncher>,
    /// Be such a reader, for the ranks of this host
    #[arg(long, hide = true, value_name = "HOST", requires = "dir", conflicts_with_all = ["once", "metrics", "launcher"])]
    pub feed: Option<String>,
    /// Do not cache the names of call sites, in the run's folder or in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub print: Print,
}

/// A way to start a command on another node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum NodeLauncher {
    /// Slurm's srun, in the job that SLURM_JOB_ID names.
    Srun,
    /// ssh, as you set it up to log in without a password.
    Ssh,
}
