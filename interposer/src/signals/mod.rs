//! The program's signals while the recorder is a guest in its threads: none is lost, none comes in another thread, and no handler of the
//! program interrupts what the recorder could not leave.
//!
//! Blocking signals would do neither: the kernel gives what a thread blocks to the next thread that does not, such as one that MPI has
//! started. So the program's handlers are entered through a [`trampoline`], which [puts a signal off](put_off) while the thread is in the
//! recorder's hands. In: the program's [`handlers`]. A thread that is sampled has an [`alternate_stack`] of ours for the samples, and the
//! trampoline [moves](frame) the program's signals from there to the program's own.

pub mod alternate_stack;
pub mod frame;
pub mod handlers;
pub mod put_off;
pub mod trampoline;
mod words;

use std::ffi::c_int;

pub use words::IN_SAMPLER;

/// Signals that an instruction raises in its own thread, or a defect of ours: they cannot wait.
const SYNCHRONOUS: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];

/// The bit of a signal in a set, as the kernel has them.
fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The first word of a set, which the kernel knows; the others are the C library's room for more.
pub fn kernel_set(set: *mut libc::sigset_t) -> *mut u64 {
    set.cast()
}
