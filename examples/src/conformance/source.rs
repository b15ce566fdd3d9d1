//! Writes the program: a C function for each MPI function, and a table of them.
//!
//! The C function calls MPI by name, or a bridge function that calls it from Fortran.

use std::fmt::Write;

use traces::calls::{ArgumentKind, Call, Returns};

use super::callable::BY_MAIN;
use super::exceptions::{EXCEPTIONS, Exception, NAMES};
use super::fortran;
use super::recipes::{RECIPES, Recipe, value};
use super::style::Style;

/// Open MPI exports what MPI 3.0 removed, but declares it only with this macro.
pub const INCLUDE: &str = "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n";

/// The program for these functions, called from C or in a style of Fortran.
pub fn program(calls: &[Call], style: Option<Style>) -> String {
    let mut text = String::from(INCLUDE);
    text.push_str(include_str!("every_function.h"));
    if let Some(style) = style {
        text.push_str(fortran::BRIDGE);
        for call in calls {
            text.push_str(&fortran::bridge(*call, style));
        }
    }
    let prefix = if style.is_some() { "fortran_" } else { "MPI_" };
    writeln!(text, "#define CALL(function) {prefix}##function").expect("to a string");
    let tried = || calls.iter().filter(|call| !BY_MAIN.contains(&call.mpi_name().as_str()));
    for call in tried() {
        text.push_str(&function(*call));
    }
    text.push_str("static const struct { const char *name; void (*call)(void); } functions[] = {\n");
    for call in tried() {
        writeln!(text, "    {{\"{0}\", try_{0}}},", call.mpi_name()).expect("to a string");
    }
    text.push_str("};\n");
    text.push_str(&include_str!("main.h").replace("main.h", TRIED));
    text
}

/// A C function that tries one MPI function.
fn function(call: Call) -> String {
    let exception = exception(call);
    let passed: Vec<Passed> = call.row().arguments.iter().filter_map(|argument| Passed::of(call, argument)).collect();
    let all = |part: fn(&Recipe) -> &'static str| -> String {
        passed.iter().map(|argument| format!("    {}\n", argument.text(part(&argument.recipe)))).collect()
    };
    let (begin, finish) = split_collective(call).unwrap_or_default();
    let arguments: Vec<String> = passed.iter().map(|argument| argument.text(argument.recipe.pass)).collect();
    let made = format!("CALL({})({})", call.name(), arguments.join(", "));
    let mut body = String::new();
    body.push_str(&all(|recipe| recipe.before));
    write!(body, "    {} {begin}\n    {}\n", exception.begin, result(call, &made)).expect("to a string");
    body.push_str(exception.complete);
    // The request comes last, and is waited for before its partner.
    passed
        .iter()
        .rev()
        .for_each(|argument| writeln!(body, "    {}", argument.text(argument.recipe.complete)).expect("to a string"));
    writeln!(body, "    {} {finish}", exception.finish).expect("to a string");
    body.push_str(&all(|recipe| recipe.show));
    body.push_str(&all(|recipe| recipe.free));
    if !exception.counterpart.is_empty() {
        body = format!("    if (me == 1) {{ {} return; }}\n{body}", exception.counterpart);
    }
    // A macro of the same name would hide the function.
    format!("#undef {0}\nstatic void try_{0}(void) {{\n{body}}}\n", call.mpi_name())
}

/// Source file, in the debugging information, of the calls under test. A recorder may see the PMPI_ calls around them,
/// too; they have another file.
pub const TRIED: &str = "tried.c";

/// Makes the call and prints its return value, if that is the same in every run.
fn result(call: Call, made: &str) -> String {
    format!("\n#line 1 \"{TRIED}\"\n{}\n#line 1 \"around.c\"\n", returned(call, made))
}

fn returned(call: Call, made: &str) -> String {
    let name = call.mpi_name();
    let said = format!("fprintf(out, \"{name}\");");
    match call.row().returns {
        Returns::Code => format!("{said} int code = {made}; returned(code);"),
        Returns::Seconds => format!("{said} fprintf(out, \" %d\", {made} >= 0);"),
        Returns::Value(_) => match predefined(call).filter(|_| !returns_number(call)) {
            Some((_, handle)) => format!("{said} fprintf(out, \" %d\", {made} == {handle});"),
            None => format!("{said} fprintf(out, \" %ld\", (long){made});"),
        },
    }
}

