//! Forked children do not record, however they were made, so that they never write into their parent's file.
//!
//! `fork` calls its handlers; `_Fork`, and programs that make the system call themselves, do not. So MADV_WIPEONFORK
//! has the kernel zero the state of the recording in every child. A [`Thread`](crate::recorder::thread::Thread) of
//! zeros is always "at work", and a [`ProcessState`] of zeros has not begun, so the straight line needs no extra check.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Acquire};

/// The process-wide state, on memory pages that it shares with nothing else.
#[cfg_attr(target_arch = "x86_64", repr(C, align(4096)))]
#[cfg_attr(target_arch = "aarch64", repr(C, align(65536)))]
pub struct ProcessState {
    /// [`DORMANT`], [`RECORDING`] or [`OFF`].
    pub phase: AtomicU8,
    /// Recorded depth of the progress engine, as a number of [`Depth`](traces::progress::Depth).
    pub depth: AtomicU32,
}

pub static HERE: ProcessState = ProcessState { phase: AtomicU8::new(0), depth: AtomicU32::new(0) };

/// MPI was not initialized yet.
pub const DORMANT: u8 = 0;
pub const RECORDING: u8 = 1;
/// Recording was not wanted, or could not begin.
pub const OFF: u8 = 2;

pub fn is_recording() -> bool {
    HERE.phase.load(Acquire) == RECORDING
}

/// From here on forked children find zeros in [`HERE`].
pub fn begin() {
    clear_in_children((&raw const HERE).cast_mut().cast(), size_of::<ProcessState>());
}

/// Has the kernel zero private memory in forked children. Kernels before 4.14 cannot: there, only children of `fork`
/// itself stop recording.
pub fn clear_in_children(memory: *mut c_void, bytes: usize) {
    // SAFETY: affects only children, and in them only memory of this library.
    unsafe { libc::madvise(memory, bytes, libc::MADV_WIPEONFORK) };
}
