//! `overhear record`: runs a program and records its MPI calls.
//!
//! Started by a launcher, this process sets the environment and becomes the program. In front of a launcher or of any
//! other program it creates the run's folder, passes the environment on in the launcher's own way, waits, and says all
//! that is to be said of the run: the recorded processes themselves are silent then.

mod launched;
mod outcome;
mod program;
mod run_folder;
mod witness;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use traces::error::in_words;
use traces::mpi_settings::OF_HYDRA;
use traces::{folder, run_notes, settings};

use super::interrupted;
use crate::cli::{self, Launcher};
use crate::launch;
use crate::launch::{PreloadLibrary, Variables, library, programs, split_launch};
use model::error::{Error, USAGE};
use model::launch_log::LaunchLog;
use outcome::LaunchedCommand;
use run_folder::RunFolder;
use tables::terminal;

/// Recording could not start.
const CANNOT_BEGIN: u8 = 125;
/// Exit status, after env(1): the program was found, but cannot be run.
const CANNOT_RUN: u8 = 126;
/// Exit status, after env(1): there is no such program.
const NOT_FOUND: u8 = 127;

/// Runs the program. Returns its exit status, unless the program replaces this process.
pub fn run(arguments: cli::RecordArgs) -> u8 {
    try_run(arguments).unwrap_or_else(|error| {
        if program::is_first_rank() {
            terminal::say(&error.to_string());
        }
        if matches!(error, Error::Setting(_)) { USAGE } else { CANNOT_BEGIN }
    })
}

fn try_run(mut arguments: cli::RecordArgs) -> Result<u8, Error> {
    launch::adopt_environment(&mut arguments.command);
    launch::check_environment()?;
    let library = launch::library()?;
    let launcher = launch::recognize(&arguments.command[0]);
    // If a launcher started this process, its host is the rank's own.
    if launcher.is_none() && program::has_launcher() {
        return Ok(behind(&library_behind(library, &arguments.settings)?, arguments));
    }
    in_front(launcher, &library, arguments)
}

/// The library that a rank preloads: if there were two, it would record with the first alone.
fn library_behind(library: PreloadLibrary, settings: &cli::Settings) -> Result<PathBuf, Error> {
    if !launch::is_to_ship(settings) {
        return Ok(library.path);
    }
    folder_in_front().and_then(|folder| launch::shipped(Path::new(&folder))).ok_or_else(launch::no_folder_yet)
}

/// Becomes the program. Returns only if that fails.
fn behind(library: &Path, mut arguments: cli::RecordArgs) -> u8 {
    if let Some(own) = folder_in_front().and_then(|_| arguments.settings.take(settings::DIR))
        && program::is_first_rank()
    {
        tell_behind(&format!(
            "--dir {} is ignored: overhear record in front of the launcher already made a folder for all ranks",
            own.to_string_lossy()
        ));
    }
    let [program, rest @ ..] = arguments.command.as_slice() else { return NOT_FOUND };
    if let Some(warning) = program::cannot_be_preloaded(program).filter(|_| program::is_first_rank()) {
        tell_behind(&warning);
    }
    let needs = needs_first(&arguments.command);
    let mut command = Command::new(program);
    let mut variables = launch::variables(library, &needs, &arguments.settings);
    variables.retain(|(name, _)| *name != "LD_PRELOAD" || !program::is_linked_with_recorder(program));
    command.args(rest).envs(variables);
    command.env(settings::PID, std::process::id().to_string());
    if arguments.trial {
        // Rank 0 names the folder at its end, unless a command in front will.
        command.env(settings::RUN, format!("{:032x}", rand::random::<u128>()));
    }
    let error = command.exec();
    cannot_run(program, &error)
}

/// Prints a message, or leaves it in the run's folder where a rank must not write to stderr.
fn tell_behind(message: &str) {
    let own = || {
        env::var_os(OF_HYDRA)?;
        let wanted = env::var_os(settings::DIR).map_or_else(|| default_name(None, &[]), PathBuf::from);
        folder::claim(&std::path::absolute(wanted).ok()?, &rand::random()).ok()
    };
    let folder = folder_in_front().map(PathBuf::from).or_else(own);
    if folder.is_none_or(|folder| run_notes::leave_message(&folder, message).is_err()) {
        terminal::say(message);
    }
}

