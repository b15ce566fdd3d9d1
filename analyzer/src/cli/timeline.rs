//! The flags of `timeline`.

use std::path::PathBuf;

use clap::Args;

use super::OneRun;

/// See the module.
#[derive(Args)]
pub struct TimelineArgs {
    /// Draw it as SVG to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Draw it as PNG to this file
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Write a page to zoom in to this file; a long run's calls go into a folder beside it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Of which run.
    #[command(flatten)]
    pub of: OneRun,
}
