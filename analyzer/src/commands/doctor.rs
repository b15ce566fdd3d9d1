//! `overhear doctor`: checks that recording works here.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use traces::error::in_words;
use traces::file::Abi;
use traces::folder::as_typed;

use super::print::print_text;
use crate::cli;
use crate::launch::{self, split_launch};
use metrics::words::plural;
use metrics::{engine, hosts, starting};
use model::error::{Error, OK, PARTIAL};
use model::unfinished::Unfinished;
use model::{Rank, Run, clock};
use tables::terminal;
use tables::visible::visible;
use tables::wrapping::wrap_to;

/// Prints the results. Returns the exit status: 4 if something will not work.
pub fn run(arguments: &cli::DoctorArgs) -> Result<u8, Error> {
    let library = launch::library()?;
    line("overhear", &format!("{}, {}", env!("CARGO_PKG_VERSION"), library.path.display()))?;
    if let Some(warning) = &library.warning {
        line("library", warning)?;
    }
    let writable = folder()?;
    if arguments.command.is_empty() {
        launchers()?;
        line("next", "overhear doctor mpirun -n 2 ./app  says whether the recorder takes effect in its ranks")?;
        return Ok(if writable { OK } else { PARTIAL });
    }
    let private = private_folder()?;
    let own = private.clone();
    let _removed = Unfinished::begin(move || {
        let _ = fs::remove_dir_all(own);
    });
    let is_well = try_out(&arguments.command, &private.join("run"))?;
    Ok(if is_well && writable { OK } else { PARTIAL })
}

/// A new folder that only this user can enter, with a name that cannot be guessed.
fn private_folder() -> Result<PathBuf, Error> {
    let path = std::env::temp_dir().join(format!("overhear-doctor-{:032x}", rand::random::<u128>()));
    let made = DirBuilder::new().mode(0o700).create(&path);
    made.map(|()| path.clone()).map_err(|source| Error::Write { path, source })
}

fn line(what: &str, found: &str) -> Result<(), Error> {
    let text = format!("{what:10} {}", visible(found));
    match terminal::width() {
        0 => print_text(&format!("{text}\n")),
        width => print_text(&format!("{}\n", wrap_to(&text, 11, width))),
    }
}

fn folder() -> Result<bool, Error> {
    let here = std::env::current_dir().unwrap_or_default();
    let probe = here.join(format!(".overhear-doctor-{}", std::process::id()));
    let result = fs::File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
    match &result {
        Ok(()) => line("folder", &format!("runs can be written to {}", here.display()))?,
        Err(error) => {
            let why = in_words(error);
            line("folder", &format!("{}: {why}. Set OVERHEAR_DIR to another", here.display()))?;
        }
    }
    Ok(result.is_ok())
}

/// Prints the launchers in PATH.
fn launchers() -> Result<(), Error> {
    for name in ["mpirun", "mpiexec", "srun", "flux", "aprun"] {
        let said = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        let Ok(said) = said else { continue };
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("prints no version");
        let way = match launch::recognize(name.as_ref()) {
            Some(_) => "",
            None => " (unknown launcher: put overhear behind it, mpirun ... overhear record -- ./app)",
        };
        line(name, &format!("{first}{way}"))?;
    }
    Ok(())
}

/// Records a program, and reports if that worked.
fn try_out(command: &[OsString], folder: &Path) -> Result<bool, Error> {
    if launch::find(&command[0]).is_none() {
        line("program", &format!("there is no {}", command[0].to_string_lossy()))?;
        return Ok(false);
    }
    let own = std::env::current_exe().map_err(|error| Error::Other(in_words(&error)))?;
    let mut record = Command::new(own);
    record.args(["record", "--trial", "--dir"]).arg(folder).arg("--").args(command);
    let status = record.stdout(Stdio::null()).status().map_err(|error| Error::Other(in_words(&error)))?;
    if !status.success() {
        line("program", &format!("ended with {status}"))?;
    }
    let run = match Run::load(folder) {
        Ok(run) => run,
        Err(Error::NoFolder { .. } | Error::NoTraces { .. }) => {
            line(
                "trace",
                "none: no process came to MPI_Init with the recorder preloaded. Does the program call MPI_Init? Does its \
                 environment have LD_PRELOAD (put `env` in the program's place)? Is it linked dynamically, not setuid, and for \
                 this architecture (`file` says)?",
            )?;
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    let first = run.first();
    line("MPI", &format!("{}, {}", first.library.name(), first.library.path))?;
    line("ABI", abi(first))?;
    let split = split_launch::warning(folder, &[], first, &command[0]);
    if let Some(warning) = &split {
        line("launcher", warning)?;
    }
    let recorded = run.ranks.iter().filter(|rank| rank.initialized()).count();
    line("preload", &format!("takes effect in {recorded} of {}", plural(run.size().into(), "rank")))?;
    line("machine", &hosts::in_words(&run))?;
    line("languages", "C and what is built on it; Fortran by mpif.h, mpi and mpi_f08; Python")?;
    line("engine", &engine::ways(&run))?;
    line("clock", clock::kind_in_words(&first.header))?;
    let cost = first.clock.seconds(1) * first.header.wrapper_cost as f64 / 1000.0 * 1e9;
    line("cost", &format!("{cost:.0} ns a recorded call, measured in rank 0"))?;
    let [starting, ending] = starting::in_words(&run);
    for (what, words) in [("starting", starting), ("ending", ending)] {
        if let Some(words) = words {
            line(what, &format!("{words}, with waiting for other ranks"))?;
        }
    }
    let is_well = recorded == run.size() as usize && split.is_none();
    if is_well {
        line("next", &format!("overhear record {}", in_a_shell(command)))?;
    }
    Ok(is_well)
}

/// A command as the user would type it in a shell.
fn in_a_shell(command: &[OsString]) -> String {
    let typed = |word: &OsString| match word.to_string_lossy() {
        option if option.starts_with('-') => option.into_owned(),
        _ => as_typed(Path::new(word)),
    };
    command.iter().map(typed).collect::<Vec<_>>().join(" ")
}

fn abi(rank: &Rank) -> &'static str {
    match Abi::from_number(rank.header.abi) {
        Some(Abi::OpenMpi) => "Open MPI's: handles are addresses",
        Some(Abi::Mpich) => "MPICH's: handles are 32-bit integers",
        Some(Abi::Standard) => "the standard ABI of MPI 5",
        None => "unknown",
    }
}
