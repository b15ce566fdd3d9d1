//! Questions to the loader: the address of a name, and the object at an address.
//!
//! Each waits while another thread loads a library, and so for the constructors of that, which may wait for a call of
//! MPI. They are asked only where the program has the loader wait itself: when it begins, looks something up, unloads a
//! library, or initializes MPI.

use std::ffi::{CStr, c_char, c_void};
#[cfg(not(feature = "archive"))]
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The first definition of a name in the process.
pub fn first(name: &CStr) -> Option<usize> {
    lookup(libc::RTLD_DEFAULT, name)
}

/// The next definition of a name after ours.
pub fn next(name: &CStr) -> Option<usize> {
    lookup(libc::RTLD_NEXT, name)
}

/// `dlsym` of the C library, with this library as the caller.
pub fn lookup(handle: *mut c_void, name: &CStr) -> Option<usize> {
    type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
    // SAFETY: the address is that of dlsym.
    let found = unsafe { std::mem::transmute::<usize, Dlsym>(dlsym())(handle, name.as_ptr()) } as usize;
    (found != 0).then_some(found)
}

/// The address of the C library's dlsym, which is the only one.
#[cfg(feature = "archive")]
pub fn dlsym() -> usize {
    libc::dlsym as *const () as usize
}

/// The address of the C library's dlsym, which ours hides.
#[cfg(not(feature = "archive"))]
pub fn dlsym() -> usize {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    // dlsym's first version, which every C library has.
    #[cfg(target_arch = "x86_64")]
    const VERSION: &CStr = c"GLIBC_2.2.5";
    #[cfg(target_arch = "aarch64")]
    const VERSION: &CStr = c"GLIBC_2.17";
    if REAL.load(Relaxed) == 0 {
        // SAFETY: looks up a symbol by name and version.
        let real = unsafe { libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), VERSION.as_ptr()) };
        REAL.store(real as usize, Relaxed);
    }
    REAL.load(Relaxed)
}

/// The path and load address of the object that holds an address.
pub fn definer(address: usize) -> Option<(&'static CStr, usize)> {
    let info = information(address)?;
    // SAFETY: the name lives as long as the object, which stays loaded.
    Some((unsafe { CStr::from_ptr(info.dli_fname) }, info.dli_fbase as usize))
}

fn information(address: usize) -> Option<libc::Dl_info> {
    // SAFETY: dladdr only writes to `info`.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let found = libc::dladdr(address as *const c_void, &mut info) != 0 && !info.dli_fname.is_null();
        found.then_some(info)
    }
}
