//! What lies between a program and MPI: bindings of other languages, and other tools that use MPI's profiling interface.
//!
//! Such a layer is called by the program and calls MPI in turn, by `MPI_X` or by `PMPI_X`, and often asks MPI for something
//! first that the program did not. In: the slots of all loaded objects ([`patch`]). Out: every call of the program is seen
//! once, by the wrapper of the C function, with the place in the program.
//!
//! - The program's slots for functions of a layer lead to [`stubs`], which note who called what and go on to the layer.
//! - The layer's slots for MPI lead to the wrappers' ways in for layers, which ask [`place`] what was noted.
//! - The datatypes that a Fortran binding makes for itself are no calls of the program; the recorder only learns that they are freed.
//! - What a layer does without MPI's function is recorded where it begins, by what a stub noted ([`binding`]).

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
pub use python::describe;
pub use wrappers::{WrapperEntries, Wrappers};

/// Of a question: MPI was called by its profiling name.
const ASKED_BY_PROFILING_NAME: u32 = 1 << 16;

/// The number that a wrapper asks [`place`] with.
pub const fn question(call: Call, by: CalledBy) -> u32 {
    call.number() as u32 | if matches!(by, CalledBy::ProfilingName) { ASKED_BY_PROFILING_NAME } else { 0 }
}

/// The address in the program that calls this.
pub fn address(site: CallSite, call: Call) -> usize {
    // The recorder's own rehearsal comes from nowhere, and the Fortran module mpi_f08 takes MPI_Wtime from C.
    if !site.is_layered() && site.word() != 0 && call.class() != Class::Query {
        languages::seen(Language::C);
    }
    site.address()
}

/// Where in the program a call comes from that a layer makes at `address`; 0 where the call is the layer's own.
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
        return site(python::here().map_or(address, |line| line as usize));
    }
    // What a layer asks of MPI on its way, before and after what the program called, is not the program's; nor is what
    // happens inside a call.
    let inside = by_profiling_name && current::thread().is_some_and(|thread| thread.nested());
    if call.class() == Class::Query || inside {
        return 0;
    }
    // MPICH's mpi_f08 makes, commits and frees a datatype for each section of an array. The recorder is to see them freed,
    // since their handles come again.
    if call.class() == Class::Datatype && fortran::holds(address) {
        return CallSite::of_binding(by).word();
    }
    site(address)
}

/// A call of a binding's function that the binding answers itself.
pub struct Binding {
    /// What it stands for.
    pub call: Call,
    /// Where the program made it.
    pub site: CallSite,
    /// The function.
    pub function: usize,
}

/// The call that the last stub on this thread noted, which led to code around the binding's function.
pub fn binding() -> Binding {
    let (noted, function) = (stubs::noted(), stubs::behind());
    stubs::forget();
    languages::seen(noted.language);
    Binding { call: noted.call, site: CallSite::layered(noted.caller, CalledBy::Name), function }
}
