//! Reads a rank's file, whole or cut, up to its last published record.
//!
//! In: the path of a file. Out: header, definitions, and for each thread its signatures and pages of records. The file
//! is mapped rather than read, so memory does not grow with the trace. Holes are skipped, so time depends on what the
//! file occupies on the disk. A program that still runs may be writing the file: see [`live`](crate::live).
//! A member of a [node file](crate::node) is a file in the file: `FOLDER/node-HOST.ovh/rank-0003.ovh`.

mod copies;
mod copy;
mod file_words;
mod follow;
mod holes;
mod listing;
mod node_file;
mod page_items;
mod pages;
mod tail;
mod thread_walk;
mod walk;
mod zeroed;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub use copies::copies;
pub use file_words::FileAccess;
use file_words::FileWords;
pub use follow::{Follower, FoundPage};
use node_file::{Layout, NodeFile};
pub use node_file::{member_head, rank_files};
pub use pages::{
    Contents, EventPage, InFlight, ReadUntil, Recorded, RecordedCall, Signatures, ThreadPages, in_flight, open_outside,
    open_polls, open_productive,
};
pub use tail::{OpenCall, Tail};
pub use thread_walk::{ThreadWalk, walk_thread};
pub use walk::{Place, Visitor, Walk, walk};
pub use zeroed::PIECE;

use crate::error::Error;
use crate::file::{FIRST_PAGE, FileHeader, MAGIC, VERSION};
use crate::live::{LiveWords, see_published};
use crate::node;
use crate::regular;

/// A rank's file in memory.
pub struct RankFile {
    path: PathBuf,
    /// The file's words; of a file that is not mapped, only while they are needed.
    words: OnceLock<FileWords>,
    /// The length of the file.
    bytes: usize,
    header: FileHeader,
    identity: FileIdentity,
    /// For a member of a node file, the places of its bytes.
    layout: Option<Layout>,
    /// Number of times that a page of records was decoded from its begin.
    decoded: AtomicU64,
}

/// Tells a file from another one that takes the same name later.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    /// Device and inode.
    file: (u64, u64),
    /// The offset of a member's head in its node file.
    head: u64,
}

/// The lengths of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileSize {
    pub bytes: u64,
    /// On a full disk less, since its length includes what found no room.
    pub on_disk: u64,
}

impl FileSize {
    /// The size of the file or of the member at a path.
    pub fn of(path: &Path) -> io::Result<FileSize> {
        const BLOCK: u64 = 512;
        match fs::metadata(path) {
            Ok(data) => Ok(FileSize { bytes: data.len(), on_disk: data.len().min(data.blocks() * BLOCK) }),
            // A member's length does not include what found no room.
            Err(error) => {
                State::of_member(path, error).map(|state| FileSize { bytes: state.bytes, on_disk: state.bytes })
            }
        }
    }
}

/// A file as it is now.
struct State {
    identity: FileIdentity,
    bytes: u64,
}

impl State {
    /// The state of the file or of the member at a path.
    fn of(path: &Path) -> io::Result<State> {
        match fs::metadata(path) {
            Ok(data) => Ok(State { identity: FileIdentity::of(&data), bytes: data.len() }),
            Err(error) => State::of_member(path, error),
        }
    }

    /// The state of a member at a path that led to this error because a file is no folder.
    fn of_member(path: &Path, error: io::Error) -> io::Result<State> {
        if error.kind() != ErrorKind::NotADirectory {
            return Err(error);
        }
        let (node, member) = member(path).map_err(io::Error::other)?;
        let identity = FileIdentity { file: node.identity, head: member.head };
        Ok(State { identity, bytes: member.layout.bytes() })
    }
}

impl FileIdentity {
    fn of(data: &Metadata) -> FileIdentity {
        FileIdentity { file: (data.dev(), data.ino()), head: 0 }
    }
}

