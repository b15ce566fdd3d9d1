//! Linker arguments: the unwinder is linked in, so that the library needs only the C library, and no newer one than
//! necessary.

/// Functions whose default version would require a newer glibc than necessary; `src/old_libc.rs` wraps them.
const NEWER: &[&str] = &[
    "__cxa_thread_atexit_impl",
    "__pthread_key_create",
    "_dl_find_object",
    "dladdr",
    "dlopen",
    "dlsym",
    "dlvsym",
    "fstat",
    "fstat64",
    "getrandom",
    "gettid",
    "lstat64",
    "pthread_attr_getstack",
    "pthread_getattr_np",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_once",
    "pthread_setspecific",
    "pthread_sigmask",
    "sem_init",
    "sem_post",
    "sem_trywait",
    "stat64",
    "statx",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    link("--push-state,--whole-archive,-Bstatic,-lgcc_eh,--pop-state");
    // Binds our references to our own wrappers, even if another tool's functions of the same names come first.
    link("-Bsymbolic-functions");
    // Threads keep pointers into the library, so it must never be unloaded.
    link("-z,nodelete");
    for name in NEWER {
        link(&format!("--wrap={name}"));
    }
    // Before glibc 2.34 these functions are in libraries outside libc.
    link("--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state");
}

fn link(arguments: &str) {
    println!("cargo:rustc-link-arg-cdylib=-Wl,{arguments}");
}
