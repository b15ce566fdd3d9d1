//! Layers between a program and MPI: bindings of other languages, and other tools that use MPI's profiling interface.
//!
//! The program calls such a layer, and the layer calls MPI by `MPI_X` or `PMPI_X`, often with queries first that the
//! program did not make. In: the slots of all loaded objects ([`mod@patch`]). Out: the wrapper of the C function sees
//! every call of the program once, with its place in the program.
//!
//! - The program's slots for functions of a layer lead to [`stubs`], which note caller and function, and go on to the
//!   layer.
//! - The layer's slots for MPI lead to the wrappers' entries for layers, which ask [`place`] for the noted caller.
//! - Datatypes that a Fortran binding makes for itself are no calls of the program; the recorder only notes when they
//!   are freed.
//! - If a layer does a function's work without calling MPI, a wrapper around the layer's function records the call
//!   ([`binding`]).

mod fortran;
mod languages;
mod patch;
mod python;
mod stubs;
mod wrappers;

use traces::calls::{Call, Class};
use traces::definitions::Language;

use crate::call_site::{CallSite, CalledBy};
use crate::recorder::thread::current;

pub use languages::new as new_languages;
#[cfg(not(feature = "archive"))]
pub use patch::wrapper_named;
pub use patch::{calls_unseen, patch};
pub use python::{PathPlace, describe, path};
pub use wrappers::{WrapperEntries, Wrappers};

/// Set in a question if MPI was called by its profiling name.
const ASKED_BY_PROFILING_NAME: u32 = 1 << 16;

/// The argument that a wrapper passes to [`place`]: the call's number, and the name that MPI was called by.
pub const fn question(call: Call, by: CalledBy) -> u32 {
    call.number() as u32 | if matches!(by, CalledBy::ProfilingName) { ASKED_BY_PROFILING_NAME } else { 0 }
}

/// Notes the language C for a call that no layer made.
pub fn is_called(site: CallSite, call: Call) {
    // Not C: the recorder's own rehearsal, whose site is 0, and queries, since Fortran's mpi_f08 takes MPI_Wtime from
    // C.
    if !site.is_layered() && site.word() != 0 && call.class() != Class::Query {
        languages::seen(Language::C);
    }
}

/// The word of the [`CallSite`] of a call that a layer makes at `address`; 0 if the call is the layer's own.
pub extern "C" fn place(question: u32, address: usize) -> usize {
    let by_profiling_name = question & ASKED_BY_PROFILING_NAME != 0;
    let by = if by_profiling_name { CalledBy::ProfilingName } else { CalledBy::Name };
    let site = |address| CallSite::layered(address, by).word();
    let Some(call) = Call::from_number(question as u16) else { return 0 };
    let noted = stubs::noted();
    if noted.caller != 0 && noted.call == call {
        stubs::forget();
        languages::seen(noted.language);
        return site(noted.caller);
    }
    if python::holds(address) {
        languages::seen(Language::Python);
        return python::here().map_or_else(|| site(address), |number| CallSite::of_python(number, by).word());
    }
    // A layer's queries before and after the program's call are its own, and so are its calls inside another call.
    let inside = by_profiling_name && current::thread().is_some_and(|thread| thread.nested());
    if call.class() == Class::Query || inside {
        return 0;
    }
    // MPICH's mpi_f08 makes, commits and frees a datatype for each section of an array. The recorder must see them
    // freed, since MPI reuses their handles.
    if call.class() == Class::Datatype && fortran::holds(address) {
        return CallSite::of_binding(by).word();
    }
    site(address)
}

/// A call of a binding's function that does not call MPI's.
pub struct Binding {
    pub call: Call,
    pub site: CallSite,
    pub function: usize,
}

/// The call that this thread's last stub noted before it went on to the wrapper around the binding's function.
pub fn binding() -> Binding {
    let (noted, function) = (stubs::noted(), stubs::behind());
    stubs::forget();
    languages::seen(noted.language);
    Binding { call: noted.call, site: CallSite::layered(noted.caller, CalledBy::Name), function }
}
