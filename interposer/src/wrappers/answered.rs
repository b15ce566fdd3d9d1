//! Functions that a binding answers without MPI's function of the same name: attributes, whose values are integers in
//! Fortran, and what takes callbacks.
//!
//! In: what a stub noted. Out: the call, recorded around the binding's function, without what its arguments say.

use traces::calls::{ArgumentKind, Call, Class, Returns};

use super::observe::{self, ProgramCall};
use crate::abi::Family;
use crate::call_site::CallSite;
use crate::layers;
use crate::recorder::thread::draft::Draft;
use recorder_core::cache::Words;

/// Arguments that every processor has registers for.
const REGISTERS: usize = 6;

/// A function of a binding.
type Binding = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// The code that records this call around a binding's function; `None` where it cannot hand on what a Fortran function takes.
pub fn around(call: Call) -> Option<usize> {
    fits(call).then_some(self::call as *const () as usize)
}

fn fits(call: Call) -> bool {
    let row = call.row();
    // The length of a text is an argument, too, and so is the error code.
    let words = row
        .arguments
        .iter()
        .map(|(_, kind)| if matches!(kind, ArgumentKind::Str | ArgumentKind::StrOut) { 2 } else { 1 });
    row.returns == Returns::Code && row.class != Class::Lifecycle && words.sum::<usize>() < REGISTERS
}

/// A call of such a function: what it was given, and where.
#[derive(Clone, Copy)]
struct Answered {
    call: Call,
    site: CallSite,
    function: usize,
    arguments: [usize; REGISTERS],
}

impl ProgramCall for Answered {
    type Outcome = usize;
    const PLAIN: bool = false;

    fn call(&self) -> Call {
        self.call
    }

    fn site(&self) -> CallSite {
        self.site
    }

    fn key(&self, _: &Family, _: &mut Words) {}

    fn note(&self, _: &Family, _: &mut Draft) {}

    fn make(&self, _: Option<usize>) -> usize {
        let [a, b, c, d, e, f] = self.arguments;
        // SAFETY: the binding's function gets all that the program passed, and maybe more.
        unsafe { std::mem::transmute::<usize, Binding>(self.function)(a, b, c, d, e, f) }
    }
}

/// What a stub leads to for such a function.
unsafe extern "C-unwind" fn call(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
    let layers::Binding { call, site, function } = layers::binding();
    observe::call(Answered { call, site, function, arguments: [a, b, c, d, e, f] })
}
