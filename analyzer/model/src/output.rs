//! Writes files without damaging others.
//!
//! Writes a new file beside the target and renames it when it is whole. No link is followed, and no half-written file is ever
//! visible.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use rustix::fs::{AtFlags, Mode, OFlags, fstat, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use crate::unfinished::{Removal, Unfinished};

pub struct OutputFolder(Arc<OwnedFd>);

pub struct OutputFile {
    file: File,
    place: Option<RenameTarget>,
}

/// Target of the rename that completes a file.
struct RenameTarget {
    folder: OutputFolder,
    temporary: OsString,
    name: OsString,
    unfinished: Unfinished,
}

/// Creates a file that the user asked for. Writes to an existing device or pipe of that name; refuses a link.
pub fn create(path: &Path) -> io::Result<OutputFile> {
    let there = fs::symlink_metadata(path);
    if let Ok(found) = fs::metadata(path)
        && !found.is_file()
    {
        return Ok(OutputFile { file: File::options().write(true).open(path)?, place: None });
    }
    if there.is_ok_and(|there| there.is_symlink()) {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "a symbolic link, which is not followed. Name the file itself",
        ));
    }
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    OutputFolder::open(parent)?.create(name)
}

/// Writes a file that the user asked for.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut output = create(path)?;
    output.write_all(bytes)?;
    output.finish()
}

impl OutputFolder {
    fn open(path: &Path) -> io::Result<OutputFolder> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(OutputFolder(Arc::new(rustix::fs::open(path, flags, Mode::empty())?)))
    }

    /// Opens a folder that only the user and the user's own group may write to.
    pub fn own(path: &Path) -> Option<OutputFolder> {
        let folder = OutputFolder::open(path).ok()?;
        let found = fstat(&*folder.0).ok()?;
        let of_group = found.st_mode & 0o020 == 0 || found.st_gid == getegid().as_raw();
        (found.st_uid == geteuid().as_raw() && found.st_mode & 0o002 == 0 && of_group).then_some(folder)
    }

    pub fn write(self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut output = self.create(name.as_ref())?;
        output.write_all(bytes)?;
        output.finish()
    }

    /// Writes a file in it; fails if the name exists.
    pub fn add(self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut output = self.create(name.as_ref())?;
        output.write_all(bytes)?;
        output.finish_new()
    }

    /// True if a file of that name, not a link, holds these bytes.
    pub fn holds(&self, name: &str, bytes: &[u8]) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = openat(&*self.0, name, flags, Mode::empty()) else { return false };
        let file = File::from(file);
        let is_long = |found: fs::Metadata| found.is_file() && found.len() == bytes.len() as u64;
        let mut found = Vec::with_capacity(bytes.len());
        file.metadata().is_ok_and(is_long) && (&file).read_to_end(&mut found).is_ok() && found == bytes
    }

    fn create(self, name: &OsStr) -> io::Result<OutputFile> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for number in 0..TRIES {
            let temporary = OsString::from(format!(".overhear-{}-{number}", std::process::id()));
            let made = Unfinished::make(|| {
                let file = openat(&*self.0, &temporary, flags, Mode::from_raw_mode(0o666))?;
                let (folder, named) = (self.0.clone(), temporary.clone());
                let remove: Removal = Box::new(move || {
                    let _ = unlinkat(&*folder, &named, AtFlags::empty());
                });
                Ok::<_, Errno>((file, remove))
            });
            match made {
                Ok((file, unfinished)) => {
                    let place = Some(RenameTarget { folder: self, temporary, name: name.into(), unfinished });
                    return Ok(OutputFile { file: file.into(), place });
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

/// Names tried for a new file.
const TRIES: u32 = 1000;

impl OutputFile {
    /// Completes the file under its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(place) = self.place.take() else { return self.file.flush() };
        renameat(&*place.folder.0, &place.temporary, &*place.folder.0, &place.name)?;
        place.unfinished.finish();
        Ok(())
    }

    /// Completes the file under its name unless that exists.
    fn finish_new(self) -> io::Result<()> {
        let Some(place) = &self.place else { return Err(ErrorKind::AlreadyExists.into()) };
        Ok(linkat(&*place.folder.0, &place.temporary, &*place.folder.0, &place.name, AtFlags::empty())?)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// `XDG_CACHE_HOME/overhear`, by default `~/.cache/overhear`; the folder may not exist.
pub fn path() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("overhear"))
}
