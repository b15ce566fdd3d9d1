//! What can be wrong with a file: what, where, and what to try.

use std::io;
use std::path::PathBuf;

/// Why a file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Too short for a header.
    #[error(
        "{}: the file ends after {bytes} bytes, within its header. The rank was killed at its start, or the copy is incomplete.",
        path.display()
    )]
    Short {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The magic is not ours.
    #[error("{}: not an overhear trace: it does not begin with \"overhear\".", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later version.
    #[error(
        "{}: format version {found}, but this overhear reads only up to {}. Read it with the overhear that recorded it, or a later one.",
        path.display(),
        crate::file::VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version in the header.
        found: u32,
    },
    /// A header that contradicts itself.
    #[error("{}: the header is damaged: {what}. Copy the file again from where it was recorded.", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is impossible about it.
        what: String,
    },
}

/// Something wrong inside a file whose other parts can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Damage {
    /// The file ends inside a page.
    #[error(
        "the page at byte {page} is {claimed} bytes long, but the file ends {left} bytes later; the records before that are used"
    )]
    Cut {
        /// Where the page begins.
        page: u64,
        /// What its header says.
        claimed: u64,
        /// What there is.
        left: u64,
    },
    /// No page where one should begin.
    #[error("no page begins at byte {at}, where one should; reading continues at the next page found")]
    NoPage {
        /// Where it should have begun.
        at: u64,
    },
    /// A record of no known kind.
    #[error(
        "no record at word {word} of a page of thread {thread} ({value:#018x}); the {before} records before it are used"
    )]
    NoRecord {
        /// The thread.
        thread: u32,
        /// Index of the word behind the page's header.
        word: usize,
        /// Its value.
        value: u64,
        /// Records of the page that were read.
        before: u64,
    },
    /// A signature number that was never defined.
    #[error(
        "{calls} calls of thread {thread} have signature {number}, which the file does not define; they are left out"
    )]
    NoSignature {
        /// The thread.
        thread: u32,
        /// The number.
        number: u32,
        /// Calls that have it.
        calls: u64,
    },
    /// A definition that cannot be read.
    #[error("a definition of {bytes} bytes in the page at byte {page} cannot be read; it is left out")]
    NoDefinition {
        /// Where the page begins.
        page: u64,
        /// The item's length.
        bytes: u32,
    },
}
