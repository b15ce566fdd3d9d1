//! Skips the holes of a file: parts that occupy no disk blocks and read as zeros, as `tar -S` and `rsync -S` create
//! them.
//!
//! In: an offset in a file at which zeros begin. Out: the next offset that may hold data. Without this, reading a hole
//! page by page would fill memory with its zeros, however little of the file lies on the disk.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::RankFile;
use crate::regular;

/// A view of a file's holes.
pub(super) struct Holes<'a> {
    trace: &'a RankFile,
    /// Opened when an offset is first asked about: most files have no hole.
    file: Option<File>,
    /// Up to this offset nothing can be skipped.
    looked: usize,
    /// Bytes that were skipped.
    pub passed: usize,
}

impl<'a> Holes<'a> {
    pub fn of(trace: &'a RankFile) -> Holes<'a> {
        Holes { trace, file: None, looked: 0, passed: 0 }
    }

    /// The offset of the unit to look at after one that begins with zeros: the next one, or the one in which the hole
    /// ends.
    pub fn behind(&mut self, at: usize) -> usize {
        let (unit, next) = (self.trace.header().unit as usize, at + self.trace.header().unit as usize);
        // A system call is not worth it if one look at memory answers.
        if at < self.looked || self.trace.words.bytes() <= next {
            return next;
        }
        let all = self.trace.words.bytes();
        let data = self.seek(at, libc::SEEK_DATA, all).unwrap_or(at);
        self.looked = self.seek(data, libc::SEEK_HOLE, all).unwrap_or(all);
        let behind = next.max(at + (data - at) / unit * unit).min(all);
        self.passed += behind - next;
        behind
    }

    /// The next data or hole at or after an offset, at most `end`. `None` if the file system does not say, or the file
    /// was replaced.
    fn seek(&mut self, at: usize, whence: i32, end: usize) -> Option<usize> {
        if self.file.is_none() {
            let file = regular::open(&self.trace.path).ok()?;
            self.file = (super::identity(&file).ok()? == self.trace.identity).then_some(file);
        }
        // SAFETY: lseek reads no memory of ours.
        let found = unsafe { libc::lseek(self.file.as_ref()?.as_raw_fd(), i64::try_from(at).ok()?, whence) };
        match usize::try_from(found) {
            Ok(found) => Some(found.clamp(at, end.max(at))),
            // From there on everything is a hole.
            Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO) => Some(end),
            Err(_) => None,
        }
    }
}
