//! A forked child does not write into its parent's file, however it was made.
//!
//! `fork` calls its handlers; `_Fork`, and programs that make the system call themselves, do not. So the kernel itself clears,
//! in every child, the words that say there is a recording. What the zeros mean is for those who find them:
//! a [`Thread`](crate::recorder::thread::Thread) of zeros is at work for ever, and a [`ProcessState`] of zeros has not begun. So the
//! straight line has nothing to ask.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Acquire};

/// What all threads look at, in pages of its own.
#[cfg_attr(target_arch = "x86_64", repr(C, align(4096)))]
#[cfg_attr(target_arch = "aarch64", repr(C, align(65536)))]
pub struct ProcessState {
    /// How far the recording has come: [`DORMANT`], [`RECORDING`] or [`OFF`].
    pub phase: AtomicU8,
    /// How much is recorded of the progress engine, as a number of [`Depth`](traces::progress::Depth).
    pub depth: AtomicU32,
}

/// This process's own.
pub static HERE: ProcessState = ProcessState { phase: AtomicU8::new(0), depth: AtomicU32::new(0) };

/// MPI has not been initialized.
pub const DORMANT: u8 = 0;
/// See [`is_recording`].
pub const RECORDING: u8 = 1;
/// Recording was not wanted, or failed.
pub const OFF: u8 = 2;

/// Whether this process records.
pub fn is_recording() -> bool {
    HERE.phase.load(Acquire) == RECORDING
}

/// Recording begins: from here on a child finds zeros in [`HERE`].
pub fn begin() {
    clear_in_children((&raw const HERE).cast_mut().cast(), size_of::<ProcessState>());
}

/// Has the system clear private memory in forked children. Kernels before 4.14 do not: there, `fork` alone is seen.
pub fn clear_in_children(memory: *mut c_void, bytes: usize) {
    // SAFETY: concerns children alone, and in them memory that only this library knows.
    unsafe { libc::madvise(memory, bytes, libc::MADV_WIPEONFORK) };
}
