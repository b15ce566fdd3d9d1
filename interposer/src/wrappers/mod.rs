//! A wrapper for every row of the table of calls.
//!
//! The program calls `MPI_X`. A few instructions ([`mod@entry`]) add the call's place as one more argument, and jump to
//! `inner`: Rust code that records the call and makes it. All arguments are passed as register-wide words.

mod after;
mod answered;
mod args;
mod around;
mod contents;
mod entry;
pub mod numbering;
mod observe;
mod program_call;

use traces::calls::Call;

use crate::abi::Family;
use crate::call_site::{CallSite, CalledBy};
use crate::layers::{self, WrapperEntries, Wrappers};
use crate::lifecycle::{self, HandedDown};
use crate::real;
use crate::recorder::process::recorded;
use crate::recorder::thread::draft::Draft;
use args::Argument;
use entry::{entry, forward, go_on, if_forwarded, inner, layered};
use recorder_core::cache::Words;

/// The wrappers, passed down to lower floors that need them.
pub static HANDED_DOWN: HandedDown =
    HandedDown { wrappers: Wrappers::new(all, answered::around), rehearse: observe::rehearse };

macro_rules! wrapper {
    (core $symbol:expr, $($rest:tt)*) => {
        wrapper!(@make [#[unsafe(export_name = $symbol)]] $($rest)*);
    };
    (late $symbol:expr, $($rest:tt)*) => {
        wrapper!(@make [#[cfg_attr(feature = "archive", unsafe(export_name = concat!("overhear_", $symbol)))]] $($rest)*);
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
                forwarded = sym recorded::FORWARDED,
                place = const recorded::place(CALL),
                inner = sym inner,
                real = sym real::POINTERS,
                offset = const real::offset(CALL, CalledBy::Name),
            )
        }

        wrapper!(@layered by_name CalledBy::Name, [$($argument)*]);
        wrapper!(@layered by_profiling_name CalledBy::ProfilingName, [$($argument)*]);

        pub const WAYS: WrapperEntries = WrapperEntries { program: entry, by_name, by_profiling_name };

        #[derive(Clone, Copy)]
        struct ProgramCall {
            site: CallSite,
            $($argument: usize),*
        }

        impl program_call::ProgramCall for ProgramCall {
            type Outcome = $result;
            const PLAIN: bool = !lifecycle::is_lifecycle(CALL) $(&& <args::$kind as Argument>::PLAIN)*;

            #[inline(always)]
            fn call(&self) -> Call {
                CALL
            }

            #[inline(always)]
            fn site(&self) -> CallSite {
                self.site
            }

            #[inline(always)]
            fn key(&self, _family: &Family, _words: &mut Words) {
                $(args::$kind(self.$argument).key::<$wide>(_family, _words);)*
            }

            #[inline(always)]
            fn note(&self, _family: &Family, _draft: &mut Draft) {
                $(args::$kind(self.$argument).note::<$wide>(_family, _draft);)*
            }

            #[inline(always)]
            fn make(&self, _status: Option<usize>) -> $result {
                // SAFETY: PMPI_X takes what MPI_X takes (MPI standard, profiling interface), and the address is that of
                // PMPI_X, of another tool's MPI_X, or of a function that takes nothing.
                unsafe {
                    type Real = unsafe extern "C-unwind" fn($(word!($argument)),*) -> $result;
                    let real = std::mem::transmute::<usize, Real>(real::behind(CALL, self.site));
                    real($(args::$kind(self.$argument).forward(_status)),*)
                }
            }
        }

        inner!(fn(place; $($argument)*) -> $result {
            observe::call(ProgramCall { site: CallSite::from_word(place), $($argument),* })
        });
    };
    (@layered $name:ident $by:path, [$($argument:ident)*]) => {
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                layered!([$($argument)*]),
                ".cfi_endproc",
                forwarded = sym recorded::FORWARDED,
                place = const recorded::place(CALL),
                number = const layers::question(CALL, $by),
                ask = sym entry::ask,
                inner = sym inner,
                real = sym real::POINTERS,
                offset = const real::offset(CALL, $by),
            )
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

        #[allow(clippy::vec_init_then_push)]
        fn all() -> Vec<(Call, WrapperEntries)> {
            let mut all = Vec::new();
            $(
                all.push((Call::$name, $name::WAYS));
                wrappers!(@all_of [$($large)?] all $name);
            )*
            all
        }
    };
    (@large_of [] $name:ident $arguments:tt) => {};
    (@large_of [c] $name:ident $arguments:tt) => {
        // Each large-count form is missing in some MPI library, so all are `late`.
        pub mod large {
            use super::*;
            wrapper!(late concat!("MPI_", stringify!($name), "_c"), Call::$name.large(), true, $arguments -> i32);
        }
    };
    (@all_of [] $all:ident $name:ident) => {};
    (@all_of [c] $all:ident $name:ident) => {
        $all.push((Call::$name.large(), $name::large::WAYS));
    };
}

traces::calls!(wrappers);
