//! Functions of the C library under the versions that old ones have, so that the library runs on hosts, and in containers,
//! older than the one it is built on.
//!
//! In: what Rust's standard library and the unwinder call. Out: the same function by its first version, or another that does
//! the same. The linker turns every call of the name into one of `__wrap_` and the name; the names are in `build.rs`.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// A function that is what it was, under a version that was new when libpthread and libdl became part of libc.
macro_rules! unchanged {
    ($($name:literal $version:literal;)*) => {
        $(
            #[cfg(target_arch = "x86_64")]
            std::arch::global_asm!(
                concat!(".symver overhear_old_", $name, ", ", $name, "@", $version),
                concat!(".globl __wrap_", $name),
                concat!(".hidden __wrap_", $name),
                concat!(".type __wrap_", $name, ",@function"),
                concat!("__wrap_", $name, ":"),
                concat!("jmp *overhear_old_", $name, "@GOTPCREL(%rip)"),
                options(att_syntax)
            );
        )*
    };
}

unchanged! {
    "dlsym" "GLIBC_2.2.5";
    "dladdr" "GLIBC_2.2.5";
    "dlopen" "GLIBC_2.2.5";
    "pthread_key_create" "GLIBC_2.2.5";
    "pthread_key_delete" "GLIBC_2.2.5";
    "pthread_setspecific" "GLIBC_2.2.5";
    "pthread_once" "GLIBC_2.2.5";
    "__pthread_key_create" "GLIBC_2.2.5";
}
