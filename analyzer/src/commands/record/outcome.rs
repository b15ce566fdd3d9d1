//! What is said when the launcher has ended: how much was recorded, and what to do with it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use traces::folder;

use crate::error::Error;
use crate::model::{Rank, run as runs, sites::Sites};
use crate::report::{Value, text};
use crate::terminal;

/// Says it, and resolves call sites while the program is at hand. `recording`: something was to be recorded.
pub fn tell(folder: &Path, launcher: &OsStr, status: ExitStatus, recording: bool) {
    let files = match runs::files(folder) {
        Ok(files) => files,
        Err(error) => {
            folder::give_back(folder);
            if recording {
                terminal::say(&nothing(folder, launcher, status, &error));
            }
            return;
        }
    };
    let ranks: Vec<Rank> = files.iter().filter_map(|file| Rank::open(file).ok()).collect();
    let starting = ranks.iter().filter(|rank| !rank.initialized() && rank.header.stop == 0).count();
    if starting > 0 {
        terminal::say(&format!("{starting} of {} processes did not come out of MPI_Init", ranks.len()));
    }
    Sites::load(folder, &ranks, true);
    let bytes = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|data| data.len()).sum();
    let processes = if files.len() == 1 { "process" } else { "processes" };
    let size = text::one(&Value::Bytes(bytes));
    terminal::say(&format!("{size} of {} {processes}. Next: overhear report {}", files.len(), as_typed(folder)));
}

/// Why there is no trace, as far as that is known.
fn nothing(folder: &Path, launcher: &OsStr, status: ExitStatus, error: &Error) -> String {
    let launcher = launcher.to_string_lossy();
    match (error, status.code(), status.signal()) {
        (Error::NoFolder { .. }, ..) => {
            format!("{}: the run's folder was removed while the launch ran, and what was in it", folder.display())
        }
        (_, Some(0), _) => "nothing was recorded: no process wrote a trace, as each does in MPI_Init that has the \
                            recorder preloaded"
            .into(),
        (_, Some(code), _) => {
            format!("nothing was recorded: {launcher} ended with status {code}, and no process wrote a trace")
        }
        (_, None, signal) => format!(
            "nothing was recorded: {launcher} was ended by signal {}, and no process wrote a trace",
            signal.unwrap_or_default()
        ),
    }
}

/// A folder as a shell takes it, from here.
fn as_typed(folder: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = folder.strip_prefix(here).unwrap_or(folder).to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '=' | ':' | ',' | '@' | '%');
    match path.chars().all(plain) && !path.starts_with('-') {
        true => path.into_owned(),
        false if path.starts_with('-') => format!("./'{}'", path.replace('\'', r"'\''")),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}