fn returns_number(call: Call) -> bool {
    ["_c2f", "_toint"].iter().any(|end| call.row().name.ends_with(end))
}

/// For functions that convert handles: the kind of handle, and a predefined one.
fn predefined(call: Call) -> Option<(&'static str, &'static str)> {
    const HANDLES: [(&str, &str); 11] = [
        ("Comm", "MPI_COMM_SELF"),
        ("Errhandler", "MPI_ERRORS_RETURN"),
        ("File", "MPI_FILE_NULL"),
        ("Group", "MPI_GROUP_EMPTY"),
        ("Info", "MPI_INFO_NULL"),
        ("Message", "MPI_MESSAGE_NULL"),
        ("Op", "MPI_SUM"),
        ("Request", "MPI_REQUEST_NULL"),
        ("Session", "MPI_SESSION_NULL"),
        ("Type", "MPI_INT"),
        ("Win", "MPI_WIN_NULL"),
    ];
    let (object, way) = call.row().name.split_once('_')?;
    let converts = ["c2f", "f2c", "toint", "fromint"].contains(&way);
    HANDLES.into_iter().find(|(handle, _)| converts && *handle == object)
}

/// For split collective I/O: the code before the `_begin` function or after the `_end` one.
fn split_collective(call: Call) -> Option<(String, String)> {
    let name = call.row().name;
    if let Some(stem) = name.strip_suffix("_begin") {
        return Some((String::new(), format!("PMPI_{stem}_end(fh_, buf_, MPI_STATUS_IGNORE);")));
    }
    let stem = name.strip_suffix("_end").filter(|stem| stem.starts_with("File_"))?;
    let offset = if stem.contains("_at") { "4, " } else { "" };
    Some((format!("PMPI_{stem}_begin(fh_, {offset}buf_, 4, MPI_INT);"), String::new()))
}

fn exception(call: Call) -> Exception {
    let nothing = Exception { functions: &[], arguments: &[], begin: "", complete: "", finish: "", counterpart: "" };
    let is_of = |exception: &&Exception| exception.functions.iter().any(|pattern| matches(pattern, call.row().name));
    EXCEPTIONS.iter().find(is_of).copied().unwrap_or(nothing)
}

fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(start)) => name.starts_with(start),
        _ => name == pattern,
    }
}

/// An argument with its recipe.
struct Passed {
    name: &'static str,
    /// C type that the argument points to.
    element: String,
    wide: bool,
    recipe: Recipe,
}

impl Passed {
    fn of(call: Call, (name, kind): &(&'static str, ArgumentKind)) -> Option<Passed> {
        if *kind == ArgumentKind::Varargs {
            return None;
        }
        let wide = call.is_large();
        let types = kind.c_types();
        let element = if wide { types.1 } else { types.0 };
        let element = element.trim_start_matches("const ").trim_end_matches('*').trim_end().to_string();
        Some(Passed { name, element, wide, recipe: recipe(call, name, *kind) })
    }

    fn text(&self, text: &str) -> String {
        let variable = format!("{}_", self.name);
        let many = if self.wide { "_many" } else { "" };
        text.replace("{n}", &variable).replace("{a}", self.name).replace("{t}", &self.element).replace("{_many}", many)
    }
}

fn recipe(call: Call, name: &str, kind: ArgumentKind) -> Recipe {
    let named = |(of, recipe): &(&str, Recipe)| (*of == name).then_some(*recipe);
    let own = exception(call).arguments.iter().find_map(named);
    own.or_else(|| conversion(call, kind))
        .or_else(|| NAMES.iter().find_map(named))
        .or_else(|| RECIPES.iter().find(|(kinds, _)| kinds.contains(&kind)).map(|(_, recipe)| *recipe))
        .unwrap_or_else(|| panic!("{call:?}: nothing says how to pass {name}, a {kind:?}"))
}

fn conversion(call: Call, kind: ArgumentKind) -> Option<Recipe> {
    let (object, handle) = predefined(call)?;
    let number = |way: &str| value(format!("PMPI_{object}_{way}({handle})").leak());
    Some(match kind {
        ArgumentKind::Fint => number("c2f"),
        ArgumentKind::Int => number("toint"),
        _ => value(handle),
    })
}
