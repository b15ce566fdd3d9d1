//! A file's words in memory: mapped, or read.
//!
//! The system limits the mappings of a process, on Linux to 65,530 (vm.max_map_count): a run of more files has its small
//! ones read. What was read shows nothing that its writer writes afterwards, and its last words may be half of a record.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};
use zerocopy::IntoBytes;

use crate::error::Error;
use crate::live::LiveWords;

/// The way of a file into memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileAccess {
    /// Mapped, which follows what is written later and takes no memory.
    Mapped,
    /// Read if it is small, else mapped.
    SmallRead,
}

/// The number of files from which on small ones are read. The limit leaves room for libraries, threads and call sites.
const MANY: usize = 30_000;
/// The most bytes of a file that is read: a rank's profile is smaller.
const SMALL: u64 = 64 << 10;

impl FileAccess {
    /// For a run of so many files that is looked at once.
    pub fn of_run(files: usize) -> FileAccess {
        if files < MANY { FileAccess::Mapped } else { FileAccess::SmallRead }
    }

    fn is_read(self, bytes: u64) -> bool {
        self == FileAccess::SmallRead && bytes <= SMALL
    }
}

pub(super) enum FileWords {
    Mapped(MmapRaw),
    /// The words, and the length of the file in bytes.
    Read(Box<[u64]>, usize),
}

impl FileWords {
    pub fn of(file: &File, path: &Path, access: FileAccess) -> Result<FileWords, Error> {
        let io = |source| Error::Io { path: path.into(), source };
        let bytes = file.metadata().map_err(io)?.len();
        if access.is_read(bytes) {
            return read(file, bytes).map_err(io);
        }
        // A file that someone truncates during the analysis causes SIGBUS, as with any reader that maps it.
        let mapped = MmapOptions::new().map_raw_read_only(file);
        mapped.map(FileWords::Mapped).map_err(|source| match source.raw_os_error() {
            Some(libc::ENOMEM) => Error::TooManyMappings { path: path.into() },
            _ => io(source),
        })
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            FileWords::Mapped(map) => map.len(),
            FileWords::Read(_, bytes) => *bytes,
        }
    }

    /// Its whole words.
    pub fn words(&self) -> LiveWords<'_> {
        let (first, bytes) = match self {
            FileWords::Mapped(map) => (map.as_ptr(), map.len()),
            FileWords::Read(words, bytes) => (words.as_ptr().cast(), *bytes),
        };
        // SAFETY: both begin at a multiple of eight and stay as long as `self`, and this process writes to neither.
        unsafe { LiveWords::at(first, bytes) }
    }
}

fn read(file: &File, bytes: u64) -> io::Result<FileWords> {
    let mut words = vec![0u64; (bytes as usize).div_ceil(size_of::<u64>())];
    let mut read = 0;
    let mut file = file.take(bytes);
    let room = words.as_mut_bytes();
    // A file that has become shorter ends where it ends now.
    while let Some(rest) = room.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(FileWords::Read(words.into(), read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_of_a_run_with_more_of_them_than_the_system_maps_are_read() {
        const LIMIT: usize = 65_530;
        assert_eq!(
            [1, MANY - 1, MANY, LIMIT].map(FileAccess::of_run).map(|access| access.is_read(SMALL)),
            [false, false, true, true]
        );
        const { assert!(MANY < LIMIT / 2) }
    }

    #[test]
    fn large_files_are_mapped_and_take_no_memory() {
        assert!(!FileAccess::SmallRead.is_read(SMALL + 1) && !FileAccess::Mapped.is_read(1));
    }
}
