//! How the library is linked: with the unwinder in it, so that it depends on nothing but the C library, and on no newer one
//! than it has to.

/// Functions that are newer than they need to be; see `src/old_libc.rs`.
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
    // The addresses of wrappers are those of ours, also where another tool's functions of these names come first.
    link("-Bsymbolic-functions");
    // Threads keep pointers into the library, so it must never be unloaded.
    link("-z,nodelete");
    NEWER.iter().for_each(|name| link(&format!("--wrap={name}")));
    // Where they are no part of libc yet, this is where the functions are.
    link("--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state");
}

fn link(arguments: &str) {
    println!("cargo:rustc-link-arg-cdylib=-Wl,{arguments}");
}
