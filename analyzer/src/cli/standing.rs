//! The flags of commands about a run at this moment.

use std::path::PathBuf;

use clap::Args;

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
    /// Do not save the names of call sites, neither in the run's folder nor in ~/.cache/overhear
    #[arg(long)]
    pub no_cache: bool,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}
