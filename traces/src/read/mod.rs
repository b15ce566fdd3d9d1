//! Reads a rank's file, whole or cut, up to its last published record.
//!
//! In: the path of a file. Out: header, definitions, and for each thread its signatures and pages of records. The file
//! is mapped rather than read, so memory does not grow with the trace. Holes are skipped, so time depends on what the
//! file occupies on the disk. A program that still runs may be writing the file: see [`live`](crate::live).

mod copy;
mod file_words;
mod follow;
mod holes;
mod pages;
mod tail;
mod thread_walk;
mod walk;

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use file_words::FileAccess;
use file_words::FileWords;
pub use follow::{Follower, FoundPage};
pub use pages::{
    Contents, EventPage, InFlight, ReadUntil, Recorded, RecordedCall, Signatures, ThreadPages, in_flight, open_outside,
    open_polls, open_productive,
};
pub use tail::{OpenCall, Tail};
pub use thread_walk::{ThreadWalk, walk_thread};
pub use walk::{Place, Visitor, Walk, walk};

use crate::error::Error;
use crate::file::{FIRST_PAGE, FileHeader, MAGIC, VERSION};
use crate::live::{LiveWords, see_published};
use crate::regular;

/// A rank's file in memory.
pub struct RankFile {
    path: PathBuf,
    words: FileWords,
    header: FileHeader,
    /// Device and inode: another file may take the same name later.
    identity: (u64, u64),
    /// How often a page of records was decoded from its begin.
    decoded: AtomicU64,
}

impl RankFile {
    /// Maps the file and reads its header.
    ///
    /// Fails if it is not a regular file, not a trace, or of a version or layout that this library cannot read.
    pub fn open(path: &Path) -> Result<RankFile, Error> {
        RankFile::open_by(path, FileAccess::Mapped)
    }

    /// As [`open`](Self::open), with a choice of how the file gets into memory.
    pub fn open_by(path: &Path, access: FileAccess) -> Result<RankFile, Error> {
        let io = |source| Error::Io { path: path.into(), source };
        let file = regular::open(path).map_err(io)?;
        let words = FileWords::of(&file, path, access)?;
        let header = header(&words, path)?;
        let identity = identity(&file).map_err(io)?;
        Ok(RankFile { path: path.into(), words, header, identity, decoded: AtomicU64::new(0) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header as it was when the file was opened.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.words.bytes() as u64
    }

    /// True if no page follows the header.
    pub fn is_empty(&self) -> bool {
        self.len() <= FIRST_PAGE as u64
    }

    /// How many pages of records were decoded so far, each as often as somebody began to.
    pub fn pages_decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Finds the pages. Reads their headers, the definitions and the signatures, not the records.
    pub fn contents(&self) -> Contents<'_> {
        pages::contents(self)
    }
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|data| (data.dev(), data.ino()))
}

fn header(file: &FileWords, path: &Path) -> Result<FileHeader, Error> {
    let path = || path.to_path_buf();
    let words = file.words();
    if words.get(0).is_some_and(|first| first != u64::from_ne_bytes(MAGIC)) {
        return Err(Error::Foreign { path: path() });
    }
    let Some(header) = header_now(words) else {
        return Err(Error::Short { path: path(), bytes: file.bytes() as u64 });
    };
    if header.version > VERSION {
        return Err(Error::Newer { path: path(), found: header.version });
    }
    let wrong = |what: String| Err(Error::Header { path: path(), what });
    if header.version == 0 {
        return wrong("version 0 does not exist".into());
    }
    if !header.unit.is_power_of_two() || !(512..=1 << 20).contains(&header.unit) {
        return wrong(format!("pages of {} bytes do not exist", header.unit));
    }
    Ok(header)
}

/// The header as it is now: a state comes with all that was written before it.
fn header_now(words: LiveWords<'_>) -> Option<FileHeader> {
    let early: FileHeader = words.copy(0)?;
    see_published();
    let header = words.copy(0)?;
    Some(FileHeader { state: early.state, stop: early.stop, ..header })
}
