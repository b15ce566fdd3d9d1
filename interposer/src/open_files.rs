//! What is known of the process's descriptors: whether they are sockets, and which files they stand for.
//!
//! A descriptor's number may stand for another file at any time. So whatever closes or replaces one is to
//! [`forget`] it, and who needs to know asks again.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Descriptors about which anything is remembered.
const MOST: usize = 4096;
static OPEN: [OpenFile; MOST] = [const { OpenFile::new() }; MOST];

/// What is known of a descriptor.
pub struct OpenFile {
    /// 0 while nobody knows.
    pub socket: AtomicU8,
    /// The number of the file; 0 while nobody knows.
    pub file: AtomicU32,
    /// Where the last access ended, bytes from the start of the file, as if the descriptor had been opened at its start.
    pub position: AtomicU64,
}

/// A position that nothing is at: the next access is elsewhere.
pub const ELSEWHERE: u64 = u64::MAX;

impl OpenFile {
    const fn new() -> OpenFile {
        OpenFile { socket: AtomicU8::new(0), file: AtomicU32::new(0), position: AtomicU64::new(0) }
    }
}

/// `None` for a number about which nothing is remembered.
#[inline(always)]
pub fn of(descriptor: c_int) -> Option<&'static OpenFile> {
    OPEN.get(descriptor as usize)
}

/// Forgets what is known of a descriptor.
#[inline(always)]
pub fn forget(descriptor: c_int) {
    if let Some(open) = of(descriptor) {
        open.socket.store(0, Relaxed);
        open.file.store(0, Relaxed);
        open.position.store(0, Relaxed);
    }
}

/// Forgets all descriptors from one number up to another.
pub fn forget_all(first: u32, last: u32) {
    for descriptor in first..=last.min(MOST as u32 - 1) {
        forget(descriptor as c_int);
    }
}
