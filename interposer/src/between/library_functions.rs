//! The C library's functions that the program calls between its calls of MPI, and ours that it calls in their place.
//!
//! Most are cancellation points, and some may be left by longjmp: so nothing is held across the real call, which is made by macros
//! rather than closures: without optimization, a frame that calls a closure has something to drop.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::library_calls;

/// The first instruction of each function: the return address is one more argument.
#[cfg(target_arch = "x86_64")]
macro_rules! with_site {
    ($a:ident) => { with_site!(@to "rsi") };
    ($a:ident $b:ident) => { with_site!(@to "rdx") };
    ($a:ident $b:ident $c:ident) => { with_site!(@to "rcx") };
    ($a:ident $b:ident $c:ident $d:ident) => { with_site!(@to "r8") };
    ($a:ident $b:ident $c:ident $d:ident $e:ident) => { with_site!(@to "r9") };
    (@to $register:literal) => { concat!("mov ", $register, ", qword ptr [rsp]\n jmp {inner}") };
}

#[cfg(target_arch = "aarch64")]
macro_rules! with_site {
    ($a:ident) => { with_site!(@to "x1") };
    ($a:ident $b:ident) => { with_site!(@to "x2") };
    ($a:ident $b:ident $c:ident) => { with_site!(@to "x3") };
    ($a:ident $b:ident $c:ident $d:ident) => { with_site!(@to "x4") };
    ($a:ident $b:ident $c:ident $d:ident $e:ident) => { with_site!(@to "x5") };
    (@to $register:literal) => { concat!("mov ", $register, ", x30\n b {inner}") };
}

/// A function of the C library with ours.
pub struct LibraryFunction {
    /// With its final zero.
    pub(super) name: &'static [u8],
    pub(super) own: unsafe extern "C-unwind" fn(),
    pub(super) find: fn() -> usize,
    pub(super) listener: &'static AtomicUsize,
}

impl LibraryFunction {
    /// The address of ours.
    pub fn own(&self) -> usize {
        self.own as usize
    }

    /// The address of the C library's; 0 if the process has none.
    pub fn real(&self) -> usize {
        (self.find)()
    }

    /// Has calls that libraries make inside MPI go on to another function of the recorder's, which listens to the engine.
    pub fn listens(&self, address: usize) {
        if address != self.own() {
            self.listener.store(address, Relaxed);
        }
    }
}

/// Makes functions, each in a shape: a macro that gets the real call, the call that is made where nothing is recorded, the call site, and
/// what the shape needs.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $shape:ident!($($given:tt)*);)*) => {
        $(mod $name {
            use super::*;
            use crate::function::Function;

            type Real = unsafe extern "C-unwind" fn($($type),*) -> $result;

            // SAFETY: its type, by POSIX and glibc's headers; one that takes any number of arguments has these in registers.
            static REAL: Function<Real> = unsafe { Function::first(stringify!($name)) };

            pub static LISTENER: AtomicUsize = AtomicUsize::new(0);

            pub fn find() -> usize {
                REAL.found().map_or(0, |real| real as usize)
            }

            #[unsafe(naked)]
            pub unsafe extern "C-unwind" fn entry() {
                std::arch::naked_asm!(
                    ".cfi_startproc", with_site!($($argument)*), ".cfi_endproc", inner = sym inner
                )
            }

            #[allow(unused_variables)]
            unsafe extern "C-unwind" fn inner($($argument: $type,)* site: usize) -> $result {
                $shape!(
                    // SAFETY: passes on what was passed.
                    (unsafe { REAL.get()($($argument),*) }),
                    // SAFETY: as above; the listener stands for the same function.
                    (unsafe { $crate::between::library_functions::aside(&LISTENER, REAL.get(), site)($($argument),*) }),
                    site,
                    $($given)*
                )
            }
        })*

        pub static FUNCTIONS: &[LibraryFunction] = &[$(LibraryFunction {
            name: concat!(stringify!($name), "\0").as_bytes(),
            own: $name::entry,
            find: $name::find,
            listener: &$name::LISTENER,
        }),*];
    };
}

pub(super) use {functions, with_site};

/// The function to call where the call is not recorded: the real one, or what listens to calls of libraries inside MPI.
///
/// # Safety
/// The listener, if there is one, must be a function of this type.
pub unsafe fn aside<F: Copy>(listener: &AtomicUsize, real: F, site: usize) -> F {
    let listener = listener.load(Relaxed);
    if listener == 0 || library_calls::is_in_program(site) {
        return real;
    }
    // SAFETY: by the contract.
    unsafe { std::mem::transmute_copy(&listener) }
}
