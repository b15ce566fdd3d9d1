//! The flags of commands about a run at this moment.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Print;

/// The flags of `hang`.
#[derive(Args)]
pub struct HangArgs {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// Do not save the names of call sites, neither in the run's folder nor in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// The flags of `top`.
#[derive(Args)]
pub struct TopArgs {
    /// The run's folder [default: the newest run in the working folder]
    pub dir: Option<PathBuf>,
    /// Print one frame and end; its rates are of a fifth of a second
    #[arg(long)]
    pub once: bool,
    /// Print one frame as OpenMetrics and end; its totals are since the recording began
    #[arg(long, conflicts_with_all = ["once", "format", "output", "top", "sort"])]
    pub metrics: bool,
    /// Read each rank's file on its own node, by a reader that this starts there: for folders that nodes see late
    #[arg(long, value_name = "LAUNCHER")]
    pub launcher: Option<NodeLauncher>,
    /// Be such a reader, of this host's ranks
    #[arg(long, hide = true, value_name = "HOST", requires = "dir", conflicts_with_all = ["once", "metrics", "launcher"])]
    pub feed: Option<String>,
    /// Do not save the names of call sites, neither in the run's folder nor in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// What starts a command on another node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum NodeLauncher {
    /// Slurm's srun, in the job that SLURM_JOB_ID names.
    Srun,
    /// ssh, as you set it up to log in without a password.
    Ssh,
}
