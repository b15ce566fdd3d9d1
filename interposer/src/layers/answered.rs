//! Functions that a binding answers without MPI's function of the same name: attributes, whose values are integers in
//! Fortran, and what takes callbacks.
//!
//! In: what a stub noted. Out: the call, recorded around the binding's function, without what its arguments say.

use traces::calls::{Call, Class, Kind, Returns};

use super::{LAYERED, languages, stubs};
use crate::recorder::abandoned;
use crate::wrappers::observe;

/// Arguments that every processor has registers for.
const REGISTERS: usize = 6;

/// A function of a binding.
type Binding = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// Whether [`call`] can hand on what a Fortran function takes.
pub fn fits(call: Call) -> bool {
    let row = call.row();
    // The length of a text is an argument, too, and so is the error code.
    let words = row.arguments.iter().map(|(_, kind)| if matches!(kind, Kind::Str | Kind::StrOut) { 2 } else { 1 });
    row.returns == Returns::Code && row.class != Class::Lifecycle && words.sum::<usize>() < REGISTERS
}

/// What a stub leads to for such a function.
pub unsafe extern "C-unwind" fn call(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
    let (noted, binding) = (stubs::noted(), stubs::behind());
    stubs::forget();
    languages::seen(noted.language);
    // SAFETY: the binding's function gets all that the program passed, and maybe more.
    let real = |_: &_| unsafe { std::mem::transmute::<usize, Binding>(binding)(a, b, c, d, e, f) };
    let place = noted.caller | LAYERED;
    observe::not_cached::<usize, false>(noted.call, place, abandoned::frame(), |_, _| (), |_, _| (), real)
}