/// Folder of the recording in front of the launcher, if this process is one of its ranks.
fn folder_in_front() -> Option<OsString> {
    env::var_os(settings::RUN).filter(|run| !run.is_empty()).and_then(|_| env::var_os(settings::DIR))
}

/// Runs a launcher or, without one, another program, whose processes get its environment.
fn in_front(launcher: Option<Launcher>, library: &PreloadLibrary, mut arguments: cli::RecordArgs) -> Result<u8, Error> {
    let command = arguments.command.clone();
    let programs = match launcher {
        Some(launcher) => programs::each_programs_words(launcher, &command),
        None => vec![command.clone()],
    };
    let mode = launcher.map(|launcher| launch::check_given(launcher, &programs, settings::MODE)).transpose()?.flatten();
    let needs = needs_of_all(&programs)?;
    let named = arguments.settings.in_force(settings::DIR).map(PathBuf::from);
    let mode = mode.or_else(|| arguments.settings.in_force(settings::MODE));
    let is_recording = mode.is_none_or(|mode| mode != "null");
    let wanted = named.unwrap_or_else(|| default_name(launcher, &programs));
    let run: u128 = rand::random();
    for program in names(launcher, &programs) {
        warn_of(program);
    }
    let folder = std::path::absolute(&wanted).and_then(|wanted| folder::claim(&wanted, &run.to_be_bytes()));
    let folder = match folder {
        Ok(folder) => folder,
        Err(error) => {
            let why = format!("{}: {}", wanted.display(), in_words(&error));
            return Ok(unrecorded(&why, &arguments.command));
        }
    };
    arguments.settings.set(settings::DIR, folder.clone().into());
    let folder = RunFolder::at(&folder, run.to_be_bytes());
    let shipped = launch::is_to_ship(&arguments.settings).then(|| launch::ship(library, folder.path())).transpose();
    let shipped = shipped.inspect_err(|_| folder::give_back(folder.path()))?;
    let library = shipped.as_ref().unwrap_or(library);
    if let Some(warning) = &library.warning {
        terminal::say(warning);
    }
    let mut variables: Variables = launch::variables(&library.path, &needs, &arguments.settings);
    variables.push((settings::RUN, format!("{run:032x}").into()));
    let (whole, variables) = match launcher {
        Some(launcher) => launcher_with(launcher, &command, library, &needs, variables),
        None => (command.clone(), alone_with(&command[0], variables)),
    };
    let mut process = Command::new(&whole[0]);
    process.args(&whole[1..]).envs(variables).env_remove(settings::PID);
    if is_recording && !arguments.trial && launch::find(&whole[0]).is_some() {
        terminal::say(&format!("recording into {}", folder.path().display()));
    }
    let before = split_launch::numbered(folder.path());
    let name = Path::new(&whole[0]).file_name().unwrap_or_default().to_string_lossy();
    let mut log = LaunchLog::begin(folder.path(), &run.to_be_bytes(), &name);
    match launched::run(process, launcher.is_some() && program::is_script(&whole[0]), &mut log) {
        Ok(status) => {
            // The signals are this process's own again, and the names of call sites are about to be written.
            interrupted::remove_half_made_outputs();
            if arguments.trial {
                outcome::tell_messages(folder.path());
                folder::give_back(folder.path());
            } else {
                let command = LaunchedCommand { launcher, words: &command, status };
                outcome::tell(&folder, &command, is_recording, &before);
            }
            Ok(end_as(status))
        }
        Err(error) => {
            folder::give_back(folder.path());
            Ok(cannot_run(&whole[0], &error))
        }
    }
}

