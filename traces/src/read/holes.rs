//! Passes the holes of a file: parts that take no room on the disk and read as zeros, as `tar -S` and `rsync -S` carry them.
//!
//! In: a place in a file that reads as zero. Out: where data may come next. Looking at every page of a hole would read all its zeros
//! into memory, however little of the file lies on the disk.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::RankFile;
use crate::regular;

/// See the module.
pub(super) struct Holes<'a> {
    trace: &'a RankFile,
    /// Opened when a place is first asked about: most files have no hole.
    file: Option<File>,
    /// Up to here nothing is to be passed.
    looked: usize,
    /// Bytes that were passed.
    pub passed: usize,
}

impl<'a> Holes<'a> {
    pub fn of(trace: &'a RankFile) -> Holes<'a> {
        Holes { trace, file: None, looked: 0, passed: 0 }
    }

    /// The unit that comes behind the zeros that a unit begins with: the next, or the one where the hole ends that it begins in.
    pub fn behind(&mut self, at: usize) -> usize {
        let (unit, next) = (self.trace.header().unit as usize, at + self.trace.header().unit as usize);
        // What one look at the memory answers is not worth a system call.
        if at < self.looked || self.trace.map.len() <= next {
            return next;
        }
        let all = self.trace.map.len();
        let data = self.seek(at, libc::SEEK_DATA, all).unwrap_or(at);
        self.looked = self.seek(data, libc::SEEK_HOLE, all).unwrap_or(all);
        let behind = next.max(at + (data - at) / unit * unit).min(all);
        self.passed += behind - next;
        behind
    }

    /// Where the next data or hole begins at or behind a place, at most `end`. Nothing where the file system does not tell, or the
    /// file has been replaced.
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
