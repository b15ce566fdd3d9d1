//! Writes the calls in Fortran: a module with one subroutine for each, and C functions that call the subroutines.
//!
//! In: the functions that a style of binding has. Out: for each, a subroutine with one MPI call, and a C function with
//! the C arguments, so the rest of the program stays as it is. [`arguments`] converts handles, numbers by reference and
//! text lengths.

mod arguments;
mod passing;

use std::fmt::Write;

use traces::calls::{Call, Returns};

use super::callable::{self, BY_MAIN};
use super::limits;
use super::style::{Style, name};
use crate::mpi::{Fortran, Mpi};
use arguments::FortranArgument;
use passing::Passing;

/// Source file of the module.
pub const TRIED: &str = "tried.f90";

/// gfortran's prefix for the module's symbols.
const SYMBOL: &str = "__tried_MOD_call_";

/// Returns the module's text, and the line of each function's call.
pub fn module(calls: &[Call], style: Style) -> (String, Vec<usize>) {
    let mut text = format!("module tried\n{}contains\n", style.opening());
    text.push_str(include_str!("ignored.inc"));
    let lines = calls.iter().map(|call| {
        let (before, statement) = subroutine(*call, style);
        text.push_str(&before);
        let line = text.lines().count() + 1;
        writeln!(text, "{statement}\n  end subroutine").expect("to a string");
        line
    });
    let lines = lines.collect();
    text.push_str("end module\n");
    (text, lines)
}

/// A call's place, as reports name it.
pub fn site(call: Call, line: usize) -> String {
    format!("tried::call_{} ({TRIED}:{line})", call.name().to_lowercase())
}

/// Returns the subroutine up to the MPI call, and the call.
fn subroutine(call: Call, style: Style) -> (String, String) {
    let passed = passed(call, style);
    let result = result_type(call);
    let (declared, name) = (passed.iter().filter(|passing| !passing.is_constant()), name(call));
    let dummies: Vec<&str> = declared.clone().map(|passing| passing.name).chain(["result_"]).collect();
    let mut before = format!("  subroutine call_{}({})\n", call.name(), dummies.join(", "));
    for passing in declared {
        writeln!(before, "    {}", passing.declaration).expect("to a string");
    }
    writeln!(before, "    {result} :: result_").expect("to a string");
    if matches!((call.row().returns, style), (Returns::Value(_), Style::Mpif)) {
        // MPICH's mpif.h does not declare these.
        writeln!(before, "    {result}, external :: MPI_{name}").expect("to a string");
    }
    let mut actual: Vec<&str> = passed.iter().map(|passing| passing.actual.as_str()).collect();
    if call.row().returns != Returns::Code {
        return (before, format!("    result_ = MPI_{name}({})", actual.join(", ")));
    }
    actual.extend(has_code(call).then_some("result_"));
    (before, format!("    call MPI_{name}({})", actual.join(", ")))
}

/// C declarations that all bridge functions use.
pub const BRIDGE: &str = include_str!("bridge.h");

/// A C function that calls the subroutine.
pub fn bridge(call: Call, style: Style) -> String {
    let passed = passed(call, style);
    let name = call.name();
    let symbol = format!("{SYMBOL}{}", name.to_lowercase());
    let parameters: Vec<String> = FortranArgument::all_of(call, style).map(FortranArgument::parameter).collect();
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    let result = match call.row().returns {
        Returns::Code => "int",
        Returns::Seconds => "double",
        Returns::Value(of) => of,
    };
    let references = passed.iter().filter(|passing| !passing.is_constant()).map(|passing| passing.reference.as_str());
    // gfortran passes text lengths after all other arguments.
    let lengths = passed.iter().filter_map(|passing| passing.length.as_deref());
    let all: Vec<&str> = references.chain(["&result_"]).chain(lengths).collect();
    let part = |part: fn(&Passing) -> &str| passed.iter().map(part).collect::<String>();
    let (before, after) = (part(|passing| &passing.before), part(|passing| &passing.after));
    format!(
        "void {symbol}();\nstatic {result} fortran_{name}({parameters}) {{\n    {result} result_ = 0;\n{before}    \
         {symbol}({});\n{after}    return result_;\n}}\n",
        all.join(", ")
    )
}

/// Arguments that exist in Fortran.
fn passed(call: Call, style: Style) -> Vec<Passing> {
    FortranArgument::all_of(call, style)
        .filter(|argument| argument.is_in_fortran())
        .map(FortranArgument::passing)
        .collect()
}

fn result_type(call: Call) -> &'static str {
    match call.row().returns {
        Returns::Code => "integer",
        Returns::Seconds => "double precision",
        Returns::Value(_) => "integer(kind=MPI_ADDRESS_KIND)",
    }
}

/// MPI_Pcontrol alone has no error code in Fortran.
fn has_code(call: Call) -> bool {
    call.row().name != "Pcontrol"
}

/// Functions of a library that a style has, with those that `main` calls.
pub fn callable(mpi: &Mpi, fortran: &Fortran, style: Style) -> Vec<Call> {
    let exports = fortran.exports();
    let left_out = limits::not_from_fortran(mpi, style);
    let by_main = |call: &Call| BY_MAIN.contains(&call.mpi_name().as_str());
    // The module mpi_f08 may take the clock functions from C.
    let is_clock = |call: &Call| call.row().returns == Returns::Seconds;
    // Fortran's handles are integers: Intel MPI exports these conversions but declares none.
    let is_handle = |call: &Call| ["_toint", "_fromint"].iter().any(|end| call.row().name.ends_with(end));
    let has = |call: &Call| by_main(call) || is_clock(call) || style.has(&exports, *call) && !is_handle(call);
    let calls = callable::callable(mpi).into_iter().filter(has);
    calls.filter(|call| !left_out.contains(&call.mpi_name().as_str())).collect()
}
