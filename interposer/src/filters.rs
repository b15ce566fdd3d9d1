//! Our `prctl` and `syscall`, by which programs set seccomp filters. Asking the system for filters may itself be forbidden
//! by one, so the recorder notices them as they are set.
//!
//! Each is a few instructions in front of the C library's function, which it jumps to: by `syscall` a process may be made
//! whose child returns on another stack.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::symbol;
use crate::system_calls::FILTERED;

/// PR_SET_SECCOMP and its mode; SECCOMP_SET_MODE_FILTER. Without the address of a filter they only ask what there is.
const SET_SECCOMP: i32 = libc::PR_SET_SECCOMP;
const MODE_FILTER: u32 = libc::SECCOMP_MODE_FILTER;
const SET_MODE_FILTER: u32 = libc::SECCOMP_SET_MODE_FILTER;

/// The C library's functions, or those of another tool in front of it.
static PRCTL: AtomicUsize = AtomicUsize::new(0);
static SYSCALL: AtomicUsize = AtomicUsize::new(0);

/// Finds both functions, so that signal handlers find them found.
pub fn prepare() {
    find_prctl();
    find_syscall();
}

extern "C" fn find_prctl() -> usize {
    let found = symbol::next(c"prctl").unwrap_or(missing as *const () as usize);
    PRCTL.store(found, Relaxed);
    found
}

extern "C" fn find_syscall() -> usize {
    let found = symbol::next(c"syscall").unwrap_or(missing as *const () as usize);
    SYSCALL.store(found, Relaxed);
    found
}

extern "C" fn missing() -> c_int {
    -1
}

/// Goes on to a function by its address, which is looked up first if it is not known yet.
#[cfg(target_arch = "x86_64")]
macro_rules! go_on {
    () => {
        "
        mov r11, qword ptr [rip + {real}]
        test r11, r11
        jz 3f
        jmp r11
        3:
        push rdi
        push rsi
        push rdx
        push rcx
        push r8
        push r9
        sub rsp, 8
        .cfi_adjust_cfa_offset 56
        call {find}
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
        "
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! go_on {
    () => {
        "
        adrp x16, {real}
        ldr x16, [x16, :lo12:{real}]
        cbz x16, 3f
        br x16
        3:
        stp x29, x30, [sp, #-80]!
        .cfi_adjust_cfa_offset 80
        .cfi_offset 30, -72
        stp x0, x1, [sp, #16]
        stp x2, x3, [sp, #32]
        stp x4, x5, [sp, #48]
        str x6, [sp, #64]
        bl {find}
        mov x16, x0
        ldp x0, x1, [sp, #16]
        ldp x2, x3, [sp, #32]
        ldp x4, x5, [sp, #48]
        ldr x6, [sp, #64]
        ldp x29, x30, [sp], #80
        .cfi_adjust_cfa_offset -80
        .cfi_restore 30
        br x16
        "
    };
}

/// Notes a filter.
#[cfg(target_arch = "x86_64")]
macro_rules! note {
    () => {
        "mov byte ptr [rip + {filtered}], 1"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! note {
    () => {
        "
        adrp x16, {filtered}
        mov w17, #1
        strb w17, [x16, :lo12:{filtered}]
        "
    };
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "prctl"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_prctl"))]
unsafe extern "C" fn prctl() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "cmp edi, {set}",
        "jne 2f",
        "cmp esi, {mode}",
        "jne 2f",
        "test rdx, rdx",
        "jz 2f",
        note!(),
        "2:",
        go_on!(),
        ".cfi_endproc",
        set = const SET_SECCOMP,
        mode = const MODE_FILTER,
        filtered = sym FILTERED,
        real = sym PRCTL,
        find = sym find_prctl,
    )
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "syscall"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_syscall"))]
unsafe extern "C" fn syscall() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "cmp edi, {seccomp}",
        "jne 4f",
        "cmp esi, {filter}",
        "jne 2f",
        "jmp 5f",
        "4:",
        "cmp edi, {prctl}",
        "jne 2f",
        "cmp esi, {set}",
        "jne 2f",
        "cmp edx, {mode}",
        "jne 2f",
        "5:",
        "test rcx, rcx",
        "jz 2f",
        note!(),
        "2:",
        go_on!(),
        ".cfi_endproc",
        seccomp = const libc::SYS_seccomp,
        filter = const SET_MODE_FILTER,
        prctl = const libc::SYS_prctl,
        set = const SET_SECCOMP,
        mode = const MODE_FILTER,
        filtered = sym FILTERED,
        real = sym SYSCALL,
        find = sym find_syscall,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "prctl"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_prctl"))]
unsafe extern "C" fn prctl() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "cmp w0, #{set}",
        "b.ne 2f",
        "cmp w1, #{mode}",
        "b.ne 2f",
        "cbz x2, 2f",
        note!(),
        "2:",
        go_on!(),
        ".cfi_endproc",
        set = const SET_SECCOMP,
        mode = const MODE_FILTER,
        filtered = sym FILTERED,
        real = sym PRCTL,
        find = sym find_prctl,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "syscall"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_syscall"))]
unsafe extern "C" fn syscall() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "cmp w0, #{seccomp}",
        "b.ne 4f",
        "cmp w1, #{filter}",
        "b.ne 2f",
        "b 5f",
        "4:",
        "cmp w0, #{prctl}",
        "b.ne 2f",
        "cmp w1, #{set}",
        "b.ne 2f",
        "cmp w2, #{mode}",
        "b.ne 2f",
        "5:",
        "cbz x3, 2f",
        note!(),
        "2:",
        go_on!(),
        ".cfi_endproc",
        seccomp = const libc::SYS_seccomp,
        filter = const SET_MODE_FILTER,
        prctl = const libc::SYS_prctl,
        set = const SET_SECCOMP,
        mode = const MODE_FILTER,
        filtered = sym FILTERED,
        real = sym SYSCALL,
        find = sym find_syscall,
    )
}
