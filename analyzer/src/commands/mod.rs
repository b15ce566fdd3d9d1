//! What a user types: one file each.

mod check;
mod completions;
mod diff;
mod doctor;
mod env;
pub mod everything;
mod explain;
mod export;
mod fanout;
mod first;
mod free;
mod hang;
mod imbalance;
mod matrix;
mod model;
mod open;
mod overlap;
mod page;
mod path;
mod plot;
mod pop;
mod print;
mod progress;
mod query;
mod record;
mod report;
mod scaling;
mod schema;
mod several;
mod timeline;
mod top;
mod waits;

use crate::cli::{Cli, Command};
use tables::terminal;

/// Runs the command. Returns the exit status.
pub fn run(cli: Cli) -> u8 {
    let result = match cli.command {
        Command::Record(arguments) => return record::run(arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Progress(arguments) => progress::run(&arguments),
        Command::Waits(arguments) => waits::run(&arguments),
        Command::Path(arguments) => path::run(&arguments),
        Command::Overlap(arguments) => overlap::run(&arguments),
        Command::Model(arguments) => model::run(&arguments),
        Command::Fanout(arguments) => fanout::run(&arguments),
        Command::Pop(arguments) => pop::run(&arguments),
        Command::Matrix(arguments) => matrix::run(&arguments),
        Command::Imbalance(arguments) => imbalance::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Hang(arguments) => hang::run(&arguments),
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
        Command::Folder(words) => first::run(&words),
    };
    result.unwrap_or_else(|error| {
        terminal::say(&error.to_string());
        error.details().iter().for_each(|line| terminal::say_more(line));
        error.status()
    })
}
