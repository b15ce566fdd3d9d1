//! The folder that an export is written to. Existing data is overwritten only on request, and then only files that an export
//! wrote.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use model::Run;
use model::error::Error;
use model::unfinished::Unfinished;

/// Hive's name for the folder of rows without a value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// Attempts to remove a half-made export.
const REMOVALS: usize = 100;

pub struct ExportFolder {
    path: PathBuf,
    /// Other exports write other ranks to it.
    is_shared: bool,
    /// `None` for a shared folder.
    unfinished: Option<Unfinished>,
}

impl ExportFolder {
    /// A folder that may hold other ranks' rows already.
    pub fn shared(path: &Path) -> Result<ExportFolder, Error> {
        fs::create_dir_all(path).map_err(|source| Error::Write { path: path.into(), source })?;
        Ok(ExportFolder { path: path.into(), is_shared: true, unfinished: None })
    }

    /// Claims a new or empty folder; with `force`, a folder whose tables of these names are removed.
    pub fn claim(path: &Path, names: &[&'static str], force: bool) -> Result<ExportFolder, Error> {
        let (own, tables) = (path.to_path_buf(), names.to_vec());
        let remove = move || tables.iter().try_for_each(|name| remove(&own.join(name)));
        ExportFolder::of_its_own(path, force, remove)
    }

    /// Claims a new or empty folder; with `force`, a folder whose OTF2 archive of this name is removed.
    pub fn claim_archive(path: &Path, name: &'static str, force: bool) -> Result<ExportFolder, Error> {
        let own = path.to_path_buf();
        ExportFolder::of_its_own(path, force, move || remove_archive(&own, name))
    }

    /// Claims a folder from which `remove` removes what an export has written. A half-made export is removed.
    fn of_its_own(
        path: &Path,
        force: bool,
        remove: impl Fn() -> Result<(), Error> + Send + 'static,
    ) -> Result<ExportFolder, Error> {
        let failed = |source| Error::Write { path: path.into(), source };
        let is_new = match fs::read_dir(path).map(Iterator::count) {
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(failed(error)),
            Ok(there) if there > 0 && !force => return Err(Error::Exists { path: path.into() }),
            Ok(_) => {
                remove()?;
                false
            }
        };
        let own = path.to_path_buf();
        let unfinished = Unfinished::begin(move || {
            // Other threads may still write there.
            for _ in 0..REMOVALS {
                if remove().is_ok() && (!is_new || fs::remove_dir(&own).is_ok()) {
                    break;
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        if is_new {
            fs::create_dir_all(path).map_err(failed)?;
        }
        Ok(ExportFolder { path: path.into(), is_shared: false, unfinished: Some(unfinished) })
    }

    /// Keeps what was written.
    pub fn finish(self) {
        if let Some(unfinished) = self.unfinished {
            unfinished.finish();
        }
    }

    /// Path of a table's file for a rank, in a folder that is created.
    pub fn file(&self, run: &Run, table: &str, rank: usize, extension: &str) -> Result<PathBuf, Error> {
        let number = run.ranks[rank].number();
        let part = run.ranks[..rank].iter().filter(|other| other.number() == number).count();
        let value = number.map_or_else(|| NO_VALUE.into(), |number| number.to_string());
        let folder = self.path.join(table).join(format!("rank={value}"));
        fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
        let file = folder.join(format!("part-{part}.{extension}"));
        if self.is_shared && file.exists() {
            return Err(Error::Other(format!(
                "{}: another export has written this rank. Leave it out of --rank, or remove the file.",
                file.display()
            )));
        }
        Ok(file)
    }
}

/// Removes the files of an OTF2 archive of this name.
fn remove_archive(path: &Path, name: &str) -> Result<(), Error> {
    let events = path.join(name);
    remove_files(&events, |file| has_extension(file, &["evt", "def"]))?;
    match fs::remove_dir(&events) {
        Err(source) if source.kind() != ErrorKind::NotFound => return Err(Error::Write { path: events, source }),
        _ => {}
    }
    remove_files(path, |file| file.file_stem() == Some(name.as_ref()) && has_extension(file, &["otf2", "def"]))
}

/// Removes matching files of a folder, if it exists.
fn remove_files(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::Write { path: path.into(), source };
    let there = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        there => there.map_err(|source| failed(folder, source))?,
    };
    for file in there.flatten().map(|entry| entry.path()).filter(|path| is_meant(path)) {
        fs::remove_file(&file).map_err(|source| failed(&file, source))?;
    }
    Ok(())
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension))
}

/// Removes a table that an export wrote; fails if the folder holds anything else.
fn remove(table: &Path) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::Write { path: path.into(), source };
    let ranks = match fs::read_dir(table) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        ranks => ranks.map_err(|source| failed(table, source))?,
    };
    let is_named =
        |path: &Path, begin: &str| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin));
    for rank in ranks.flatten().map(|entry| entry.path()).filter(|path| is_named(path, "rank=")) {
        let files = fs::read_dir(&rank).map_err(|source| failed(&rank, source))?;
        for file in files.flatten().map(|entry| entry.path()).filter(|path| is_named(path, "part-")) {
            fs::remove_file(&file).map_err(|source| failed(&file, source))?;
        }
        fs::remove_dir(&rank).map_err(|source| failed(&rank, source))?;
    }
    fs::remove_dir(table).map_err(|source| failed(table, source))
}
