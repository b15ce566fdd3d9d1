//! Arguments by which each launcher passes variables to its ranks.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::MemfdFlags;

use super::{JoinedPreload, Variables, find, pair, programs};
use crate::cli::Launcher;

/// MPICH and Intel MPI: `-genv NAME VALUE`.
pub fn of_hydra(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-genv"), (*name).into(), value.clone()]).collect()
}

/// ALPS: `-e NAME=VALUE`.
pub fn of_aprun(variables: &Variables) -> Vec<OsString> {
    with("-e", variables)
}

/// PALS: `--env NAME=VALUE`.
pub fn of_pals(variables: &Variables) -> Vec<OsString> {
    with("--env", variables)
}

fn with(option: &str, variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [option.into(), pair(name, value)]).collect()
}

/// Flux: `--env=NAME=VALUE`, after the subcommand, as flux-run(1) says.
pub fn of_flux(variables: &Variables) -> Vec<OsString> {
    let argument = |(name, value): &(&'static str, OsString)| {
        let mut argument = OsString::from("--env=");
        // `$` begins a variable's name, and `$$` is a dollar.
        let value = value.as_bytes().iter().flat_map(|byte| vec![*byte; if *byte == b'$' { 2 } else { 1 }]);
        argument.push(pair(name, &OsString::from_vec(value.collect())));
        argument
    };
    variables.iter().map(argument).collect()
}

/// Adds the arguments after `run`, or `mini run` in older versions.
pub fn flux_command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    let mut whole = command.to_vec();
    let behind = command.iter().position(|word| word == "run").map_or(1, |at| at + 1);
    whole.splice(behind..behind, of_flux(variables));
    whole
}

/// Slurm: `--export=ALL,NAME=VALUE`, one list, separated by commas.
pub fn of_srun(variables: &Variables) -> Vec<OsString> {
    vec![export(OsStr::new("ALL"), variables)]
}

/// Adds the variables to the user's own list, on the command line or in SLURM_EXPORT_ENV.
pub fn srun_command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    let mut whole = command.to_vec();
    let is_list = |word: &OsString| word.as_encoded_bytes().starts_with(b"--export=");
    let own = match command.iter().position(is_list) {
        Some(at) => whole.remove(at).into_string().ok().and_then(|word| Some(word.split_once('=')?.1.into())),
        None => match command.iter().position(|word| word == "--export") {
            Some(at) if at + 1 < command.len() => whole.drain(at..at + 2).nth(1),
            _ => env::var_os("SLURM_EXPORT_ENV"),
        },
    };
    let own = own.unwrap_or("ALL".into());
    whole.insert(1, export(&own, variables));
    whole
}

fn export(own: &OsStr, variables: &Variables) -> OsString {
    let mut list = OsString::from("--export=");
    // NONE and NIL stand alone; a list without ALL passes on only its own variables.
    if own != "NONE" && own != "NIL" {
        list.push(own);
        list.push(",");
    }
    // A value with a comma cannot be in the list: srun has it in its own environment, and the list names it.
    let word = |(name, value): &(&'static str, OsString)| match value.as_encoded_bytes().contains(&b',') {
        true => OsString::from(name),
        false => pair(name, value),
    };
    list.push(variables.iter().map(word).collect::<Vec<_>>().join(OsStr::new(",")));
    list
}

/// Open MPI: `-x NAME=VALUE`.
pub fn of_openmpi(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-x"), pair(name, value)]).collect()
}

/// Adds the arguments to each program on the command line; or to the file of programs, which replaces them all.
pub fn openmpi_command(command: &[OsString], variables: &Variables, join: &JoinedPreload<'_>) -> Vec<OsString> {
    // If the file cannot be read, mpirun will say so.
    let by_file = place_of_file(command).and_then(|place| with_file(command, place, variables, join).ok());
    by_file.unwrap_or_else(|| {
        let mut whole = vec![command[0].clone()];
        for (at, words) in command[1..].split(|word| word == ":").enumerate() {
            if at > 0 {
                whole.push(":".into());
            }
            whole.extend(of_openmpi(&missing(words, variables)));
            whole.extend_from_slice(words);
        }
        whole
    })
}

/// The variables without the list of libraries to preload if the words set it.
fn missing(words: &[OsString], variables: &Variables) -> Variables {
    let mut missing = variables.clone();
    let sets = programs::sets(Launcher::Openmpi, words, "LD_PRELOAD");
    missing.retain(|(name, _)| *name != "LD_PRELOAD" || !sets);
    missing
}

/// True if some processes get part of their environment from the launcher's own.
pub fn openmpi_hands_on_own_environment(command: &[OsString]) -> bool {
    is_prrte(&command[0]) || place_of_file(command).is_some()
}

fn place_of_file(command: &[OsString]) -> Option<usize> {
    programs::place_of_file(Launcher::Openmpi, command)
}

/// The command with a modified file of programs. Each line in it is a command line of its own, to which mpirun's `-x`
/// does not apply; words have no quotes, so values come from mpirun's environment. Preloaded libraries may not suit
/// mpirun itself.
fn with_file(
    command: &[OsString],
    place: usize,
    variables: &Variables,
    join: &JoinedPreload<'_>,
) -> io::Result<Vec<OsString>> {
    let hand_on = |(name, value): &(&'static str, OsString)| match value.to_str() {
        Some(value) if *name == "LD_PRELOAD" && !value.contains(char::is_whitespace) => format!("-x {name}={value} "),
        _ => format!("-x {name} "),
    };
    let text = fs::read_to_string(&command[place])?;
    let mut file = inherited()?;
    for line in programs::lines(&text) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let handed_on: String = missing(&words, variables).iter().map(hand_on).collect();
        let words = programs::with_changed(Launcher::Openmpi, &words, "LD_PRELOAD", join);
        file.write_all(handed_on.as_bytes())?;
        file.write_all(words.join(OsStr::new(" ")).as_bytes())?;
        file.write_all(b"\n")?;
    }
    let mut whole = command.to_vec();
    whole[place] = format!("/proc/self/fd/{}", file.into_raw_fd()).into();
    Ok(whole)
}

/// A file without a name, which the launcher inherits. C libraries before 2.27 lack memfd_create, so this calls the
/// kernel itself.
fn inherited() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("programs", MemfdFlags::empty())?.into())
}

/// PRRTE launches for Open MPI 5 and later: processes that its ranks spawn get the launcher's environment, and ignore
/// `-x`.
fn is_prrte(program: &OsStr) -> bool {
    let beside = |path: std::path::PathBuf| path.with_file_name("prterun").exists();
    find(program).and_then(|path| path.canonicalize().ok()).is_some_and(beside)
}
