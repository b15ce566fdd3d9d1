//! A function of another library, found when it is first needed.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::real;

/// See the module.
pub struct Symbol {
    name: &'static str,
    /// Whether the first in the process is meant, not the first behind ours.
    first: bool,
    address: AtomicUsize,
}

impl Symbol {
    /// A function whose name we export ourselves: the one that comes behind ours.
    pub const fn behind_ours(name: &'static str) -> Symbol {
        Symbol { name, first: false, address: AtomicUsize::new(0) }
    }

    /// A function that the process would call without us.
    pub const fn first(name: &'static str) -> Symbol {
        Symbol { name, first: true, address: AtomicUsize::new(0) }
    }

    /// Its address; that of a function which does nothing and returns 0 where there is none.
    #[inline(always)]
    pub fn address(&self) -> usize {
        match self.address.load(Relaxed) {
            0 => self.find(),
            address => address,
        }
    }

    /// Whether the process has it now.
    pub fn exists(&self) -> bool {
        if self.address() == nothing as *const () as usize {
            // The library may come later.
            self.address.store(0, Relaxed);
            return false;
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn find(&self) -> usize {
        let scope = if self.first { libc::RTLD_DEFAULT } else { libc::RTLD_NEXT };
        let name = CString::new(self.name).unwrap_or_default();
        // SAFETY: looks up a symbol by name.
        let address = match unsafe { libc::dlsym(scope, name.as_ptr()) } as usize {
            0 => real::find_anywhere(&name).unwrap_or(nothing as *const () as usize),
            address => address,
        };
        self.address.store(address, Relaxed);
        address
    }
}

extern "C" fn nothing() -> c_int {
    0
}

/// What holds an address: the object's path, where it is loaded, and the symbol that begins there, if one does.
pub fn describe(address: usize) -> Option<(String, usize, Option<String>)> {
    // SAFETY: dladdr only writes to `info`; the names it gives live as long as the object.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let text = |name| CStr::from_ptr(name).to_string_lossy().into_owned();
        let begins = !info.dli_sname.is_null() && info.dli_saddr as usize == address;
        Some((text(info.dli_fname), info.dli_fbase as usize, begins.then(|| text(info.dli_sname))))
    }
}
