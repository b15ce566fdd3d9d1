//! The handler of the timers' signal.
//!
//! The handler runs on the alternate stack that the thread was lent, so the program's stacks are not written. A few instructions tell the timers'
//! signals from others, which the program may have sent under the same number: these take the way of all its signals.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::null_mut;

use crate::recorder::thread::current;
use crate::signals::{IN_SAMPLER, put_off, trampoline};
use crate::thread_timer::{self, CODE, SI_TIMER, VALUE};

/// Takes the highest real-time signal without a handler. `None` if there is none.
pub fn install() -> Option<i32> {
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(|signal| is_default(*signal)).filter(|signal| {
        // SAFETY: all zeros are an action. It blocks no signal: the kernel would give those to other threads.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = entry as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        // SAFETY: installs a handler of the right type.
        unsafe { libc::sigaction(*signal, &action, null_mut()) == 0 }
    })
}

fn is_default(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: reads the action into zeros.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_DFL
    }
}

unsafe extern "C" {
    /// Behind the last instruction of `entry`.
    static overhear_sampler_end: u8;
}

/// The handler's code.
pub fn code() -> Range<usize> {
    entry as *const () as usize..&raw const overhear_sampler_end as usize
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "cmp dword ptr [rsi + {code}], {timer}",
        "jne {trampoline}",
        "lea rax, [rip + {mark}]",
        "cmp qword ptr [rsi + {value}], rax",
        "jne {trampoline}",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, qword ptr [rip + overhear_signals@GOTTPOFF]",
        "mov qword ptr fs:[rax + {in_sampler}], rsp",
        "and rsp, -16",
        "call {signaled}",
        "mov rax, qword ptr [rip + overhear_signals@GOTTPOFF]",
        "mov qword ptr fs:[rax + {in_sampler}], 0",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        ".globl overhear_sampler_end",
        ".hidden overhear_sampler_end",
        "overhear_sampler_end:",
        code = const CODE,
        timer = const SI_TIMER,
        value = const VALUE,
        in_sampler = const IN_SAMPLER,
        mark = sym thread_timer::MARK,
        trampoline = sym trampoline::entry,
        signaled = sym signaled,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "ldr w10, [x1, #{code}]",
        "cmn w10, #-{timer}",
        "b.ne {trampoline}",
        "adrp x9, {mark}",
        "add x9, x9, :lo12:{mark}",
        "ldr x10, [x1, #{value}]",
        "cmp x9, x10",
        "b.ne {trampoline}",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_offset 29, -16",
        ".cfi_offset 30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "mrs x9, tpidr_el0",
        "adrp x10, :gottprel:overhear_signals",
        "ldr x10, [x10, :gottprel_lo12:overhear_signals]",
        "add x9, x9, x10",
        "str x29, [x9, #{in_sampler}]",
        "bl {signaled}",
        "mrs x9, tpidr_el0",
        "adrp x10, :gottprel:overhear_signals",
        "ldr x10, [x10, :gottprel_lo12:overhear_signals]",
        "add x9, x9, x10",
        "str xzr, [x9, #{in_sampler}]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_endproc",
        ".globl overhear_sampler_end",
        ".hidden overhear_sampler_end",
        "overhear_sampler_end:",
        code = const CODE,
        timer = const SI_TIMER,
        value = const VALUE,
        in_sampler = const IN_SAMPLER,
        mark = sym thread_timer::MARK,
        trampoline = sym trampoline::entry,
        signaled = sym signaled,
    )
}

unsafe extern "C" fn signaled(_: c_int, information: *const libc::siginfo_t, context: *const libc::ucontext_t) {
    // SAFETY: the kernel passes the information of a timer's signal, and the context that was interrupted; the address of this thread's errno.
    let (overruns, context, errno) =
        unsafe { (thread_timer::overruns(information), &*context, libc::__errno_location()) };
    // SAFETY: as above.
    let before = unsafe { *errno };
    if let Some(thread) = current::thread() {
        thread.periods_ended(1 + overruns, context);
    }
    put_off::sampler_ends();
    // SAFETY: as above.
    unsafe { *errno = before };
}
