//! Opens the run to analyze: the one named, or the newest in the working folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use traces::read::RankFile;
use traces::run_notes::MESSAGES;

use crate::error::Error;
use crate::run::files;
use crate::{Choice, Run};

impl Run {
    /// Reads the chosen part of the run in a folder, or of the newest run in the working folder. Calls `watch` with the bytes
    /// read and the total.
    pub fn open(folder: Option<&Path>, choice: Choice, watch: &(dyn Fn(u64, u64) + Sync)) -> Result<Run, Error> {
        if let (Some(from), Some(to)) = (choice.from, choice.to)
            && from >= to
        {
            return Err(Error::NoTime);
        }
        let mut run = Run::select_watched(&named_or_newest(folder)?, &choice, watch)?;
        if choice.has_window() {
            run.needs_calls("a part of the time")?;
        }
        run.is_newest = folder.is_none();
        Ok(run)
    }
}

/// The named folder, or the folder of the newest run in the working folder.
pub fn named_or_newest(named: Option<&Path>) -> Result<PathBuf, Error> {
    named.map_or_else(|| newest(Path::new(".")), |named| Ok(named.into()))
}

/// True if the folder holds a run.
pub fn is_run(folder: &Path) -> bool {
    files(folder).is_ok()
}

/// The folder itself if it holds a run, else the run in it whose recording began last.
fn newest(here: &Path) -> Result<PathBuf, Error> {
    if is_run(here) {
        return std::path::absolute(here).map_err(|source| Error::NoFolder { folder: here.into(), source });
    }
    let entries = fs::read_dir(here).map_err(|source| Error::NoFolder { folder: here.into(), source })?;
    // Links are not followed: they may lead anywhere.
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let runs = folders.filter_map(|entry| Some((began(&entry.path())?, PathBuf::from(entry.file_name()))));
    let newest = runs.max().map(|(_, folder)| folder);
    newest.ok_or_else(|| Error::NoRun { folder: std::path::absolute(here).unwrap_or(here.into()) })
}

/// Begin of the recording in a folder, or the time of the message that there is none; `None` if it holds neither.
fn began(folder: &Path) -> Option<u64> {
    match files(folder) {
        Ok(files) => files.iter().find_map(|file| Some(RankFile::open(file).ok()?.header().begin.realtime)),
        Err(Error::Unrecorded { .. }) => {
            let written = fs::metadata(folder.join(MESSAGES)).and_then(|message| message.modified()).ok()?;
            u64::try_from(written.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
        }
        Err(_) => None,
    }
}
