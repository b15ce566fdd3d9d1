//! Open MPI's mpirun: `-x NAME=VALUE`.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::IntoRawFd;

use rustix::fs::MemfdFlags;

use super::{Variables, find, in_front, pair, programs};
use crate::cli::Launcher;

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-x"), pair(name, value)]).collect()
}

/// Adds to the command line, for each program; or to the file of programs, which stands for all of that.
pub fn command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    // Where the file cannot be read, mpirun will say so.
    let by_file = place_of_file(command).and_then(|place| with_file(command, place, variables).ok());
    by_file.unwrap_or_else(|| in_front(command, &arguments(variables), |word| word == ":"))
}

/// Whether processes have part of their environment from the launcher's own.
pub fn hands_on_own_environment(command: &[OsString]) -> bool {
    is_prrte(&command[0]) || place_of_file(command).is_some()
}

fn place_of_file(command: &[OsString]) -> Option<usize> {
    programs::place_of_file(Launcher::Openmpi, command)
}

/// The command with another file of programs in place of the user's. Each line is a command line of its own, for which `-x` on
/// mpirun's does not count; its words have no quotes, so that values come from mpirun's environment. What is preloaded may be nothing for mpirun itself.
fn with_file(command: &[OsString], place: usize, variables: &Variables) -> io::Result<Vec<OsString>> {
    let hand_on = |(name, value): &(&'static str, OsString)| match value.to_str() {
        Some(value) if *name == "LD_PRELOAD" && !value.contains(char::is_whitespace) => format!("-x {name}={value} "),
        _ => format!("-x {name} "),
    };
    let handed_on: String = variables.iter().map(hand_on).collect();
    let text = fs::read_to_string(&command[place])?;
    let mut file = inherited()?;
    for line in programs::lines(&text) {
        writeln!(file, "{handed_on}{line}")?;
    }
    let mut whole = command.to_vec();
    whole[place] = format!("/proc/self/fd/{}", file.into_raw_fd()).into();
    Ok(whole)
}

/// A file without a name, which the launcher inherits. C libraries before 2.27 have no function for that; the system is asked itself.
fn inherited() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("programs", MemfdFlags::empty())?.into())
}

/// Whether the launcher is PRRTE, as from Open MPI 5 on: what its ranks spawn has the launcher's own environment, and nothing
/// of what `-x` says.
fn is_prrte(program: &OsStr) -> bool {
    let beside = |path: std::path::PathBuf| path.with_file_name("prterun").exists();
    find(program).and_then(|path| path.canonicalize().ok()).is_some_and(beside)
}
