//! C library functions under their old symbol versions, so that the library runs on hosts, and in containers, older
//! than the one it was built on.
//!
//! Rust's standard library and the unwinder bind to the newest versions at link time. For the names in `build.rs` the
//! linker turns `NAME` into `__wrap_NAME`, which this file defines.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::program_headers;

/// The parts that differ by machine: the C library's first version, the jump to one of its functions, and the code that
/// puts the original version of `struct stat` in front of two arguments.
#[cfg(target_arch = "x86_64")]
macro_rules! machine {
    (first) => {
        "GLIBC_2.2.5"
    };
    (go_on $to:expr) => {
        concat!("jmp qword ptr [rip + ", $to, "@GOTPCREL]")
    };
    (go_on_here) => {
        "jmp {find}"
    };
    (with_version) => {
        "mov rdx, rsi\n mov rsi, rdi\n mov edi, 1\n"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! machine {
    (first) => {
        "GLIBC_2.17"
    };
    (go_on $to:expr) => {
        concat!("adrp x16, :got:", $to, "\n ldr x16, [x16, :got_lo12:", $to, "]\n br x16")
    };
    (go_on_here) => {
        "b {find}"
    };
    (with_version) => {
        "mov x2, x1\n mov x1, x0\n mov w0, wzr\n"
    };
}

/// Wraps functions by their first version. They got a newer one in GLIBC_2.34 only because they moved from libpthread
/// and libdl into libc.
macro_rules! moved {
    ($($name:literal)*) => {
        $(
            std::arch::global_asm!(
                concat!(".symver overhear_old_", $name, ", ", $name, "@", machine!(first)),
                concat!(".hidden __wrap_", $name, "\n.globl __wrap_", $name),
                concat!("__wrap_", $name, ": ", machine!(go_on concat!("overhear_old_", $name))),
            );
        )*
    };
}

moved! {
    "dladdr" "dlopen" "dlsym" "dlvsym" "__pthread_key_create" "pthread_attr_getstack" "pthread_getattr_np" "pthread_key_create"
    "pthread_key_delete" "pthread_once" "pthread_setspecific" "pthread_sigmask" "sem_init" "sem_post" "sem_trywait"
}

/// Wraps functions that before GLIBC_2.33 took the version of `struct stat` as their first argument, under another
/// name.
macro_rules! with_version {
    ($($name:literal $old:literal)*) => {
        $(
            std::arch::global_asm!(
                concat!(".symver overhear_old_", $name, ", ", $old, "@", machine!(first)),
                concat!(".hidden __wrap_", $name, "\n.globl __wrap_", $name),
                concat!("__wrap_", $name, ": ", machine!(with_version), machine!(go_on concat!("overhear_old_", $name))),
            );
        )*
    };
}

with_version! { "fstat" "__fxstat" "fstat64" "__fxstat64" "lstat64" "__lxstat64" "stat64" "__xstat64" }

/// Leaves functions null: Rust's standard library does without them if they are missing.
macro_rules! done_without {
    ($($name:literal)*) => {
        $(std::arch::global_asm!(concat!(".weak __wrap_", $name, "\n.hidden __wrap_", $name));)*
    };
}

done_without! { "__cxa_thread_atexit_impl" "getrandom" "gettid" "statx" }

std::arch::global_asm!(
    ".hidden __wrap__dl_find_object\n.globl __wrap__dl_find_object",
    concat!("__wrap__dl_find_object: ", machine!(go_on_here)),
    find = sym find_object,
);

/// `struct dl_find_object` of GLIBC_2.35: the unwinder's information about the object at an address.
#[repr(C)]
struct DlFindObject {
    flags: u64,
    begin: *const c_void,
    end: *const c_void,
    link_map: *const c_void,
    eh_frame: *const c_void,
    reserved: [u64; RESERVED],
}

/// On aarch64 another address comes first.
const RESERVED: usize = if cfg!(target_arch = "aarch64") { 8 } else { 7 };

type FindObject = unsafe extern "C" fn(*const c_void, *mut DlFindObject) -> c_int;

/// The C library's `_dl_find_object`; 0 if it has none.
static FIND_OBJECT: AtomicUsize = AtomicUsize::new(0);

/// The name whose address [`has`] gets.
pub const NEWER: &CStr = c"_dl_find_object";

/// Sets the address of the C library's `_dl_find_object`. It is looked up when the library is loaded, since a look-up
/// waits for the loader's lock.
pub fn has(find_object: Option<usize>) {
    FIND_OBJECT.store(find_object.unwrap_or(0), Relaxed);
}

/// The memory of the object at an address.
pub fn object_at(address: usize) -> Option<Range<usize>> {
    unwind_table_at(address).map(|(memory, _)| memory)
}

/// The memory of the object at an address, and the address of its table of unwind information (`.eh_frame_hdr`).
pub fn unwind_table_at(address: usize) -> Option<(Range<usize>, usize)> {
    let mut object = MaybeUninit::uninit();
    // SAFETY: `find_object` fills the object if it returns 0.
    unsafe {
        let found = find_object(address as *const c_void, object.as_mut_ptr()) == 0;
        let DlFindObject { begin, end, eh_frame, .. } = found.then(|| object.assume_init())?;
        Some((begin as usize..end as usize, eh_frame as usize))
    }
}

/// Stands in for `_dl_find_object`, which the unwinder calls. The C library's takes no lock, so it may be called while
/// another thread holds the loader's and waits for this one.
unsafe extern "C" fn find_object(address: *const c_void, found: *mut DlFindObject) -> c_int {
    match FIND_OBJECT.load(Relaxed) {
        0 => find_under_lock(address, found),
        // SAFETY: the function's type, by dlfcn.h; it gets this function's arguments.
        known => unsafe { std::mem::transmute::<usize, FindObject>(known)(address, found) },
    }
}

/// Finds the object by the program headers. It may be slow: the stack is unwound only for a panic of ours and in
/// `recorder/thread/stack.rs`, off the straight line.
fn find_under_lock(address: *const c_void, found: *mut DlFindObject) -> c_int {
    let object = program_headers::find(|headers| {
        headers.parts(libc::PT_LOAD).find(|segment| segment.contains(&(address as usize)))?;
        let memory = headers.memory();
        let table = headers.parts(libc::PT_GNU_EH_FRAME).next()?;
        Some(DlFindObject {
            flags: 0,
            begin: memory.start as *const c_void,
            end: memory.end as *const c_void,
            link_map: std::ptr::null(),
            eh_frame: table.start as *const c_void,
            reserved: [0; RESERVED],
        })
    });
    let Some(object) = object else { return -1 };
    // SAFETY: the caller has room for it.
    unsafe { found.write(object) };
    0
}
