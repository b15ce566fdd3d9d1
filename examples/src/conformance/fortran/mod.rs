//! The same calls from Fortran: a module with one subroutine for each, and the C functions that call those.
//!
//! In: the functions that a style of binding has. Out: for each, a subroutine whose one statement calls MPI, and a C function
//! with the arguments of the C one, so that all else of the program stays as it is. Handles, numbers by reference and
//! lengths of texts are what [`arguments`] is about.

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

/// The source file of the module.
pub const TRIED: &str = "tried.f90";

/// The module, as gfortran names what is in it.
const SYMBOL: &str = "__tried_MOD_call_";

/// The module, and the line of the call of each function.
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

/// How a report names the place of a call.
pub fn site(call: Call, line: usize) -> String {
    format!("tried::call_{} ({TRIED}:{line})", call.name().to_lowercase())
}

/// The subroutine that makes a call, up to the statement, and the statement.
fn subroutine(call: Call, style: Style) -> (String, String) {
    let passed = passed(call, style);
    let result = result_type(call);
    let (declared, name) = (passed.iter().filter(|passing| !passing.is_constant()), name(call));
    let dummies: Vec<&str> = declared.clone().map(|passing| passing.name).chain(["result_"]).collect();
    let mut before = format!("  subroutine call_{}({})\n", call.name(), dummies.join(", "));
    declared.for_each(|passing| writeln!(before, "    {}", passing.declaration).expect("to a string"));
    writeln!(before, "    {result} :: result_").expect("to a string");
    if matches!((call.row().returns, style), (Returns::Value(_), Style::Mpif)) {
        // MPICH's mpif.h leaves this to the program.
        writeln!(before, "    {result}, external :: MPI_{name}").expect("to a string");
    }
    let mut actual: Vec<&str> = passed.iter().map(|passing| passing.actual.as_str()).collect();
    if call.row().returns != Returns::Code {
        return (before, format!("    result_ = MPI_{name}({})", actual.join(", ")));
    }
    actual.extend(has_code(call).then_some("result_"));
    (before, format!("    call MPI_{name}({})", actual.join(", ")))
}

/// What the C functions of all calls stand on.
pub const BRIDGE: &str = include_str!("bridge.h");

/// The C function that calls the subroutine.
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
    // The lengths of texts come last.
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

/// The arguments that Fortran has.
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

/// Whether the function gives an error code: one does not.
fn has_code(call: Call) -> bool {
    call.row().name != "Pcontrol"
}

/// Of a library's functions, those that a style has. What `main` calls is always there.
pub fn callable(mpi: &Mpi, fortran: &Fortran, style: Style) -> Vec<Call> {
    let exports = fortran.exports();
    let left_out = limits::not_from_fortran(mpi, style);
    let by_main = |call: &Call| BY_MAIN.contains(&call.mpi_name().as_str());
    // The module mpi_f08 may take the clock from C.
    let is_clock = |call: &Call| call.row().returns == Returns::Seconds;
    // Handles are integers in Fortran: Intel MPI exports what nobody declares.
    let is_handle = |call: &Call| ["_toint", "_fromint"].iter().any(|end| call.row().name.ends_with(end));
    let has = |call: &Call| by_main(call) || is_clock(call) || style.has(&exports, *call) && !is_handle(call);
    let calls = callable::callable(mpi).into_iter().filter(has);
    calls.filter(|call| !left_out.contains(&call.mpi_name().as_str())).collect()
}
