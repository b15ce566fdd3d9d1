//! File descriptors, which the program may close at any time: in a loop over all, or by closing one of its own twice.
//! The next file that it opens may then get the same number.

use std::ffi::{CString, c_int};
use std::io::Error;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::uncancellable;

/// The file behind a descriptor, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// `None` if the number is not open.
    pub fn of(number: c_int) -> Option<FileIdentity> {
        status(number).map(|status| FileIdentity { device: status.st_dev, inode: status.st_ino })
    }

    /// True for the file of a device and inode.
    pub fn is(self, device: u64, inode: u64) -> bool {
        (self.device, self.inode) == (device, inode)
    }
}

/// `fstat` of a descriptor; `None` if it is not open.
pub fn status(number: c_int) -> Option<libc::stat> {
    // SAFETY: all zeros are a valid stat.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: writes `status`.
    (unsafe { libc::fstat(number, &mut status) } == 0).then_some(status)
}

/// The status of a file by its path, by the one system call for it that docs/guide/limits.md lists: the C library and the
/// standard library choose others.
pub fn status_of(path: &Path) -> Option<libc::stat> {
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: all zeros are a valid stat.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: reads a valid name, and writes `status`, which is the kernel's on 64-bit machines.
    let result = unsafe { libc::syscall(libc::SYS_newfstatat, libc::AT_FDCWD, name.as_ptr(), &raw mut status, 0) };
    (result == 0).then_some(status)
}

/// Opens a file for reading and writing, under a number that the program's own files will not get, since `open` returns
/// the lowest free one.
pub fn open(path: &Path, flags: c_int) -> Result<c_int, Error> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    let number = uncancellable::open(&name, libc::O_RDWR | libc::O_CLOEXEC | flags, 0o644);
    if number < 0 {
        return Err(Error::last_os_error());
    }
    let Some(high) = copy(number) else { return Ok(number) };
    close(number);
    Ok(high)
}

/// Duplicates a descriptor to a high number, out of the program's way.
pub fn copy(number: c_int) -> Option<c_int> {
    // SAFETY: makes another descriptor, which is ours alone.
    let high = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, lowest_out_of_the_way()) };
    (high >= 0).then_some(high)
}

pub fn close(number: c_int) {
    // The C library's function is a cancellation point, and a forked child closes outside of all guards.
    // SAFETY: the number is the caller's own.
    unsafe { libc::syscall(libc::SYS_close, number) };
}

fn lowest_out_of_the_way() -> c_int {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes `limit`.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    // Not just below the limit, which may be a million: the kernel's table has an entry for every number up to the
    // highest, and fork copies it.
    (limit.rlim_cur.min(1024) * 7 / 8) as c_int
}
