//! The flags of `plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Select;
use pictures::plot::PlotFile;

/// See the module.
#[derive(Args)]
pub struct PlotArgs {
    /// The run's folder; those of two runs for diff, of all for scaling
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
    /// What of the run to look at.
    #[command(flatten)]
    pub select: Select,
}

/// What there are pictures of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlotKind {
    /// Time by function, and by rank
    Breakdown,
    /// What an even spread of each function over the ranks could gain
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
    /// As it is typed.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().into())
    }
}
