//! The way of a signal to the program's handler: at once, or put off.
//!
//! The kernel enters the trampoline in the handler's place, and it jumps to the handler with everything as it was, so the handler returns
//! to the kernel. It has nothing to do afterwards: handlers may leave by longjmp.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::*;

use super::handlers::{self, HANDLERS, of_sampling_signal};
use super::put_off::{come_after_others, must_wait, put_off, put_off_in_sampler};
use super::words::{self, SignalWords};
use super::{SYNCHRONOUS, bit, frame, kernel_set};
use crate::recorder::process::sampling;
use crate::system_calls;

/// The address that the kernel enters.
pub fn address() -> usize {
    entry as *const () as usize
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "mov rax, qword ptr [rip + overhear_signals@GOTTPOFF]",
        "mov rcx, qword ptr fs:[rax]",
        "or rcx, qword ptr fs:[rax + 8]",
        "or rcx, qword ptr fs:[rax + 16]",
        "jnz 2f",
        "lea rcx, [rip + {handlers}]",
        "movsxd rax, edi",
        "mov rax, qword ptr [rcx + 8 * rax]",
        "cmp rax, 1",
        "jbe 2f",
        "jmp rax",
        "2:",
        "push rdx",
        "push rsi",
        "push rdi",
        ".cfi_adjust_cfa_offset 24",
        "lea rcx, [rsp + 24]",
        "call {arrived}",
        "pop rdi",
        "pop rsi",
        "pop r8",
        ".cfi_adjust_cfa_offset -24",
        "test rax, rax",
        "jz 3f",
        "add rsp, rdx",
        "add rsi, rdx",
        "add rdx, r8",
        "jmp rax",
        "3:",
        "ret",
        ".cfi_endproc",
        handlers = sym HANDLERS,
        arrived = sym arrived,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "mrs x9, tpidr_el0",
        "adrp x10, :gottprel:overhear_signals",
        "ldr x10, [x10, :gottprel_lo12:overhear_signals]",
        "add x9, x9, x10",
        "ldp x10, x11, [x9]",
        "ldr x12, [x9, #16]",
        "orr x10, x10, x11",
        "orr x10, x10, x12",
        "cbnz x10, 2f",
        "adrp x10, {handlers}",
        "add x10, x10, :lo12:{handlers}",
        "ldr x16, [x10, w0, sxtw #3]",
        "cmp x16, #1",
        "b.ls 2f",
        "br x16",
        "2:",
        "stp x29, x30, [sp, #-48]!",
        ".cfi_adjust_cfa_offset 48",
        ".cfi_offset 29, -48",
        ".cfi_offset 30, -40",
        "stp x0, x1, [sp, #16]",
        "str x2, [sp, #32]",
        "add x3, sp, #48",
        "bl {arrived}",
        "mov x16, x0",
        "mov x10, x1",
        "ldp x0, x1, [sp, #16]",
        "ldr x2, [sp, #32]",
        "ldp x29, x30, [sp], #48",
        ".cfi_adjust_cfa_offset -48",
        ".cfi_restore 29",
        ".cfi_restore 30",
        "cbz x16, 3f",
        "add sp, sp, x10",
        "add x29, x29, x10",
        "add x1, x1, x10",
        "add x2, x2, x10",
        "br x16",
        "3:",
        "ret",
        ".cfi_endproc",
        handlers = sym HANDLERS,
        arrived = sym arrived,
    )
}

/// The way on from the trampoline.
#[repr(C)]
struct NextStep {
    /// The program's handler; 0 to return.
    handler: usize,
    /// Bytes from the kernel's frame to that which the handler gets.
    shift: isize,
}

const RETURN: NextStep = NextStep { handler: 0, shift: 0 };

unsafe extern "C" fn arrived(
    signal: c_int,
    information: *const libc::siginfo_t,
    context: *mut libc::ucontext_t,
    kernel_frame: usize,
) -> NextStep {
    let words = words::own();
    // SAFETY: the address of this thread's errno.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above; the other arguments are the kernel's.
    unsafe {
        let before = *errno;
        let step = next_step(words, signal, information, context, kernel_frame);
        *errno = before;
        step
    }
}

/// # Safety
/// The arguments must be those of a signal handler, and the address of its frame.
unsafe fn next_step(
    words: &SignalWords,
    signal: c_int,
    information: *const libc::siginfo_t,
    context: *mut libc::ucontext_t,
    kernel_frame: usize,
) -> NextStep {
    // SAFETY: by the contract.
    unsafe {
        if !SYNCHRONOUS.contains(&signal) {
            if must_wait(words, frame::stack_pointer(context)) {
                put_off(words, signal, information, context);
                return RETURN;
            }
            if is_in_sampler(words, context) && !system_calls::are_filtered() {
                put_off_in_sampler(words, signal, information, context);
                return RETURN;
            }
            // Those that came before are next, and one of their handlers may leave by longjmp.
            if words.put_off.load(Relaxed) != 0 && come_after_others(words, signal, information) {
                return RETURN;
            }
        }
        if sampling::is_signal(signal) {
            return by_program_action(words, signal, context, kernel_frame);
        }
        let handler = HANDLERS.get(signal as usize).map_or(0, |handler| handler.load(Acquire));
        match handler {
            libc::SIG_DFL => handlers::act_by_default(signal),
            libc::SIG_IGN => {}
            _ => return NextStep { handler, shift: frame::move_to_program(words, kernel_frame, context, true) },
        }
        RETURN
    }
}

/// True if the signal has interrupted the handler of samples.
///
/// # Safety
/// The context must be a signal handler's.
unsafe fn is_in_sampler(words: &SignalWords, context: *const libc::ucontext_t) -> bool {
    // SAFETY: by the contract.
    let (address, stack_pointer) = unsafe { (frame::address(context), frame::stack_pointer(context)) };
    if sampling::handler().contains(&address) {
        return true;
    }
    let is_inside = words.own_stack().contains(&stack_pointer);
    if !is_inside {
        // A handler of a synchronous signal may have left that of samples by longjmp.
        words.in_sampler.store(0, Relaxed);
    }
    words.in_sampler.load(Relaxed) != 0
}

/// Carries out the program's action for the signal that threads are sampled by, which no timer of ours has sent.
///
/// # Safety
/// As of [`next_step`].
unsafe fn by_program_action(
    words: &SignalWords,
    signal: c_int,
    context: *mut libc::ucontext_t,
    kernel_frame: usize,
) -> NextStep {
    let action = of_sampling_signal::get();
    match action.handler {
        libc::SIG_DFL => {
            handlers::act_by_default(signal);
            return RETURN;
        }
        libc::SIG_IGN => return RETURN,
        _ => {}
    }
    if action.flags & libc::SA_RESETHAND != 0 {
        of_sampling_signal::reset();
    }
    let itself = if action.flags & libc::SA_NODEFER != 0 { 0 } else { bit(signal) };
    // SAFETY: by the contract.
    unsafe {
        let mut mask = MaybeUninit::uninit();
        libc::sigemptyset(mask.as_mut_ptr());
        *kernel_set(mask.as_mut_ptr()) = *kernel_set(&raw mut (*context).uc_sigmask) | action.mask | itself;
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), null_mut());
        let is_on_program_stack = action.flags & libc::SA_ONSTACK != 0;
        let shift = frame::move_to_program(words, kernel_frame, context, is_on_program_stack);
        NextStep { handler: action.handler, shift }
    }
}
