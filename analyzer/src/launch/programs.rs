//! The programs of a launch: on the launcher's command line, or in a file that it names.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use traces::regular;

use crate::cli::Launcher;

/// The words of each program: options, itself and its arguments. Where a file names the programs, the command line's are
/// options for all.
pub fn each_programs_words(launcher: Launcher, command: &[OsString]) -> Vec<Vec<OsString>> {
    let on_line = command[1..].split(|word| word == ":").map(<[OsString]>::to_vec);
    on_line.chain(in_file(launcher, command).unwrap_or_default()).collect()
}

/// Where the name of a file of programs stands.
pub fn place_of_file(launcher: Launcher, command: &[OsString]) -> Option<usize> {
    let behind = |options: &[&str]| {
        let option = command.iter().position(|word| options.iter().any(|option| word == option))?;
        (option + 1 < command.len()).then_some(option + 1)
    };
    match launcher {
        Launcher::Openmpi => behind(&["--app", "-app"]),
        Launcher::Mpich => behind(&["-configfile", "--configfile"]),
        // It stands where a program would.
        Launcher::Slurm => {
            command.iter().find(|word| *word == "--multi-prog")?;
            let is_file = |word: &OsString| Path::new(word).is_file();
            command.iter().skip(1).position(is_file).map(|at| at + 1)
        }
        Launcher::Flux | Launcher::Aprun | Launcher::Pals => None,
    }
}

/// Lines that are a program's.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// What is no regular file is left to the launcher: a pipe can be read but once.
fn in_file(launcher: Launcher, command: &[OsString]) -> Option<Vec<Vec<OsString>>> {
    let mut text = String::new();
    let path = &command[place_of_file(launcher, command)?];
    regular::open(Path::new(path)).ok()?.read_to_string(&mut text).ok()?;
    Some(lines(&text).map(|line| line.split_whitespace().map(OsString::from).collect()).collect())
}
