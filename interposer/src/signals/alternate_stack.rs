//! An alternate stack of ours for the signals of samples, in place of the program's.
//!
//! The kernel writes a frame on the stack that it interrupts, or on the thread's alternate stack. Neither may be written for a sample: the
//! former may be a fiber's and small, and the memory of the latter may be the program's again. The program's own calls of sigaltstack are
//! answered as the kernel would without us.

use std::ffi::c_int;
use std::ptr::{null, null_mut};
use std::sync::atomic::{Ordering::*, compiler_fence};

use super::words;
pub use super::words::STACK_BYTES as BYTES;

/// The least size that the kernel takes for any alternate stack.
#[cfg(target_arch = "x86_64")]
const LEAST: usize = 2048;
#[cfg(target_arch = "aarch64")]
const LEAST: usize = 5120;

/// SS_AUTODISARM, which the libc crate does not have: the stack is put away while a handler runs on it.
const AUTODISARM: c_int = 1 << 31;

pub fn is_put_away(stack: &libc::stack_t) -> bool {
    stack.ss_flags & AUTODISARM != 0
}

/// Lends the calling thread the stack of [`BYTES`] that ends here. `false` if it cannot have one: its code is running on its own
/// alternate stack, or that is one which the kernel puts away and takes back.
pub fn lend(end: usize) -> bool {
    let words = words::own();
    let Some(before) = of_kernel() else { return false };
    if before.ss_flags & (libc::SS_ONSTACK | AUTODISARM) != 0 {
        return false;
    }
    words.program_stack_named.set(before);
    words.own_stack_end.store(end, Relaxed);
    compiler_fence(SeqCst);
    let own = libc::stack_t { ss_sp: (end - BYTES) as *mut _, ss_flags: 0, ss_size: BYTES };
    // SAFETY: memory that is used for nothing else, and stays mapped.
    let is_lent = unsafe { libc::sigaltstack(&own, null_mut()) } == 0;
    if !is_lent {
        words.own_stack_end.store(0, Relaxed);
    }
    is_lent
}

/// Gives the calling thread its own alternate stack back.
pub fn give_back() {
    let words = words::own();
    if is_lent() {
        // SAFETY: the stack that the program has named, or none.
        unsafe { libc::sigaltstack(&words.program_stack_named.get(), null_mut()) };
    }
    forget();
}

/// Notes that the kernel has our stack no longer.
pub fn forget() {
    words::own().own_stack_end.store(0, Relaxed);
}

/// True if the kernel has our stack for the calling thread.
fn is_lent() -> bool {
    of_kernel().is_some_and(|stack| is_own(&stack))
}

/// True if this is the stack that we lent the calling thread.
pub fn is_own(stack: &libc::stack_t) -> bool {
    let end = words::own().own_stack_end.load(Relaxed);
    end != 0 && stack.ss_sp as usize + BYTES == end
}

fn of_kernel() -> Option<libc::stack_t> {
    let mut stack = libc::stack_t { ss_sp: null_mut(), ss_flags: 0, ss_size: 0 };
    // SAFETY: writes the stack.
    (unsafe { libc::sigaltstack(null(), &mut stack) } == 0).then_some(stack)
}

/// Answers the program's sigaltstack, which was called with this stack pointer. A stack that is [put away](is_put_away) needs ours given
/// back before.
///
/// # Safety
/// The arguments must be sigaltstack's.
pub unsafe fn answer(new: *const libc::stack_t, old: *mut libc::stack_t, stack_pointer: usize) -> c_int {
    let words = words::own();
    if words.own_stack_end.load(Relaxed) == 0 {
        // SAFETY: the caller's arguments.
        return unsafe { libc::sigaltstack(new, old) };
    }
    let is_on_it = words.program_stack().contains(&stack_pointer);
    let mut before = words.program_stack_named.get();
    // SAFETY: the caller passes a stack, or null.
    if let Some(new) = unsafe { new.as_ref() } {
        let is_off = new.ss_flags == libc::SS_DISABLE;
        let error = if is_on_it {
            libc::EPERM
        } else if ![0, libc::SS_ONSTACK, libc::SS_DISABLE].contains(&new.ss_flags) {
            libc::EINVAL
        } else if !is_off && new.ss_size < LEAST {
            libc::ENOMEM
        } else {
            0
        };
        if error != 0 {
            // SAFETY: the address of this thread's errno.
            unsafe { *libc::__errno_location() = error };
            return -1;
        }
        let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        words.program_stack_named.set(if is_off { none } else { libc::stack_t { ss_flags: 0, ..*new } });
    }
    // SAFETY: as above.
    if let Some(old) = unsafe { old.as_mut() } {
        if is_on_it {
            before.ss_flags = libc::SS_ONSTACK;
        }
        *old = before;
    }
    0
}
