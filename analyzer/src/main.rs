//! The `overhear` command.

use std::process::ExitCode;

use analyzer::cli::{Cli, command, kind_behind_runs};
use analyzer::commands::without_launcher;
use clap::FromArgMatches;
use model::error::USAGE;
use tables::terminal;

fn main() -> ExitCode {
    let words = kind_behind_runs(std::env::args_os().collect());
    if let Some(said) = without_launcher(&words) {
        terminal::say(&said);
        return ExitCode::from(USAGE);
    }
    let cli = Cli::from_arg_matches(&command().get_matches_from(words)).unwrap_or_else(|error| error.exit());
    ExitCode::from(analyzer::commands::run(cli))
}
