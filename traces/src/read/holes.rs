//! Skips the holes of a file: parts that occupy no disk blocks and read as zeros, as `tar -S` and `rsync -S` create
//! them.
//!
//! In: an offset in a file at which zeros begin. Out: the next offset that may hold data. Without this, reading a hole
//! page by page would fill memory with its zeros, however little of the file lies on the disk.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::RankFile;

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
        if at < self.looked || self.trace.bytes <= next {
            return next;
        }
        let all = self.trace.bytes;
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
            self.file = self.trace.opened_again();
        }
        let file = self.file.as_ref()?;
        let Some(layout) = &self.trace.layout else { return seek_in(file, at, whence, end) };
        let mut at = at as u64;
        while at < end as u64 {
            let part = layout.part_of(at)?;
            let (from, until) = (part.at + (at - part.start), part.at + part.bytes);
            let found = seek_in(file, usize::try_from(from).ok()?, whence, usize::try_from(until).ok()?)? as u64;
            if found < until {
                return usize::try_from(part.start + (found - part.at)).ok();
            }
            at = part.start + part.bytes;
        }
        Some(end)
    }
}

/// The next data or hole of a file at or after an offset, at most `end`.
fn seek_in(file: &File, at: usize, whence: i32, end: usize) -> Option<usize> {
    // SAFETY: lseek reads no memory of ours.
    let found = unsafe { libc::lseek(file.as_raw_fd(), i64::try_from(at).ok()?, whence) };
    match usize::try_from(found) {
        Ok(found) => Some(found.clamp(at, end.max(at))),
        // From there on everything is a hole.
        Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO) => Some(end),
        Err(_) => None,
    }
}
