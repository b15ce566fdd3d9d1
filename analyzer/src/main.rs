//! The `overhear` command.

use std::process::ExitCode;

use analyzer::cli::{Cli, command};
use clap::FromArgMatches;

fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    ExitCode::from(analyzer::commands::run(cli))
}
