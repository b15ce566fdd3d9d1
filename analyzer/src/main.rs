//! The `overhear` command.

use std::process::ExitCode;

use analyzer::cli::{Cli, command, kind_behind_runs};
use clap::FromArgMatches;

fn main() -> ExitCode {
    let words = kind_behind_runs(std::env::args_os().collect());
    let cli = Cli::from_arg_matches(&command().get_matches_from(words)).unwrap_or_else(|error| error.exit());
    ExitCode::from(analyzer::commands::run(cli))
}