/// The launcher's command with variables for its ranks, and those for its own environment.
fn launcher_with(
    launcher: Launcher,
    command: &[OsString],
    library: &PreloadLibrary,
    needs: &[OsString],
    mut variables: Variables,
) -> (Vec<OsString>, Variables) {
    let join = |given: Option<&OsStr>| match given {
        Some(given) => library::preload_list_with(given, &library.path, needs),
        None => library::preload_list(&library.path, needs),
    };
    let whole = launch::command(launcher, command, &variables, &join);
    // Variables that cannot stand on the launcher's command line reach ranks through its environment. LD_PRELOAD stays
    // out of it if it can: the launcher is not an MPI program, and the libraries a program needs first are not for it.
    variables.retain(|(name, _)| *name != "LD_PRELOAD");
    if launch::hands_on_own_environment(launcher, command) {
        variables.push(("LD_PRELOAD", library::preload_list(&library.path, &[])));
    }
    (whole, variables)
}

/// The variables for a program that is no launcher.
fn alone_with(program: &OsStr, mut variables: Variables) -> Variables {
    variables.retain(|(name, _)| *name != "LD_PRELOAD" || !program::is_linked_with_recorder(program));
    variables
}

/// Runs the command alone: without a folder there is no recording, and the program's results matter more.
fn unrecorded(why: &str, words: &[OsString]) -> u8 {
    terminal::say(&format!("{why}. Name a folder that can be written with --dir. The program runs unrecorded."));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    let is_script = launch::recognize(&words[0]).is_some() && program::is_script(&words[0]);
    match launched::run(command, is_script, &mut LaunchLog::none()) {
        Ok(status) => end_as(status),
        Err(error) => cannot_run(&words[0], &error),
    }
}

/// Libraries that must be loaded before the recorder, for all programs: the launcher takes one environment for them.
fn needs_of_all(programs: &[Vec<OsString>]) -> Result<Vec<OsString>, Error> {
    // Words that cannot be run here are options, or programs that are elsewhere.
    let programs = programs.iter().filter(|words| words.iter().any(|word| launch::is_executable(word)));
    let mut needs: Vec<Vec<OsString>> = programs.map(|words| needs_first(words)).collect();
    needs.dedup();
    if needs.len() > 1 {
        return Err(Error::Other(
            "some programs of the launch are built with AddressSanitizer, others are not. Record each behind the \
             launcher: mpirun -n 1 overhear record -- ./a : -n 1 overhear record -- ./b"
                .into(),
        ));
    }
    Ok(needs.pop().unwrap_or_default())
}

/// Libraries that a command's programs need first; it may begin with other programs that start the actual one.
fn needs_first(words: &[OsString]) -> Vec<OsString> {
    let mut needs: Vec<OsString> = words.iter().flat_map(|word| program::needs_first(word)).collect();
    needs.dedup();
    needs
}

/// Programs among the words behind a launcher, or the first word of a command without one.
fn names(launcher: Option<Launcher>, programs: &[Vec<OsString>]) -> impl Iterator<Item = &OsString> {
    programs.iter().filter_map(move |words| match launcher {
        Some(launcher) => words.get(programs::place_of_program(launcher, words)),
        None => words.first(),
    })
}

fn warn_of(program: &OsStr) {
    if let Some(warning) = program::cannot_be_preloaded(program) {
        terminal::say(&warning);
    }
}

/// A name made of the first program and the time.
fn default_name(launcher: Option<Launcher>, programs: &[Vec<OsString>]) -> PathBuf {
    let program = names(launcher, programs).next().and_then(|word| Path::new(word).file_name());
    let program = program.map_or("run".into(), |name| name.to_string_lossy().into_owned());
    PathBuf::from(folder::default_name(&program))
}

fn cannot_run(program: &OsStr, error: &io::Error) -> u8 {
    let name = program.to_string_lossy();
    terminal::say(&format!("{name}: {}{}", in_words(error), program::what_to_try(program, error)));
    if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN }
}

/// Returns the launcher's exit status; if a signal killed it, dies by the same one.
fn end_as(status: ExitStatus) -> u8 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, Some(signal)) => {
            launched::die_of(signal);
            128 + signal as u8
        }
        (None, None) => CANNOT_BEGIN,
    }
}
