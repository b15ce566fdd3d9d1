//! A wrapper for every row of the table.
//!
//! The program calls `MPI_X`. A few instructions add the return address to the arguments, as one argument more, and go
//! on to `inner`: Rust code that observes the call and makes it. All arguments travel as register-wide words.

mod after;
pub mod draft;
pub mod observe;

use traces::calls::Call;

use crate::abi::Family;
use crate::args::{self, Argument};
use crate::real;
use crate::recorder::cache::Words;
use crate::recorder::{run, thread};
use draft::Draft;

/// The way from `MPI_X` to `inner`, by the names of the arguments.
///
/// While a register is free the return address goes there. When all are in use, calling `inner` puts the return
/// address on the stack before the arguments that are there already, with a word between them that keeps the stack
/// aligned: two arguments more, between those in registers and the others.
#[cfg(target_arch = "x86_64")]
macro_rules! entry {
    ([]) => {
        "mov rdi, [rsp]\n jmp {inner}"
    };
    ([$a:ident]) => {
        "mov rsi, [rsp]\n jmp {inner}"
    };
    ([$a:ident $b:ident]) => {
        "mov rdx, [rsp]\n jmp {inner}"
    };
    ([$a:ident $b:ident $c:ident]) => {
        "mov rcx, [rsp]\n jmp {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident]) => {
        "mov r8, [rsp]\n jmp {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident]) => {
        "mov r9, [rsp]\n jmp {inner}"
    };
    ([$($more:ident)*]) => {
        "sub rsp, 8\n .cfi_adjust_cfa_offset 8\n call {inner}\n add rsp, 8\n .cfi_adjust_cfa_offset -8\n ret"
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! inner {
    (fn($address:ident; $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $($stack:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($a $b $c $d $e $f _aligned $address $($stack)*) -> $result $body);
    };
    (fn($address:ident; $($register:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($($register)* $address) -> $result $body);
    };
    (@make ($($argument:ident)*) -> $result:ty $body:block) => {
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner($($argument: usize),*) -> $result $body
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! entry {
    ([]) => {
        "mov x0, x30\n b {inner}"
    };
    ([$a:ident]) => {
        "mov x1, x30\n b {inner}"
    };
    ([$a:ident $b:ident]) => {
        "mov x2, x30\n b {inner}"
    };
    ([$a:ident $b:ident $c:ident]) => {
        "mov x3, x30\n b {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident]) => {
        "mov x4, x30\n b {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident]) => {
        "mov x5, x30\n b {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident]) => {
        "mov x6, x30\n b {inner}"
    };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident]) => {
        "mov x7, x30\n b {inner}"
    };
    ([$($more:ident)*]) => {
        "stp x30, x30, [sp, #-16]!\n .cfi_adjust_cfa_offset 16\n .cfi_offset 30, -16\n bl {inner}\n \
         ldr x30, [sp], #16\n .cfi_adjust_cfa_offset -16\n .cfi_restore 30\n ret"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! inner {
    (fn($address:ident; $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $($stack:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($a $b $c $d $e $f $g $h $address _aligned $($stack)*) -> $result $body);
    };
    (fn($address:ident; $($register:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($($register)* $address) -> $result $body);
    };
    (@make ($($argument:ident)*) -> $result:ty $body:block) => {
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner($($argument: usize),*) -> $result $body
    };
}

/// The wrapper of one function.
macro_rules! wrapper {
    (core $symbol:expr, $($rest:tt)*) => {
        wrapper!(@make [#[unsafe(export_name = $symbol)]] $($rest)*);
    };
    (late $symbol:expr, $($rest:tt)*) => {
        wrapper!(@make [] $($rest)*);
    };
    (@make [$($export:tt)*] $call:expr, $wide:literal, ($($argument:ident: $kind:ident),*) -> $result:ty) => {
        const CALL: Call = $call;

        #[unsafe(naked)]
        $($export)*
        pub unsafe extern "C-unwind" fn entry() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                entry!([$($argument)*]),
                ".cfi_endproc",
                inner = sym inner
            )
        }

        inner!(fn(address; $($argument)*) -> $result {
            type Real = unsafe extern "C-unwind" fn($(word!($argument)),*) -> $result;
            const PLAIN: bool = !run::is_lifecycle(CALL) $(&& <args::$kind as Argument>::PLAIN)*;
            if let (true, Some(thread)) = (PLAIN, thread::current()) {
                let family = observe::family(thread);
                #[allow(unused_mut)]
                let mut words = Words::new(CALL.number(), address);
                $(args::$kind($argument).key::<$wide>(family, &mut words);)*
                if let Some(signature) = thread.cached(&words) {
                    #[allow(unused_mut)]
                    let mut draft = Draft::new();
                    $(args::$kind($argument).note::<$wide>(family, &mut draft);)*
                    return observe::cached(thread, family, draft, signature, wrapper!(@real Real, $($argument: $kind),*));
                }
            }
            let key = move |_family: &Family, _words: &mut Words| {
                $(args::$kind($argument).key::<$wide>(_family, _words);)*
            };
            let note = move |_family: &Family, _draft: &mut Draft| {
                $(args::$kind($argument).note::<$wide>(_family, _draft);)*
            };
            let real = wrapper!(@real Real, $($argument: $kind),*);
            observe::not_cached::<$result, PLAIN>(CALL, address, key, note, real)
        });
    };
    // Written out where it is used: a closure made before it is known which way the call takes would be kept in memory.
    (@real $real:ty, $($argument:ident: $kind:ident),*) => {
        move |_draft: &Draft| {
            // SAFETY: PMPI_X takes what MPI_X takes (MPI standard, profiling interface), and the address is that of
            // PMPI_X, or of a function that takes nothing.
            unsafe {
                let real = std::mem::transmute::<usize, $real>(real::address(CALL));
                real($(args::$kind($argument).forward(_draft)),*)
            }
        }
    };
}

macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

macro_rules! result {
    () => {
        i32
    };
    (Seconds) => {
        f64
    };
    ($value:ident) => {
        usize
    };
}

macro_rules! wrappers {
    ($($id:literal $name:ident $class:ident $reach:ident $(+ $large:ident)?
       ($($argument:tt)*) $(-> $returns:ident)?;)*) => {
        $(
            #[allow(non_snake_case, missing_docs, clippy::missing_safety_doc)]
            pub mod $name {
                use super::*;
                wrapper!($reach concat!("MPI_", stringify!($name)), Call::$name, false, ($($argument)*) -> result!($($returns)?));

                wrappers!(@large_of [$($large)?] $name ($($argument)*));
            }
        )*

        /// The wrappers of functions that are not exported, to be reached through the slots of the program's objects.
        #[allow(clippy::vec_init_then_push)]
        pub fn late() -> Vec<(Call, usize)> {
            let mut late = Vec::new();
            $(wrappers!(@late $reach late $name [$($large)?]);)*
            late
        }
    };
    (@large_of [] $name:ident $arguments:tt) => {};
    (@large_of [c] $name:ident $arguments:tt) => {
        // Some library lacks every one of the large-count forms.
        pub mod large {
            use super::*;
            wrapper!(late "", Call::$name.large(), true, $arguments -> i32);
        }
    };
    (@late core $late:ident $name:ident []) => {};
    (@late core $late:ident $name:ident [c]) => {
        $late.push((Call::$name.large(), $name::large::entry as unsafe extern "C-unwind" fn() as usize));
    };
    (@late late $late:ident $name:ident [$($large:ident)?]) => {
        $late.push((Call::$name, $name::entry as unsafe extern "C-unwind" fn() as usize));
        wrappers!(@late core $late $name [$($large)?]);
    };
}

traces::calls!(wrappers);