/// The member of a node file that a path names.
fn member(path: &Path) -> Result<(NodeFile, node_file::FoundMember), Error> {
    let gone = || Error::Io { path: path.into(), source: ErrorKind::NotFound.into() };
    let (parent, name) = path.parent().zip(path.file_name()).ok_or_else(gone)?;
    let node = NodeFile::open(parent)?;
    let run = parent.parent().and_then(crate::folder::run_of);
    let member = node.member(&name.to_string_lossy(), run).ok_or_else(gone)?;
    Ok((node, member))
}

impl RankFile {
    /// Maps the file and reads its header.
    ///
    /// Fails if it is not a regular file, not a trace, or of a version or layout that this library cannot read.
    pub fn open(path: &Path) -> Result<RankFile, Error> {
        RankFile::open_by(path, FileAccess::Mapped)
    }

    /// Like [`open`](Self::open), with a choice of how the file gets into memory.
    pub fn open_by(path: &Path, access: FileAccess) -> Result<RankFile, Error> {
        let io = |source| Error::Io { path: path.into(), source };
        let (words, identity, layout) = match regular::open(path) {
            Ok(file) => {
                let identity = FileIdentity::of(&file.metadata().map_err(io)?);
                (FileWords::of(&file, path, access)?, identity, None)
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                let (node, member) = member(path)?;
                let words = FileWords::of_member(&node.file, &member.layout, path, access)?;
                (words, FileIdentity { file: node.identity, head: member.head }, Some(member.layout))
            }
            Err(error) => return Err(io(error)),
        };
        let header = header(&words, path)?;
        let mut file = RankFile::of_words(path.into(), words, header, identity, layout);
        file.let_go();
        Ok(file)
    }

    fn of_words(
        path: PathBuf,
        words: FileWords,
        header: FileHeader,
        identity: FileIdentity,
        layout: Option<Layout>,
    ) -> RankFile {
        let bytes = words.bytes();
        RankFile { path, words: words.into(), bytes, header, identity, layout, decoded: AtomicU64::new(0) }
    }

    /// Frees the memory of a file that was read; the next use of its contents reads it again. Not for a
    /// [copy](Self::copied), which shows one moment.
    pub fn let_go(&mut self) {
        if let Some(FileWords::Read(..)) = self.words.get() {
            self.words.take();
        }
    }

    /// The file's words; none if it was not mapped, and is gone by now.
    fn words(&self) -> LiveWords<'_> {
        self.words.get_or_init(|| self.read_again().unwrap_or_else(FileWords::none)).words()
    }

    fn read_again(&self) -> Option<FileWords> {
        let file = self.opened_again()?;
        match &self.layout {
            None => file_words::read(&file, self.bytes as u64).ok(),
            Some(layout) => file_words::read_member(&file, layout).ok(),
        }
    }

    /// Opens the file once more, or the node file that it is in. `None` if another one has taken its name.
    fn opened_again(&self) -> Option<File> {
        let path = if self.layout.is_some() { self.path.parent()? } else { &self.path };
        let file = regular::open(path).ok()?;
        (FileIdentity::of(&file.metadata().ok()?).file == self.identity.file).then_some(file)
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
        self.bytes as u64
    }

    /// True if no page follows the header.
    pub fn is_empty(&self) -> bool {
        self.len() <= FIRST_PAGE as u64
    }

    /// Number of pages of records that were decoded so far, each as often as a reader began to.
    pub fn pages_decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Finds the pages. Reads their headers, the definitions and the signatures, not the records.
    pub fn contents(&self) -> Contents<'_> {
        listing::contents(self)
    }
}

fn header(file: &FileWords, path: &Path) -> Result<FileHeader, Error> {
    let path = || path.to_path_buf();
    let words = file.words();
    if words.get(0) == Some(u64::from_ne_bytes(node::MAGIC)) {
        return Err(match NodeFile::open(&path()) {
            Ok(node) => Error::Node { path: path(), what: node.reason(path().as_path()) },
            Err(error) => error,
        });
    }
    if words.get(0) == Some(0) && words.len() >= FIRST_PAGE / size_of::<u64>() {
        return Err(Error::Header { path: path(), what: "it is zeros".into() });
    }
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
