//! `overhear completions` and `overhear man`, generated from the definition of the command line.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap_complete::{Shell, generate};

use super::print::print_text;
use crate::cli;
use model::error::{Error, OK};
use model::output;

const NAME: &str = "overhear";

/// Prints shell completions. Returns the exit status.
pub fn shell(shell: Shell) -> Result<u8, Error> {
    let mut text = Vec::new();
    generate(shell, &mut cli::command(), NAME, &mut text);
    print_text(&String::from_utf8_lossy(&text))?;
    Ok(OK)
}

/// Writes a manual page for each command into a folder, over existing pages. Returns the exit status.
pub fn man(folder: &Path) -> Result<u8, Error> {
    fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.into(), source })?;
    let mut command = cli::command().name(NAME).disable_help_subcommand(true);
    command.build();
    page(&command, NAME, folder)?;
    for one in command.get_subcommands() {
        let name = format!("{NAME}-{}", one.get_name());
        page(&one.clone().display_name(&name), &name, folder)?;
    }
    Ok(OK)
}

fn page(command: &clap::Command, name: &str, folder: &Path) -> Result<(), Error> {
    let path = folder.join(format!("{name}.1"));
    let failed = |source| Error::Write { path: path.clone(), source };
    let mut out = output::create(&path).map_err(failed)?;
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text).map_err(failed)?;
    out.write_all(&text).and_then(|()| out.finish()).map_err(failed)
}
