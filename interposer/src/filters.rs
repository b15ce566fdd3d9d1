//! Our `prctl` and `syscall`, by which programs set seccomp filters. Asking the system for filters may itself be forbidden
//! by one, so the recorder notices them as they are set.
//!
//! Each looks at its arguments and jumps to the C library's function: by `syscall` a process may be made whose child
//! returns on another stack.

use std::ffi::{CStr, c_int, c_long};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::symbol;
use crate::system_calls;

/// The C library's functions, or those of another tool in front of it.
static PRCTL: AtomicUsize = AtomicUsize::new(0);
static SYSCALL: AtomicUsize = AtomicUsize::new(0);

/// Finds both functions, so that signal handlers find them found.
pub fn prepare() {
    find(&PRCTL, c"prctl");
    find(&SYSCALL, c"syscall");
}

/// The address of a function, which is looked up if it is not known yet.
fn find(known: &AtomicUsize, name: &CStr) -> usize {
    let mut address = known.load(Relaxed);
    if address == 0 {
        address = symbol::next(name).unwrap_or(missing as *const () as usize);
        known.store(address, Relaxed);
    }
    address
}

extern "C" fn missing() -> c_int {
    -1
}

extern "C" fn before_prctl(option: c_int, mode: c_int, filter: usize) -> usize {
    if sets_filter(option, mode, filter) {
        system_calls::filter();
    }
    find(&PRCTL, c"prctl")
}

extern "C" fn before_syscall(number: c_long, first: c_int, second: c_int, filter: usize) -> usize {
    let is_filter = match number {
        libc::SYS_seccomp => first as u32 == libc::SECCOMP_SET_MODE_FILTER && filter != 0,
        libc::SYS_prctl => sets_filter(first, second, filter),
        _ => false,
    };
    if is_filter {
        system_calls::filter();
    }
    find(&SYSCALL, c"syscall")
}

/// True for the arguments of `prctl` that set a filter. Without its address they only ask what there is.
fn sets_filter(option: c_int, mode: c_int, filter: usize) -> bool {
    option == libc::PR_SET_SECCOMP && mode as u32 == libc::SECCOMP_MODE_FILTER && filter != 0
}

/// Passes the arguments to a function of ours, and goes on to the one whose address it returns, with everything as it
/// was.
#[cfg(target_arch = "x86_64")]
macro_rules! go_on {
    () => {
        "
        .cfi_startproc
        push rdi
        push rsi
        push rdx
        push rcx
        push r8
        push r9
        sub rsp, 8
        .cfi_adjust_cfa_offset 56
        call {before}
        add rsp, 8
        pop r9
        pop r8
        pop rcx
        pop rdx
        pop rsi
        pop rdi
        .cfi_adjust_cfa_offset -56
        mov r11, rax
        xor eax, eax
        jmp r11
        .cfi_endproc
        "
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! go_on {
    () => {
        "
        .cfi_startproc
        stp x29, x30, [sp, #-80]!
        .cfi_adjust_cfa_offset 80
        .cfi_offset 30, -72
        stp x0, x1, [sp, #16]
        stp x2, x3, [sp, #32]
        stp x4, x5, [sp, #48]
        str x6, [sp, #64]
        bl {before}
        mov x16, x0
        ldp x0, x1, [sp, #16]
        ldp x2, x3, [sp, #32]
        ldp x4, x5, [sp, #48]
        ldr x6, [sp, #64]
        ldp x29, x30, [sp], #80
        .cfi_adjust_cfa_offset -80
        .cfi_restore 30
        br x16
        .cfi_endproc
        "
    };
}

#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "prctl"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_prctl"))]
unsafe extern "C" fn prctl() {
    std::arch::naked_asm!(go_on!(), before = sym before_prctl)
}

#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "syscall"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_syscall"))]
unsafe extern "C" fn syscall() {
    std::arch::naked_asm!(go_on!(), before = sym before_syscall)
}
