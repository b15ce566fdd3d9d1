//! `overhear env`: arguments that make a launcher preload the recorder.

use super::print::print_text;
use crate::cli;
use crate::launch;
use model::error::{Error, OK};
use tables::terminal;

/// Prints the arguments on one line. Returns the exit status.
pub fn run(arguments: &cli::EnvArgs) -> Result<u8, Error> {
    launch::check_environment()?;
    if launch::is_to_ship(&arguments.settings) {
        return Err(launch::no_folder_yet());
    }
    let library = launch::library()?;
    if let Some(warning) = &library.warning {
        terminal::say(warning);
    }
    let variables = launch::variables(&library.path, &[], &arguments.settings);
    let words = launch::arguments(arguments.launcher, &variables);
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    print_text(&format!("{}\n", words.join(" ")))?;
    Ok(OK)
}
