//! The line printed after the launcher has ended: recorded calls, overhead, and the next command.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use traces::file::Stop;
use traces::folder;
use traces::read::FileSize;

use crate::commands::all_analyses::AllAnalyses;
use crate::launch::split_launch;

use super::run_folder::{RunFolder, Whereabouts};
use metrics::cost::RecordingCost;
use metrics::summary::{self, FindingKind};
use model::parallel;
use model::site_naming::SiteNaming;
use model::{Choice, Rank, Run, Sketch, run as runs, sites::Sites};
use tables::Value;
use tables::terminal;

/// Approximate bytes of records to read. In a longer run, some pages stand for the others.
const READ: u64 = 64 << 20;
/// Larger runs are not analyzed before the user asks: that takes longer than a second.
const ANALYZED: u64 = 16 << 20;

/// Prints the line, and resolves call sites while the program is still there. `recording`: a recording was expected.
/// `before`: numbered folders that were beside the run's.
pub fn tell(folder: &RunFolder, launcher: &OsStr, status: ExitStatus, recording: bool, before: &[PathBuf]) {
    let path = folder.path();
    let files = |path: &Path| runs::files(path).ok().map(|files| (path.to_path_buf(), files));
    let found = match folder.whereabouts() {
        Whereabouts::There => files(path),
        Whereabouts::Moved(now) => {
            terminal::say(&format!("the run's folder was moved to {} while the launch ran", now.display()));
            // Ranks that initialized MPI later have created the folder again.
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
        Some((path, files)) => {
            let first = recorded(&path, &files);
            let split = first.and_then(|rank| split_launch::warning(&path, before, &rank, launcher));
            if let Some(warning) = split {
                terminal::say(&warning);
            }
        }
        None if recording && matches!(folder.whereabouts(), Whereabouts::There) => {
            terminal::say(&nothing(launcher, status));
        }
        None => {}
    }
    folder::give_back(path);
}

/// Prints calls, overhead, and the next command. Returns a rank.
fn recorded(folder: &Path, files: &[PathBuf]) -> Option<Rank> {
    let sizes: Vec<FileSize> = files.iter().filter_map(|file| FileSize::of(file).ok()).collect();
    let one_in = 1 + sizes.iter().map(|size| size.bytes).sum::<u64>() / READ;
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
    let bytes: u64 = sizes.iter().map(|size| if is_full { size.on_disk } else { size.bytes }).sum();
    let size = Value::Bytes(bytes);
    let processes = if files.len() == 1 { "process" } else { "processes" };
    let cost = RecordingCost::of(ranks.iter().zip(calls)).in_words();
    let first = ranks.into_iter().next();
    let about = if one_in > 1 { "By a sample of its pages: " } else { "" };
    let main = if bytes <= ANALYZED { main_sentence(folder) } else { None };
    let main = main.map_or(String::new(), |sentence| format!("{sentence} "));
    terminal::say(&format!(
        "{size} of {} {processes}. {about}{cost}. {main}Next: overhear {}",
        files.len(),
        folder::as_typed(folder.strip_prefix(std::env::current_dir().unwrap_or_default()).unwrap_or(folder))
    ));
    first
}

/// First sentence of the first screen, if something stands out: after one about the machine also the first about the program. That a
/// run is not complete, other messages say.
fn main_sentence(folder: &Path) -> Option<String> {
    let naming = SiteNaming::for_conclusions(Vec::new());
    let run = Run::select(folder, &Choice { naming, kept: true, ..Choice::default() }).ok()?;
    let findings = summary::findings(&AllAnalyses::of(&run).evidence()).into_iter();
    // The user has seen that.
    let mut findings = findings.filter(|finding| finding.kind != FindingKind::Ended);
    let first = findings.next().filter(|first| first.kind != FindingKind::Unfinished)?;
    if !first.kind.is_of_the_machine() {
        return Some(first.headline);
    }
    let of_program = findings.find(|finding| !finding.kind.is_about_the_run());
    Some(of_program.map_or(first.headline.clone(), |other| format!("{} {}", first.headline, other.headline)))
}

/// The reason why there is no trace, as far as it is known.
fn nothing(launcher: &OsStr, status: ExitStatus) -> String {
    let launcher = launcher.to_string_lossy();
    match (status.code(), status.signal()) {
        (Some(0), _) => format!(
            "nothing was recorded: no process wrote a trace. One of three things, mostly: the program did not come to \
             MPI_Init; {launcher} or a script of yours starts it without LD_PRELOAD in its environment; or nothing can be \
             preloaded into it, as it is linked statically, setuid, or for another architecture. `overhear doctor` with \
             the same command tries it, and `{launcher} ... overhear record -- ./app` preloads behind the launcher"
        ),
        (Some(code), _) => {
            format!("nothing was recorded: {launcher} ended with status {code}, and no process wrote a trace")
        }
        (None, signal) => format!(
            "nothing was recorded: {launcher} was killed by signal {}, and no process wrote a trace",
            signal.unwrap_or_default()
        ),
    }
}
