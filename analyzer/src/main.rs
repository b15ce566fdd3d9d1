//! The `overhear` command.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ExitCode::from(analyzer::commands::run(analyzer::cli::Cli::parse()))
}
