//! The flags of `plot` and `timeline`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{OneRun, Select};
use pictures::plot::PlotFile;

/// The flags of `plot`.
#[derive(Args)]
pub struct PlotArgs {
    /// The run's folder; two folders for diff, any number for scaling
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// What to plot
    pub kind: PlotKind,
    /// Plot to this file, SVG or PNG by its name
    #[arg(short, long, value_name = "FILE")]
    pub output: PlotFile,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// The part of the run to look at.
    #[command(flatten)]
    pub select: Select,
}

/// A picture that `plot` draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlotKind {
    /// Time by function, and by rank
    Breakdown,
    /// Time that an even spread over the ranks would save, by function
    Imbalance,
    /// Calls and time by the bytes of a call
    Sizes,
    /// Bytes from each rank to each other
    Matrix,
    /// Wait states, and when ranks waited
    Waits,
    /// The POP metrics
    Pop,
    /// Entries into the progress engine over time
    Progress,
    /// Overhead and availability of nonblocking messages over their size
    Availability,
    /// Latency and bandwidth over message size
    #[value(alias = "model")]
    Network,
    /// Rounds of one rank to several others and back
    Fanout,
    /// Collective operations over message size
    Collectives,
    /// Time by function of two runs
    Diff,
    /// Time and efficiency over the number of ranks
    Scaling,
}

impl PlotKind {
    /// Returns the name that users type.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
    }
}

/// The flags of `timeline`.
#[derive(Args)]
pub struct TimelineArgs {
    /// Draw it as SVG to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Draw it as PNG to this file
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Write a zoomable page to this file; the calls of a long run go into a folder beside it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// The run, and how to print the result.
    #[command(flatten)]
    pub of: OneRun,
}
