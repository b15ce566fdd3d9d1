//! Our `dlsym`: a program that looks up an MPI function gets our wrapper, and objects that it has loaded are patched
//! before their code runs.
//!
//! The C library's `dlsym` depends on its caller's address, so ours jumps to it with the program's return address in
//! place.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicUsize;

use crate::layers;
use crate::loaded;
use crate::real;
use crate::recorder::guard;
use crate::symbol;
use crate::wrappers::{HANDED_DOWN, numbering};

/// The result of a lookup, which `entry` takes from two registers.
#[repr(C)]
pub struct LookupAnswer {
    /// The symbol's address; null to ask the C library for `name`.
    found: *const c_void,
    name: *const c_char,
}

/// The address of the C library's `dlsym`.
static REAL: AtomicUsize = AtomicUsize::new(0);

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "dlsym"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_dlsym"))]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        "sub rsp, 16",
        ".cfi_adjust_cfa_offset 24",
        "call {answer}",
        "add rsp, 16",
        "pop rdi",
        ".cfi_adjust_cfa_offset -24",
        "test rax, rax",
        "jnz 2f",
        "mov rsi, rdx",
        "jmp qword ptr [rip + {real}]",
        "2:",
        "ret",
        ".cfi_endproc",
        answer = sym answer,
        real = sym REAL,
    )
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
#[cfg_attr(not(feature = "races"), unsafe(export_name = "dlsym"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_dlsym"))]
unsafe extern "C" fn entry() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x0, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_offset 30, -8",
        "bl {answer}",
        "mov x2, x0",
        "ldp x0, x30, [sp], #16",
        ".cfi_adjust_cfa_offset -16",
        ".cfi_restore 30",
        "cbnz x2, 2f",
        "adrp x16, {real}",
        "ldr x16, [x16, :lo12:{real}]",
        "br x16",
        "2:",
        "mov x0, x2",
        "ret",
        ".cfi_endproc",
        answer = sym answer,
        real = sym REAL,
    )
}

/// Answers a lookup, or passes it on to the C library.
extern "C" fn answer(handle: *mut c_void, name: *const c_char) -> LookupAnswer {
    REAL.store(symbol::dlsym(), std::sync::atomic::Ordering::Relaxed);
    let pass_on = LookupAnswer { found: std::ptr::null(), name };
    // A preloaded allocator looks up the C library's functions by RTLD_NEXT, and cannot serve us before it has them.
    if handle == libc::RTLD_NEXT || name.is_null() {
        return pass_on;
    }
    // SAFETY: the program passes a name.
    let is_mpi = unsafe { CStr::from_ptr(name) }.to_bytes().starts_with(b"MPI_");
    if handle == libc::RTLD_DEFAULT && !is_mpi {
        return pass_on;
    }
    guard::run(|| {
        // SAFETY: the program passes the handle to the C library.
        numbering::patch(unsafe { loaded::address_of_handle(handle) });
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) };
        is_mpi.then(|| mpi_function(handle, name)).flatten()
    })
    .flatten()
    .unwrap_or(pass_on)
}

/// The answer for a function of MPI; `None` to pass the lookup on.
fn mpi_function(handle: *mut c_void, name: &CStr) -> Option<LookupAnswer> {
    let found = symbol::lookup(handle, name)?;
    let (_, base) = symbol::definer(found)?;
    let Some(library) = real::library() else {
        // Without MPI in the process the lookup must fail, but it would find our wrapper. A name that we do not export
        // fails.
        let own = symbol::definer(answer as *const () as usize).map_or(0, |(_, base)| base);
        let no = LookupAnswer { found: std::ptr::null(), name: c"PMPI_Init".as_ptr() };
        return (base == own).then_some(no);
    };
    let wrapper = layers::wrapper_named(&HANDED_DOWN.wrappers, name.to_str().ok()?).filter(|_| base == library.base)?;
    Some(LookupAnswer { found: wrapper as *const c_void, name: name.as_ptr() })
}
