//! The handler of the timers' signal.
//!
//! A few instructions tell the timers' signals from others, which the program may have sent under the same number, and put the stack
//! pointer on memory of the recording: the thread's own stack only holds what the kernel has saved there.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use crate::recorder::thread::current;
use crate::recorder::thread::samples::HANDLER_STACK;
use crate::thread_timer;

use super::program_signals::foreign;

/// Signals that a defect would raise; they cannot be held back.
const OWN: [i32; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];

/// Takes the highest real-time signal without a handler. `None` if there is none.
pub fn install() -> Option<i32> {
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(|signal| is_default(*signal)).filter(|signal| {
        // SAFETY: all zeros are an action.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = entry as *const () as usize;
        // On the alternate stack, if the program has one: its code may run on stacks that no signal may use.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        // SAFETY: fills the mask, and installs a handler of the right type.
        unsafe {
            libc::sigfillset(&mut action.sa_mask);
            for own in OWN {
                libc::sigdelset(&mut action.sa_mask, own);
            }
            libc::sigaction(*signal, &action, null_mut()) == 0
        }
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

/// The code of a timer's signal, and the offsets in `siginfo_t` of the code, the timer's overruns, and its value.
const SI_TIMER: i32 = -2;
const CODE: usize = 8;
const OVERRUNS: usize = 20;
const VALUE: usize = 24;

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, qword ptr [rip + overhear_thread@GOTTPOFF]",
        "mov rax, qword ptr fs:[rax]",
        "test rax, rax",
        "jz 2f",
        "mov rax, qword ptr [rax + {stack}]",
        "test rax, rax",
        "jz 2f",
        "cmp dword ptr [rsi + {code}], {timer}",
        "jne 2f",
        "mov rsp, rax",
        "2:",
        "and rsp, -16",
        "call {signaled}",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        stack = const HANDLER_STACK,
        code = const CODE,
        timer = const SI_TIMER,
        signaled = sym signaled,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_offset 29, -16",
        ".cfi_offset 30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "mrs x9, tpidr_el0",
        "adrp x10, :gottprel:overhear_thread",
        "ldr x10, [x10, :gottprel_lo12:overhear_thread]",
        "ldr x9, [x9, x10]",
        "cbz x9, 2f",
        "movz x10, #({stack} & 0xffff)",
        "movk x10, #({stack} >> 16), lsl #16",
        "ldr x9, [x9, x10]",
        "cbz x9, 2f",
        "ldr w10, [x1, #{code}]",
        "cmn w10, #-{timer}",
        "b.ne 2f",
        "mov sp, x9",
        "2:",
        "bl {signaled}",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
        "ret",
        ".cfi_endproc",
        stack = const HANDLER_STACK,
        code = const CODE,
        timer = const SI_TIMER,
        signaled = sym signaled,
    )
}

unsafe extern "C" fn signaled(signal: i32, information: *mut libc::siginfo_t, context: *mut c_void) {
    let at = information.cast::<u8>();
    // SAFETY: the kernel passes the information of the signal, of which a timer's has these fields.
    let (code, overruns, value) = unsafe {
        let overruns = at.add(OVERRUNS).cast::<i32>().read();
        (at.add(CODE).cast::<i32>().read(), overruns, at.add(VALUE).cast::<usize>().read())
    };
    if code != SI_TIMER || value != thread_timer::mark() {
        // SAFETY: passes on the kernel's arguments.
        return unsafe { foreign(signal, information, context) };
    }
    if let Some(thread) = current::thread() {
        // SAFETY: the kernel passes the context that was interrupted.
        thread.periods_ended(1 + overruns.max(0) as u64, unsafe { &*context.cast() });
    }
}
