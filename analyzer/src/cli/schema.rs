//! Which analysis a schema is of.

use clap::{Args, ValueEnum};

/// The argument of `schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// Which analysis
    #[arg(value_name = "COMMAND")]
    pub command: Analysis,
}

/// A command that analyses runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Analysis {
    /// Where the time went.
    Report,
    /// What the progress engine did.
    Progress,
    /// Who waited for whom.
    Waits,
    /// Who did what when.
    Timeline,
    /// The critical path.
    Path,
    /// How much communication was hidden.
    Overlap,
    /// Latency and bandwidth.
    #[value(alias = "model")]
    Network,
    /// Rounds from one rank to others and back.
    Fanout,
    /// The POP metrics.
    Pop,
    /// Who sent how much to whom.
    Matrix,
    /// How unevenly time is spread over the ranks.
    Imbalance,
    /// Whether the ranks agree.
    Check,
    /// Whether a run hangs.
    Hang,
    /// Where the ranks are.
    Top,
    /// Two runs side by side.
    Diff,
    /// Their messages one by one: overhear diff --messages.
    DiffMessages,
    /// Runs of different numbers of ranks.
    Scaling,
}
