//! Our `dlclose`: other code may take the place of an unloaded object, and then an address no longer identifies a call
//! site.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loaded;
use crate::real;
use crate::recorder::file::sampled_paths;
use crate::recorder::guard;
use crate::symbol;
use recorder_core::call_paths;

/// The address of the C library's `dlclose`.
static REAL: AtomicUsize = AtomicUsize::new(0);

type Dlclose = unsafe extern "C" fn(*mut c_void) -> c_int;

#[cfg_attr(not(feature = "races"), unsafe(export_name = "dlclose"))]
#[cfg_attr(feature = "races", unsafe(export_name = "overhear_dlclose"))]
unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    // The look-up waits for the loader's lock, which the function takes anyway.
    if REAL.load(Relaxed) == 0 {
        REAL.store(symbol::next(c"dlclose").unwrap_or(0), Relaxed);
    }
    let unload = REAL.load(Relaxed);
    if unload == 0 {
        return -1;
    }
    if real::is_found() {
        guard::run(loaded::look);
    }
    // SAFETY: the function's type, by dlfcn.h; it gets this function's argument.
    let result = unsafe { std::mem::transmute::<usize, Dlclose>(unload)(handle) };
    call_paths::forget_all();
    sampled_paths::learn();
    result
}
