//! Reads a rank's file, whole or cut, up to its last published record.
//!
//! In: the path of a file. Out: header, definitions, and for each thread its signatures and pages of records. The file
//! is mapped rather than read, so memory does not grow with the trace. Holes are skipped, so time depends on what the
//! file occupies on the disk.

mod copy;
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

use memmap2::Mmap;
use zerocopy::FromBytes;

pub use follow::{Follower, FoundPage};
pub use pages::{
    Contents, EventPage, InFlight, ReadUntil, Recorded, RecordedCall, Signatures, ThreadPages, in_flight, open_polls,
};
pub use tail::{OpenCall, Tail};
pub use thread_walk::{ThreadWalk, walk_thread};
pub use walk::{Place, Visitor, Walk, walk};

use crate::error::Error;
use crate::file::{FIRST_PAGE, FileHeader, MAGIC, VERSION};
use crate::regular;

/// A rank's file, mapped into memory.
pub struct RankFile {
    path: PathBuf,
    map: Mmap,
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
        let io = |source| Error::Io { path: path.into(), source };
        let file = regular::open(path).map_err(io)?;
        // SAFETY: the recorder only grows a file and overwrites words of it. A file that someone truncates during the
        // analysis causes SIGBUS, as with any reader that maps it.
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        let header = header(&map, path)?;
        let identity = identity(&file).map_err(io)?;
        Ok(RankFile { path: path.into(), map, header, identity, decoded: AtomicU64::new(0) })
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
        self.map.len() as u64
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

fn header(bytes: &[u8], path: &Path) -> Result<FileHeader, Error> {
    let path = || path.to_path_buf();
    if bytes.len() >= MAGIC.len() && bytes[..MAGIC.len()] != MAGIC {
        return Err(Error::Foreign { path: path() });
    }
    let Ok((header, _)) = FileHeader::read_from_prefix(bytes) else {
        return Err(Error::Short { path: path(), bytes: bytes.len() as u64 });
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
