//! `overhear record`: runs a program and has what it does in MPI recorded.
//!
//! Behind a launcher this process sets the environment and becomes the program. In front of a launcher it makes the
//! run's folder, hands the environment on in the launcher's own way, waits, and says what came of it.

mod program;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use traces::folder;

use crate::cli::{self, Launcher};
use crate::error::Error;
use crate::launch::{self, Variables};
use crate::model::{rank, run as runs, sites::Sites};

/// Recording could not begin.
const CANNOT_BEGIN: u8 = 125;
/// As in env(1): the program was found, but cannot be run.
const CANNOT_RUN: u8 = 126;
/// As in env(1): there is no such program.
const NOT_FOUND: u8 = 127;

/// Runs the program. Returns its exit status, where it does not take this process's place.
pub fn run(arguments: cli::Record) -> u8 {
    let library = match launch::library() {
        Ok(library) => library,
        Err(error) => return say(CANNOT_BEGIN, &error.to_string()),
    };
    let result = match launch::recognise(&arguments.command[0]) {
        Some(launcher) => in_front(launcher, &library, arguments),
        None => return behind(&library, &arguments),
    };
    result.unwrap_or_else(|error| say(CANNOT_BEGIN, &error.to_string()))
}

/// Becomes the program. Only comes back when that fails.
fn behind(library: &Path, arguments: &cli::Record) -> u8 {
    let [program, rest @ ..] = arguments.command.as_slice() else { return NOT_FOUND };
    if program::is_first_rank() {
        warn_of(program);
    }
    let mut command = Command::new(program);
    let mut variables = launch::variables(library, &arguments.settings);
    variables.retain(|(name, _)| *name != "LD_PRELOAD" || !program::is_linked_with_recorder(program));
    command.args(rest).envs(variables);
    command.env("OVERHEAR_PID", std::process::id().to_string());
    let error = command.exec();
    say(status_of(&error), &format!("{}: {error}", program.to_string_lossy()))
}

/// Runs the launcher.
fn in_front(launcher: Launcher, library: &Path, mut arguments: cli::Record) -> Result<u8, Error> {
    let named = arguments.settings.dir.take().or_else(|| std::env::var_os("OVERHEAR_DIR").map(PathBuf::from));
    let records = arguments.settings.mode.map(|mode| mode != cli::Mode::Null);
    let records = records.unwrap_or_else(|| std::env::var_os("OVERHEAR_MODE").is_none_or(|mode| mode != "null"));
    let wanted = named.unwrap_or_else(|| default_name(&arguments.command));
    let cannot = |source| Error::Write { path: wanted.clone(), source };
    let folder = std::path::absolute(&wanted).and_then(|wanted| folder::fresh(&wanted)).map_err(cannot)?;
    arguments.settings.dir = Some(folder.clone());
    programs(&arguments.command).for_each(|program| warn_of(program));
    let mut variables: Variables = launch::variables(library, &arguments.settings);
    variables.push(("OVERHEAR_RUN", format!("{:032x}", rand::random::<u128>()).into()));
    let whole = launch::command(launcher, &arguments.command, &variables);
    let mut command = Command::new(&whole[0]);
    // What cannot stand on the launcher's command line reaches its ranks through its environment. The library is not to,
    // where it need not: a launcher is not an MPI program.
    if !launch::hands_on_own_environment(launcher, &arguments.command) {
        variables.retain(|(name, _)| *name != "LD_PRELOAD");
    }
    command.args(&whole[1..]).envs(variables);
    command.env_remove("OVERHEAR_PID");
    // Ctrl-C goes to the launcher, which is in the same group and ends its ranks; what they did is in their files.
    // SAFETY: sets a disposition that the launcher does not inherit, since it is set back below.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    // SAFETY: only async-signal-safe calls between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        })
    };
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => {
            let _ = fs::remove_dir(&folder);
            return Ok(say(status_of(&error), &format!("{}: {error}", whole[0].to_string_lossy())));
        }
    };
    match runs::files(&folder) {
        Ok(files) => afterwards(&folder, &files),
        Err(_) => nothing_recorded(&folder, records),
    }
    Ok(exit_status(status))
}

/// Says so where nothing was recorded though it should have been.
fn nothing_recorded(folder: &Path, records: bool) {
    let _ = fs::remove_dir(folder);
    if records {
        eprintln!(
            "overhear: nothing was recorded: no rank initialised MPI with the recorder preloaded. A program that is \
             linked statically needs liboverhear.a inside; overhear doctor tells more."
        );
    }
}

/// Says what came of the run, and resolves its call sites while the program is at hand.
fn afterwards(folder: &Path, files: &[PathBuf]) {
    let starting = files.iter().filter(|file| folder::is_starting(&file_name(file))).count();
    if starting > 0 {
        eprintln!("overhear: {starting} processes never came out of MPI_Init; overhear report says since when");
    }
    let ranks: Vec<_> = files.iter().filter_map(|file| rank::Rank::open(file).ok()).collect();
    Sites::load(folder, &ranks, true);
}

/// The programs that a launcher is given: the first argument behind it that can be run, and behind each colon.
fn programs(command: &[OsString]) -> impl Iterator<Item = &OsString> {
    let launches = command[1..].split(|word| word == ":");
    launches.filter_map(|words| words.iter().find(|word| program::is_executable(word)))
}

fn warn_of(program: &OsStr) {
    if let Some(warning) = program::cannot_be_preloaded(program) {
        eprintln!("overhear: {warning}");
    }
}

/// A name made of the first program and the time.
fn default_name(command: &[OsString]) -> PathBuf {
    let program = programs(command).next().map(|word| file_name(Path::new(word)));
    PathBuf::from(folder::default_name(&program.unwrap_or("run".into())))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn status_of(error: &std::io::Error) -> u8 {
    if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_RUN }
}

fn exit_status(status: ExitStatus) -> u8 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, Some(signal)) => 128 + signal as u8,
        (None, None) => CANNOT_BEGIN,
    }
}

fn say(status: u8, text: &str) -> u8 {
    eprintln!("overhear: {text}");
    status
}
