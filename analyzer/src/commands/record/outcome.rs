//! The lines printed after the launcher has ended: messages of the run's processes, recorded calls, overhead, and the next command.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use traces::file::Stop;
use traces::read::FileSize;
use traces::{folder, run_notes};

use crate::cli::Launcher;
use crate::commands::all_analyses::AllAnalyses;
use crate::launch::split_launch;

use super::program;
use super::run_folder::{RunFolder, Whereabouts};
use metrics::cost::RecordingCost;
use metrics::summary::{self, FindingKind};
use metrics::warnings;
use model::parallel;
use model::site_naming::SiteNaming;
use model::{Choice, Rank, Run, Sketch, run as runs, sites::Sites};
use tables::Value;
use tables::terminal;

/// Approximate bytes of records to read. In a longer run, some pages stand for the others.
const READ: u64 = 64 << 20;
/// Larger runs are not analyzed before the user asks: that takes longer than a second.
const ANALYZED: u64 = 16 << 20;

/// The command that has ended.
pub struct LaunchedCommand<'a> {
    /// `None` if it is no launcher.
    pub launcher: Option<Launcher>,
    pub words: &'a [OsString],
    pub status: ExitStatus,
}

/// Prints what processes have said, and the line, and resolves call sites while the program is still there.
/// `recording`: a recording was expected. `before`: numbered folders that were beside the run's.
pub fn tell(folder: &RunFolder, command: &LaunchedCommand<'_>, recording: bool, before: &[PathBuf]) {
    let path = folder.path();
    let found = match folder.whereabouts() {
        Whereabouts::There => files(folder, path),
        Whereabouts::Moved(now) => {
            terminal::say(&format!("the run's folder was moved to {} while the launch ran", now.display()));
            // Ranks that initialized MPI later have created the folder again.
            let found = files(folder, path).or_else(|| files(folder, &now));
            folder::give_back(&now);
            found
        }
        Whereabouts::Gone => {
            terminal::say(&format!(
                "{}: the run's folder and its files were removed while the launch ran",
                path.display()
            ));
            files(folder, path)
        }
    };
    let has_spoken = tell_messages(path);
    let started = run_notes::started(path);
    match found {
        Some((path, files)) => {
            let first = recorded(&path, &files, folder.run(), &started);
            let split = command
                .launcher
                .and(first)
                .and_then(|rank| split_launch::warning(&path, before, &rank, &command.words[0]));
            if let Some(warning) = split {
                terminal::say(&warning);
            }
        }
        None if !started.is_empty() => {
            terminal::say(&format!(
                "recorded into {}. Next: overhear {}",
                listed(&started),
                as_typed_here(&started[0])
            ));
        }
        None if recording && !has_spoken && matches!(folder.whereabouts(), Whereabouts::There) => {
            terminal::say(&nothing(command));
        }
        None => {}
    }
    folder::give_back(path);
}

/// Prints what processes of a run have said. Returns true if there is something.
pub fn tell_messages(folder: &Path) -> bool {
    let messages = run_notes::messages(folder);
    for message in &messages {
        terminal::say(message);
    }
    !messages.is_empty()
}

/// The run's files in a folder; `None` if there are none, or another run has taken the place.
fn files(folder: &RunFolder, path: &Path) -> Option<(PathBuf, Vec<PathBuf>)> {
    if folder::run_of(path).is_some_and(|run| run != *folder.run()) {
        terminal::say(&format!("{} belongs to another run now", path.display()));
        return None;
    }
    runs::files(path).ok().map(|files| (path.to_path_buf(), files))
}

