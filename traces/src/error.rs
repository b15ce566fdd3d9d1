//! Errors of whole files, and damage inside files: what, where, and what to try.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::file::PageKind;

/// A file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system reported an error.
    #[error("{}: {}", path.display(), in_words(source))]
    Io { path: PathBuf, source: io::Error },
    /// The process has as many mappings as the system allows.
    #[error(
        "{}: the system gives this process no more mappings, and each file above 64 KiB needs one. Raise the limit (as root: sysctl vm.max_map_count=1000000), \
         or move some of the run's files into a folder of their own and analyze that.",
        path.display()
    )]
    TooManyMappings { path: PathBuf },
    /// The file is shorter than its header.
    #[error(
        "{}: the file ends after {bytes} bytes, within its header. The rank was killed at its start, or the copy is incomplete.",
        path.display()
    )]
    Short { path: PathBuf, bytes: u64 },
    /// The file does not begin with the magic.
    #[error("{}: not an overhear trace: it does not begin with \"overhear\".", path.display())]
    Foreign { path: PathBuf },
    /// A later version wrote the file.
    #[error(
        "{}: format version {found}, but this overhear reads only up to {}. Read it with the overhear that recorded it, or a later one.",
        path.display(),
        crate::file::VERSION
    )]
    Newer { path: PathBuf, found: u32 },
    /// A node file cannot be read.
    #[error("{}: of this file of all processes of a host, {what}.", path.display())]
    Node {
        path: PathBuf,
        /// The part that cannot be read, why, and what to try.
        what: String,
    },
    /// The header contradicts itself.
    #[error("{}: the header is damaged: {what}. Copy the file again from where it was recorded.", path.display())]
    Header {
        path: PathBuf,
        /// The contradiction.
        what: String,
    },
}

/// The system's words for an error, without its number.
pub fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" (os error ").map_or(text.clone(), |(words, _)| words.into())
}

/// The content of a page, in the words of [`Damage`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub kind: PageKind,
    pub thread: u32,
}

impl fmt::Display for Held {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = self.thread;
        match self.kind {
            PageKind::Thread => write!(out, "states of thread {thread}"),
            PageKind::Signatures => write!(out, "signatures of thread {thread}"),
            PageKind::Events => write!(out, "records of thread {thread}"),
            PageKind::Profile => write!(out, "totals of thread {thread}"),
            PageKind::Definitions => write!(out, "definitions"),
            PageKind::Dropped | PageKind::Free => write!(out, "dropped records of thread {thread}"),
        }
    }
}

/// Damage to a part of a file; other parts can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// The file ends inside a page.
    #[error(
        "the page at byte {page} is {claimed} bytes long, but the file ends {left} bytes later; the records before that are used"
    )]
    Cut {
        /// The offset of the page.
        page: u64,
        /// The length in its header.
        claimed: u64,
        /// The bytes up to the end of the file.
        left: u64,
    },
    /// The node file ends before its member does.
    #[error(
        "the file of all processes of the host ends early: {there} of this one's {claimed} bytes are there, whose whole pages are used"
    )]
    CutMember {
        /// The member's length by its head.
        claimed: u64,
        /// The bytes up to the end of the node file.
        there: u64,
    },
    /// No page begins where one should.
    #[error("no page begins at byte {at}, where one should; reading continues at the next page found")]
    NoPage {
        /// The offset at which it should begin.
        at: u64,
    },
    /// Zeros are where something was written: in front of more of it, or in a page that was left when it was full.
    #[error("zeros from byte {from} to byte {zeros_end}, where {held} were written: all up to byte {until} are lost")]
    Zeros {
        held: Held,
        from: u64,
        zeros_end: u64,
        /// The end of the page, up to which nothing can be read.
        until: u64,
    },
    /// Pages of a series are missing between others, or before them.
    #[error("{pages} of the pages with {held} are not in the file any more; what they held is lost")]
    NoPages { held: Held, pages: u32 },
    /// The file says that it holds more.
    #[error("{there} of the {written} {held} that were written are there; the others are lost")]
    Fewer { held: Held, there: u64, written: u64 },
    /// No page follows the header, though threads have begun.
    #[error("the file ends behind its header: nothing is left of what its {threads} threads did")]
    NoPagesAtAll { threads: u64 },
    /// A thread has pages and no block.
    #[error(
        "the state of thread {thread} is lost: the calls that it was in, its polls, and what the progress engine did"
    )]
    NoBlock { thread: u32 },
    /// The end of a thread's block is zeros.
    #[error(
        "the counts of the progress engine and of the recorder's own time in thread {thread} are lost: zeros are in their place"
    )]
    ZeroedBlock { thread: u32 },
    /// A thread's records end before a call that it has made.
    #[error(
        "thread {thread} made a call after its last record, which ends at byte {end}: the records behind that are lost"
    )]
    NoLastRecords {
        thread: u32,
        /// The offset at which the records end.
        end: u64,
    },
    /// A record has an unknown kind.
    #[error(
        "no record at word {word} of a page of thread {thread} ({value:#018x}); the {before} records before it are used"
    )]
    NoRecord {
        thread: u32,
        /// Index of the word after the page's header.
        word: usize,
        /// The word's value.
        value: u64,
        /// Records of the page before it, which were read.
        before: u64,
    },
    /// A signature number is not defined.
    #[error(
        "{calls} calls of thread {thread} have signature {number}, which the file does not define; they are left out"
    )]
    NoSignature {
        thread: u32,
        number: u32,
        /// The number of calls with this number.
        calls: u64,
    },
    /// A definition cannot be read.
    #[error("a definition of {bytes} bytes in the page at byte {page} cannot be read; it is left out")]
    NoDefinition {
        /// The offset of the page.
        page: u64,
        bytes: u32,
    },
}
