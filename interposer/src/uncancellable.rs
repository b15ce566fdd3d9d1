//! System calls on files that are no cancellation points.
//!
//! While a thread is in the C library's function, glibc makes its cancellation asynchronous, whatever its state: a cancellation that was sent
//! just before the recorder held it off would then unwind the recorder's frames, which ends the process.

use std::ffi::{CStr, c_int};

/// Opens a file. Below 0 for an error, which is in errno.
pub fn open(path: &CStr, flags: c_int, mode: c_int) -> c_int {
    // SAFETY: reads a valid name.
    unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, mode) as c_int }
}

/// Reads bytes into a buffer.
pub fn read(number: c_int, buffer: &mut [u8]) -> isize {
    // SAFETY: writes at most the buffer.
    unsafe { libc::syscall(libc::SYS_read, number, buffer.as_mut_ptr(), buffer.len()) as isize }
}

pub fn write(number: c_int, bytes: &[u8]) -> isize {
    // SAFETY: reads the bytes.
    unsafe { libc::syscall(libc::SYS_write, number, bytes.as_ptr(), bytes.len()) as isize }
}

/// # Safety
/// There must be `bytes` bytes at `from`.
pub unsafe fn pwrite(number: c_int, from: *const u8, bytes: usize, offset: u64) -> isize {
    // SAFETY: by the contract; offsets are one argument on 64-bit machines.
    unsafe { libc::syscall(libc::SYS_pwrite64, number, from, bytes, offset) as isize }
}

/// # Safety
/// There must be room for `bytes` bytes at `to`.
pub unsafe fn pread(number: c_int, to: *mut u8, bytes: usize, offset: u64) -> isize {
    // SAFETY: by the contract; offsets are one argument on 64-bit machines.
    unsafe { libc::syscall(libc::SYS_pread64, number, to, bytes, offset) as isize }
}

/// Writes a file to its disk.
pub fn fsync(number: c_int) {
    // SAFETY: concerns a file alone.
    unsafe { libc::syscall(libc::SYS_fsync, number) };
}
