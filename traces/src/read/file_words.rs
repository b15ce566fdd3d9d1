//! A file's words in memory: mapped, or read.
//!
//! The system limits the mappings of a process, on Linux to 65,530 (vm.max_map_count): the small files of a larger run
//! are read instead. A file that was read does not show later writes, and its last words may be half of a record.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};

use memmap2::{MmapOptions, MmapRaw};
use zerocopy::IntoBytes;

use super::node_file::Layout;
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

/// The number of files from which on small files are read. The limit leaves room for libraries, threads and call sites.
const MANY: usize = 30_000;
/// Largest file that is read, in bytes: a rank's profile is smaller.
const SMALL: u64 = 64 << 10;

impl FileAccess {
    /// The access for a run of this many files that is read once.
    pub fn of_run(files: usize) -> FileAccess {
        if files < MANY { FileAccess::Mapped } else { FileAccess::SmallRead }
    }

    fn is_read(self, bytes: u64) -> bool {
        self == FileAccess::SmallRead && bytes <= SMALL
    }
}

pub(super) enum FileWords {
    Mapped(MmapRaw),
    /// The parts of a member of a node file, mapped one after another.
    Member(MemberMap),
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
        mapped.map(FileWords::Mapped).map_err(|source| mapping_failed(source, path))
    }

    /// The words of a member of a node file.
    pub fn of_member(file: &File, layout: &Layout, path: &Path, access: FileAccess) -> Result<FileWords, Error> {
        if access.is_read(layout.bytes()) {
            return read_member(file, layout).map_err(|source| Error::Io { path: path.into(), source });
        }
        MemberMap::of(file, layout).map(FileWords::Member).map_err(|source| mapping_failed(source, path))
    }

    /// The words of a file that is gone: none.
    pub fn none() -> FileWords {
        FileWords::Read([].into(), 0)
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            FileWords::Mapped(map) => map.len(),
            FileWords::Member(map) => map.bytes,
            FileWords::Read(_, bytes) => *bytes,
        }
    }

    /// The file's whole words.
    pub fn words(&self) -> LiveWords<'_> {
        let (first, bytes) = match self {
            FileWords::Mapped(map) => (map.as_ptr(), map.len()),
            FileWords::Member(map) => (map.base.as_ptr().cast_const(), map.bytes),
            FileWords::Read(words, bytes) => (words.as_ptr().cast(), *bytes),
        };
        // SAFETY: they begin at a multiple of eight and stay as long as `self`, and this process writes to none.
        unsafe { LiveWords::at(first, bytes) }
    }
}

fn mapping_failed(source: io::Error, path: &Path) -> Error {
    match source.raw_os_error() {
        Some(libc::ENOMEM) => Error::TooManyMappings { path: path.into() },
        _ => Error::Io { path: path.into(), source },
    }
}

/// Memory in which the parts of a member are mapped one after another.
pub(super) struct MemberMap {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is shared like a `MmapRaw`: it is not tied to a thread.
unsafe impl Send for MemberMap {}
// SAFETY: as above; its words are read as atomics.
unsafe impl Sync for MemberMap {}

impl MemberMap {
    fn of(file: &File, layout: &Layout) -> io::Result<MemberMap> {
        let bytes = usize::try_from(layout.bytes()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if bytes == 0 {
            return Ok(MemberMap { base: NonNull::<u64>::dangling().cast(), bytes });
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, which the parts replace.
        let base = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_READ, flags, -1, 0) };
        let base = NonNull::new(base.cast::<u8>()).filter(|_| base != libc::MAP_FAILED);
        let map = MemberMap { base: base.ok_or_else(io::Error::last_os_error)?, bytes };
        for part in &layout.parts {
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            // SAFETY: the part lies in the mapping that was just made. It begins at a multiple of the system's pages, as
            // all extents do; behind the last one there is none.
            let mapped = unsafe {
                let to = map.base.add(part.start as usize).as_ptr().cast();
                let (length, at) = (part.bytes as usize, part.at as libc::off_t);
                libc::mmap(to, length, libc::PROT_READ, flags, file.as_raw_fd(), at)
            };
            if mapped == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(map)
    }
}

impl Drop for MemberMap {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: no reference into the mapping is left.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
        }
    }
}

pub(super) fn read_member(file: &File, layout: &Layout) -> io::Result<FileWords> {
    let bytes = layout.bytes() as usize;
    let mut words = vec![0u64; bytes.div_ceil(size_of::<u64>())];
    for part in &layout.parts {
        let room = words.as_mut_bytes().get_mut(part.start as usize..(part.start + part.bytes) as usize);
        file.read_exact_at(room.unwrap_or_default(), part.at)?;
    }
    Ok(FileWords::Read(words.into(), bytes))
}

pub(super) fn read(file: &File, bytes: u64) -> io::Result<FileWords> {
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
