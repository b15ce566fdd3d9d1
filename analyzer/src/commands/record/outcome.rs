//! The line after the launcher has ended: how much was recorded, what that cost, and the next command.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use traces::file::Stop;
use traces::folder;

use super::run_folder::{RunFolder, Whereabouts};
use metrics::cost::RecordingCost;
use model::parallel;
use model::{Rank, Sketch, run as runs, sites::Sites};
use tables::Value;
use tables::terminal;

/// Bytes of records that are read, about. Of a longer run, some pages stand for the others.
const READ: u64 = 64 << 20;

/// Says it, and resolves call sites while the program is at hand. `recording`: something was to be recorded.
pub fn tell(folder: &RunFolder, launcher: &OsStr, status: ExitStatus, recording: bool) {
    let path = folder.path();
    let files = |path: &Path| runs::files(path).ok().map(|files| (path.to_path_buf(), files));
    let found = match folder.whereabouts() {
        Whereabouts::There => files(path),
        Whereabouts::Moved(now) => {
            terminal::say(&format!("the run's folder was moved to {} while the launch ran", now.display()));
            // Ranks that came to MPI_Init later have made the folder once more.
            let found = files(path).or_else(|| files(&now));
            folder::give_back(&now);
            found
        }
        Whereabouts::Gone => {
            terminal::say(&format!(
                "{}: the run's folder and its files were removed while the launch ran",
                path.display()
            ));
            files(path)
        }
    };
    match found {
        Some((path, files)) => recorded(&path, &files),
        None if recording && matches!(folder.whereabouts(), Whereabouts::There) => {
            terminal::say(&nothing(launcher, status));
        }
        None => {}
    }
    folder::give_back(path);
}

/// How much, what it took, and the command to type next.
fn recorded(folder: &Path, files: &[PathBuf]) {
    let length = |file: &PathBuf| fs::metadata(file).map_or(0, |data| data.len());
    let one_in = 1 + files.iter().map(length).sum::<u64>() / READ;
    let sketches = parallel::map(files.len(), |at| Sketch::read(&files[at], one_in as usize).ok());
    let (ranks, calls): (Vec<Rank>, Vec<u64>) =
        sketches.into_iter().flatten().map(|sketch| (sketch.rank, sketch.calls)).unzip();
    let starting = ranks.iter().filter(|rank| !rank.initialized() && rank.header.stop == 0).count();
    if starting > 0 {
        let who = match ranks.len() {
            1 => "the process".into(),
            all => format!("{starting} of {all} processes"),
        };
        terminal::say(&format!("{who} did not return from MPI_Init"));
    }
    Sites::load(folder, &ranks, true);
    let is_full = ranks.iter().any(|rank| rank.header.stop == Stop::NoSpace as u32);
    let bytes = files.iter().map(|file| if is_full { on_disk(file) } else { length(file) }).sum();
    let size = Value::Bytes(bytes);
    let processes = if files.len() == 1 { "process" } else { "processes" };
    let cost = RecordingCost::of(ranks.iter().zip(calls)).in_words();
    let about = if one_in > 1 { "By a sample of its pages: " } else { "" };
    terminal::say(&format!(
        "{size} of {} {processes}. {about}{cost}. Next: overhear {}",
        files.len(),
        folder::as_typed(folder.strip_prefix(std::env::current_dir().unwrap_or_default()).unwrap_or(folder))
    ));
}

/// Bytes that a file takes: on a full disk it is longer, for what found no room.
fn on_disk(file: &PathBuf) -> u64 {
    const BLOCK: u64 = 512;
    fs::metadata(file).map_or(0, |data| data.len().min(data.blocks() * BLOCK))
}

/// Why there is no trace, as far as that is known.
fn nothing(launcher: &OsStr, status: ExitStatus) -> String {
    let launcher = launcher.to_string_lossy();
    match (status.code(), status.signal()) {
        (Some(0), _) => "nothing was recorded: no process wrote a trace, as each does in MPI_Init that has the \
                         recorder preloaded and can write into the run's folder"
            .into(),
        (Some(code), _) => {
            format!("nothing was recorded: {launcher} ended with status {code}, and no process wrote a trace")
        }
        (None, signal) => format!(
            "nothing was recorded: {launcher} was killed by signal {}, and no process wrote a trace",
            signal.unwrap_or_default()
        ),
    }
}
