//! Carries out the commands that a user types.

pub mod all_analyses;
mod completions;
mod diff;
mod doctor;
mod env;
mod explain;
mod export;
mod first_screen;
mod hang;
mod interrupted;
mod on_engine;
mod one_run;
mod open_run;
mod page;
mod plot;
mod print;
mod query;
mod record;
mod scaling;
mod schema;
mod timeline;
mod top;
mod unknown_words;
mod what_if;

use crate::analysis_notice;
use crate::cli::{Cli, Command};
use metrics::reports::RunAnalysis;
use model::error::Error;
use tables::terminal;
pub use unknown_words::without_launcher;

/// Runs the command. Returns the exit status.
pub fn run(cli: Cli) -> u8 {
    // These two have ways of their own with signals.
    if !matches!(cli.command, Some(Command::Record(_) | Command::Top(_))) {
        interrupted::remove_half_made_outputs();
    }
    let Some(command) = cli.command else { return ended(first_screen::newest()) };
    let result = match command {
        Command::Record(arguments) => return record::run(arguments),
        Command::Report(arguments) => one_run::report(&arguments),
        Command::Progress(arguments) => one_run::progress(&arguments),
        Command::Waits(arguments) => one_run::waits(&arguments),
        Command::Why(arguments) => one_run::printed(&arguments.of, &RunAnalysis::Why(arguments.names.by)),
        Command::Path(arguments) => one_run::printed(&arguments.of, &RunAnalysis::Path(arguments.names.by)),
        Command::Paths(arguments) => one_run::paths(&arguments),
        Command::Overlap(arguments) => one_run::overlap(&arguments),
        Command::Network(arguments) => one_run::network(&arguments),
        Command::Fanout(arguments) => one_run::fanout(&arguments),
        Command::Pop(arguments) => one_run::printed(&arguments, &RunAnalysis::Pop),
        Command::Sleeps(arguments) => one_run::printed(&arguments.of, &RunAnalysis::Sleeps(arguments.names.by)),
        Command::Files(arguments) => one_run::printed(&arguments.of, &RunAnalysis::Files(arguments.names.by)),
        Command::Teams(arguments) => one_run::printed(&arguments.of, &RunAnalysis::Teams(arguments.names.by)),
        Command::Settings(arguments) => one_run::printed(&arguments, &RunAnalysis::Settings),
        Command::Matrix(arguments) => one_run::matrix(&arguments),
        Command::Imbalance(arguments) => one_run::imbalance(&arguments),
        Command::Check(arguments) => one_run::check(&arguments),
        Command::Diagnose(arguments) => first_screen::run(&arguments),
        Command::Hang(arguments) => hang::run(&arguments),
        Command::Whatif(arguments) => what_if::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Timeline(arguments) => timeline::run(&arguments),
        Command::Top(arguments) => top::run(&arguments),
        Command::Scaling(arguments) => scaling::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Env(arguments) => env::run(&arguments),
        Command::Completions(arguments) => completions::shell(arguments.shell),
        Command::Man(arguments) => completions::man(&arguments.folder),
        Command::Folder(words) => first_screen::of_words(&words),
    };
    ended(result)
}

/// Prints an error. Returns the exit status.
fn ended(result: Result<u8, Error>) -> u8 {
    analysis_notice::end();
    result.unwrap_or_else(|error| {
        terminal::say(&error.to_string());
        for line in error.details() {
            terminal::say_more(line);
        }
        error.status()
    })
}
