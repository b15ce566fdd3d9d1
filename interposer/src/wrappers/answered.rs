//! Wrappers around functions of a Fortran binding that do not call MPI's function of the same name: attributes, whose
//! values are integers in Fortran, and functions that take callbacks.
//!
//! In: the call that a stub noted. Out: the call, recorded around the binding's function without its arguments.

use traces::calls::{ArgumentKind, Call, Class, Returns};

use super::observe;
use super::program_call::ProgramCall;
use crate::abi::Family;
use crate::call_site::CallSite;
use crate::layers;
use crate::recorder::thread::draft::Draft;
use recorder_core::cache::Words;

/// Arguments that are in registers on every processor.
const REGISTERS: usize = 6;

/// A binding's function; it gets all six registers.
type Binding = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// The code that records this call around a binding's function; `None` if the function may have arguments on the stack.
pub fn around(call: Call) -> Option<usize> {
    fits(call).then_some(self::call as *const () as usize)
}

fn fits(call: Call) -> bool {
    let row = call.row();
    // In Fortran the length of a string is an additional argument, and so is the error code.
    let words = row
        .arguments
        .iter()
        .map(|(_, kind)| if matches!(kind, ArgumentKind::Str | ArgumentKind::StrOut) { 2 } else { 1 });
    row.returns == Returns::Code && row.class != Class::Lifecycle && words.sum::<usize>() < REGISTERS
}

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
        // SAFETY: the binding's function gets all arguments that the program passed; surplus ones are ignored.
        unsafe { std::mem::transmute::<usize, Binding>(self.function)(a, b, c, d, e, f) }
    }
}

/// The target of stubs for these functions.
unsafe extern "C-unwind" fn call(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
    let layers::Binding { call, site, function } = layers::binding();
    observe::call(Answered { call, site, function, arguments: [a, b, c, d, e, f] })
}
