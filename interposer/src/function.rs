//! A function of another library, found when it is first needed.

use std::ffi::{CString, c_int};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loaded;
use crate::symbol;

/// See the module. `F` is its type.
pub struct Function<F> {
    name: &'static str,
    /// Whether the first in the process is meant, not the first behind ours.
    first: bool,
    address: AtomicUsize,
    kind: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    /// A function whose name we export ourselves: the one that comes behind ours.
    ///
    /// # Safety
    /// `F` is the type of function pointers that the function of this name has.
    pub const unsafe fn behind_ours(name: &'static str) -> Function<F> {
        Function { name, first: false, address: AtomicUsize::new(0), kind: PhantomData }
    }

    /// A function that the process would call without us.
    ///
    /// # Safety
    /// As for [`behind_ours`](Self::behind_ours).
    pub const unsafe fn first(name: &'static str) -> Function<F> {
        Function { name, first: true, address: AtomicUsize::new(0), kind: PhantomData }
    }

    /// The function; one that does nothing and returns 0 where there is none.
    #[inline(always)]
    pub fn get(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) }
        // SAFETY: whoever named the function said that this is its type.
        unsafe { std::mem::transmute_copy(&self.address()) }
    }

    /// The function, if the process has it now.
    pub fn found(&self) -> Option<F> {
        self.exists().then(|| self.get())
    }

    #[inline(always)]
    fn address(&self) -> usize {
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
