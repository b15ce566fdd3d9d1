//! The argument of `explain`.

use clap::Args;

/// See the module.
#[derive(Args)]
pub struct ExplainArgs {
    /// A wait state, a metric, or a column by its JSON key or heading [default: list the wait states and metrics]
    pub name: Option<String>,
}
