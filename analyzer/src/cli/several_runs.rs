//! Comparisons of several runs.

use std::path::PathBuf;

use clap::Args;

use super::{Print, Select};
use metrics::compare::Threshold;

/// The flags of `diff`.
#[derive(Args)]
pub struct DiffArgs {
    /// The folders of the two runs
    #[arg(value_names = ["A", "B"], num_args = 2, required_unless_present = "a", conflicts_with_all = ["a", "b"])]
    pub runs: Vec<PathBuf>,
    /// The folders of side A
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// The folders of side B
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    /// Compare the runs message by message instead: number, order, size, and content if both have --checksum crc32. Exits with status
    /// 1 if a message differs
    #[arg(long, conflicts_with_all = ["a", "b", "fail_if"])]
    pub messages: bool,
    /// Exit with status 1 if this holds, such as 'MPI_Allreduce.max>+10%', 'wall_time>+5ms' or 'empty_percent>50'
    ///
    /// Write [[TABLE:]ROW.]FIGURE, then > or <, then an amount. FIGURE is a column: its JSON key, with or without unit, or its heading.
    /// ROW is a function, a call site or its line. A signed amount is a change: +10% of A, or +5ms above A; an unsigned one is B's own
    /// value. If both sides have several runs, a change within the noise does not count.
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub fail_if: Vec<Threshold>,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}

/// The flags of `scaling`.
#[derive(Args)]
pub struct ScalingArgs {
    /// The runs' folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Each rank has its own work, however many there are [default: the ranks share the work]
    #[arg(long)]
    pub weak: bool,
    /// What of them to look at.
    #[command(flatten)]
    pub select: Select,
    /// How to print it.
    #[command(flatten)]
    pub print: Print,
}
