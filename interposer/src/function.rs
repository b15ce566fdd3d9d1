//! A function of another library, found when it is first needed.

use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loaded;
use crate::symbol;

/// See the module.
pub struct Function {
    name: &'static str,
    /// Whether the first in the process is meant, not the first behind ours.
    first: bool,
    address: AtomicUsize,
}

impl Function {
    /// A function whose name we export ourselves: the one that comes behind ours.
    pub const fn behind_ours(name: &'static str) -> Function {
        Function { name, first: false, address: AtomicUsize::new(0) }
    }

    /// A function that the process would call without us.
    pub const fn first(name: &'static str) -> Function {
        Function { name, first: true, address: AtomicUsize::new(0) }
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
        let name = CString::new(self.name).unwrap_or_default();
        let found = if self.first { symbol::first(&name) } else { symbol::next(&name) };
        let address = found.or_else(|| loaded::find_anywhere(&name)).unwrap_or(nothing as *const () as usize);
        self.address.store(address, Relaxed);
        address
    }
}

extern "C" fn nothing() -> c_int {
    0
}
