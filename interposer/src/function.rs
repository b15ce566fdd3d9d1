//! A function of another library, looked up at its first call.

use std::ffi::{CString, c_int};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::loaded;

/// `F` is the function's pointer type.
pub struct Function<F> {
    name: &'static str,
    /// True to find the first function in the process, rather than the first after ours.
    first: bool,
    address: AtomicUsize,
    kind: PhantomData<F>,
}

impl<F: Copy> Function<F> {
    /// A function whose name we export: the next one in the order of linking.
    ///
    /// # Safety
    /// `F` must be the pointer type of the function.
    pub const unsafe fn behind_ours(name: &'static str) -> Function<F> {
        Function { name, first: false, address: AtomicUsize::new(0), kind: PhantomData }
    }

    /// The first function of this name in the process.
    ///
    /// # Safety
    /// `F` must be the pointer type of the function.
    pub const unsafe fn first(name: &'static str) -> Function<F> {
        Function { name, first: true, address: AtomicUsize::new(0), kind: PhantomData }
    }

    /// The function, or one that does nothing and returns 0 if it does not exist.
    #[inline(always)]
    pub fn get(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) }
        // SAFETY: by the constructor's contract `F` is the function's type; `nothing` takes any arguments.
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

    pub fn exists(&self) -> bool {
        if self.address() == nothing as *const () as usize {
            // Look again next time: the library may be loaded later.
            self.address.store(0, Relaxed);
            return false;
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn find(&self) -> usize {
        let name = CString::new(self.name).unwrap_or_default();
        let address = loaded::find_function(&name, !self.first).unwrap_or(nothing as *const () as usize);
        self.address.store(address, Relaxed);
        address
    }
}

extern "C" fn nothing() -> c_int {
    0
}