/// Prints calls, overhead, and the next command. Returns a rank.
fn recorded(folder: &Path, files: &[PathBuf], run: &[u8; 16], started: &[PathBuf]) -> Option<Rank> {
    let sizes: Vec<FileSize> = files.iter().filter_map(|file| FileSize::of(file).ok()).collect();
    let one_in = 1 + sizes.iter().map(|size| size.bytes).sum::<u64>() / READ;
    let sketches = parallel::map(files.len(), |at| Sketch::read(&files[at], one_in as usize));
    let (read, failed): (Vec<_>, Vec<_>) = sketches.into_iter().partition(Result::is_ok);
    let read = read.into_iter().flatten().filter(|sketch| is_of(&sketch.rank, run));
    let (ranks, calls): (Vec<Rank>, Vec<u64>) = read.map(|sketch| (sketch.rank, sketch.calls)).unzip();
    let typed = as_typed_here(folder);
    if ranks.is_empty() {
        let why = failed.into_iter().find_map(Result::err);
        terminal::say(&match why {
            Some(error) => format!("no file of {typed} can be read: {error}"),
            None => {
                format!("{typed} has files of another run alone: those of this one were removed while the launch ran")
            }
        });
        return None;
    }
    let starting = ranks.iter().filter(|rank| !rank.initialized() && rank.header.stop == 0).count();
    if starting > 0 {
        let who = match ranks.len() {
            1 => "the process".into(),
            all => format!("{starting} of {all} processes"),
        };
        terminal::say(&format!("{who} did not return from MPI_Init"));
    }
    for stop in warnings::stops(&ranks) {
        terminal::say(&stop);
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
    let others = match started {
        [] => String::new(),
        started => format!("The program also started runs of its own: {}. ", listed(started)),
    };
    terminal::say(&format!(
        "{size} of {} {processes}. {about}{cost}. {main}{others}Next: overhear {typed}",
        files.len(),
    ));
    first
}

/// True if a rank belongs to the run, or does not know its run.
fn is_of(rank: &Rank, run: &[u8; 16]) -> bool {
    [*run, [0; 16]].contains(&rank.header.run)
}

/// A folder as the user would type it here.
fn as_typed_here(folder: &Path) -> String {
    folder::as_typed(folder.strip_prefix(std::env::current_dir().unwrap_or_default()).unwrap_or(folder))
}

/// Runs that a line names.
const NAMED: usize = 8;

fn listed(runs: &[PathBuf]) -> String {
    let mut names: Vec<String> = runs.iter().take(NAMED).map(|run| as_typed_here(run)).collect();
    if runs.len() > NAMED {
        names.push(format!("{} more", runs.len() - NAMED));
    }
    names.join(", ")
}

/// First sentence of the first screen, if something stands out: after one about the machine also the first about the program. That a
/// run is not complete, other messages say.
fn main_sentence(folder: &Path) -> Option<String> {
    let naming = SiteNaming { is_short: true, ..SiteNaming::for_conclusions(Vec::new()) };
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
fn nothing(command: &LaunchedCommand<'_>) -> String {
    let name = command.words[0].to_string_lossy();
    if let Some(libraries) = command.words.iter().find_map(|word| replaced_preload(word)) {
        return format!(
            "nothing was recorded: LD_PRELOAD={libraries} replaces the list that overhear's library is in. Write \
             LD_PRELOAD={libraries}:$LD_PRELOAD there"
        );
    }
    if command.launcher.is_none() {
        let name = Path::new(&command.words[0]).file_name().unwrap_or_default().to_string_lossy();
        let hint = "If it starts a program with MPI, something between them replaces LD_PRELOAD or clears the environment: \
                    write LD_PRELOAD=$LD_PRELOAD:... there, or put overhear record in front of the launcher";
        return format!(
            "{name} ended without a call of MPI_Init that the recorder saw, so there is nothing to report{}",
            if program::starts_others(&command.words[0]) { format!(". {hint}") } else { String::new() }
        );
    }
    match (command.status.code(), command.status.signal()) {
        (Some(0), _) => format!(
            "nothing was recorded: no process wrote a trace. One of three things, mostly: the program did not come to \
             MPI_Init; {name} or a script of yours starts it without LD_PRELOAD in its environment; or nothing can be \
             preloaded into it, as it is linked statically, setuid, or for another architecture. `overhear doctor` with \
             the same command tries it, and `{name} ... overhear record -- ./app` preloads behind the launcher"
        ),
        (Some(code), _) => {
            format!("nothing was recorded: {name} ended with status {code}, and no process wrote a trace")
        }
        (None, signal) => format!(
            "nothing was recorded: {name} was killed by signal {}, and no process wrote a trace",
            signal.unwrap_or_default()
        ),
    }
}

/// The libraries to preload that a script among the words names instead of those of its environment.
fn replaced_preload(word: &OsStr) -> Option<String> {
    let word = word.to_string_lossy();
    let ends = |c: char| c.is_whitespace() || "\"';&|".contains(c);
    let value = word.split_once("LD_PRELOAD=")?.1.split(ends).next()?;
    Some(value.to_string()).filter(|value| !value.is_empty() && !value.contains("LD_PRELOAD"))
}
