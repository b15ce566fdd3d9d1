//! Open MPI's mpirun: `-x NAME=VALUE`.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{FromRawFd, IntoRawFd};

use super::{Variables, find, pair};

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-x"), pair(name, value)]).collect()
}

/// Where the name of a file of programs stands, `--app FILE`.
pub fn place_of_file(command: &[OsString]) -> Option<usize> {
    let option = command.iter().position(|word| word == "--app" || word == "-app")?;
    (option + 1 < command.len()).then_some(option + 1)
}

/// The command with another file of programs in place of the user's. Each line is a command line of its own, for which `-x` on
/// mpirun's does not count; its words have no quotes, so that values come from mpirun's environment.
pub fn with_file(command: &[OsString], place: usize, variables: &Variables) -> std::io::Result<Vec<OsString>> {
    let handed_on: String = variables.iter().map(|(name, _)| format!("-x {name} ")).collect();
    let is_program = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let text = fs::read_to_string(&command[place])?;
    // SAFETY: makes a file without a name, which is ours alone; the launcher inherits it.
    let mut file = unsafe {
        match libc::memfd_create(c"programs".as_ptr(), 0) {
            -1 => return Err(std::io::Error::last_os_error()),
            number => File::from_raw_fd(number),
        }
    };
    for line in text.lines().filter(is_program) {
        writeln!(file, "{handed_on}{line}")?;
    }
    let mut whole = command.to_vec();
    whole[place] = format!("/proc/self/fd/{}", file.into_raw_fd()).into();
    Ok(whole)
}

/// Whether the launcher is PRRTE, as from Open MPI 5 on: what its ranks spawn has the launcher's own environment, and nothing
/// of what `-x` says.
pub fn is_prrte(program: &OsStr) -> bool {
    let beside = |path: std::path::PathBuf| path.with_file_name("prterun").exists();
    find(program).and_then(|path| path.canonicalize().ok()).is_some_and(beside)
}
