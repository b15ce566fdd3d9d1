//! The calling thread's recording.

use std::arch::asm;

use super::recording::Thread;
use crate::thread_words::thread_words;

thread_words!("overhear_thread", 8);

/// This thread's recording, if it has begun.
#[inline(always)]
pub fn thread() -> Option<&'static Thread> {
    // SAFETY: the slot holds null or this thread's recording, which is never freed.
    unsafe { address().as_ref() }
}

/// The recording's address; null if it has not begun. Every call needs the address; this way takes one instruction less
/// than `words`.
#[inline(always)]
pub fn address() -> *const Thread {
    let thread: *const Thread;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads this thread's slot.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + overhear_thread@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) thread,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads this thread's slot.
    unsafe {
        asm!(
            "mrs {0}, tpidr_el0",
            "adrp {1}, :gottprel:overhear_thread",
            "ldr {1}, [{1}, :gottprel_lo12:overhear_thread]",
            "ldr {0}, [{0}, {1}]",
            out(reg) thread,
            out(reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    thread
}

/// Sets this thread's recording; null ends it.
pub fn set(thread: *const Thread) {
    // SAFETY: the slot of this thread.
    unsafe { words().cast::<*const Thread>().write(thread) };
}
