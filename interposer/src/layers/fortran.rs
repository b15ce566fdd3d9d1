//! The symbols of MPI functions in Fortran bindings.
//!
//! Compilers write a Fortran name in lower or upper case, followed by up to two underscores. `mpi_f08` appends `_f08`,
//! and `_f08ts` if the function takes buffers by descriptor; for large counts, Intel has `_c_f08ts`, MPICH 4
//! `_f08ts_large`.

use std::collections::HashMap;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::calls::Call;
use traces::definitions::Language;

/// Functions of which every Fortran binding defines at least one.
pub const PROOFS: [&CStr; 5] = [c"mpi_init_", c"mpi_init", c"mpi_init__", c"MPI_INIT", c"mpi_init_f08_"];

/// The addresses where the bindings begin and end. Open MPI has most bindings, three; code of one beyond the eighth
/// would be taken for a tool's.
static BINDINGS: [[AtomicUsize; 2]; 8] = [const { [const { AtomicUsize::new(0) }; 2] }; 8];

/// Replaces the ranges of memory that hold the bindings.
pub fn found(ranges: impl Iterator<Item = Range<usize>>) {
    let mut ranges = ranges.fuse();
    for [start, end] in &BINDINGS {
        let range = ranges.next().unwrap_or_default();
        if [start, end].map(|bound| bound.load(Relaxed)) != [range.start, range.end] {
            // A thread that reads meanwhile finds an empty range, not a mixture of two.
            end.store(0, Relaxed);
            start.store(range.start, Relaxed);
            end.store(range.end, Relaxed);
        }
    }
}

pub fn holds(address: usize) -> bool {
    BINDINGS.iter().any(|[start, end]| (start.load(Relaxed)..end.load(Relaxed)).contains(&address))
}

/// The call that a Fortran symbol stands for, and the binding's language.
pub fn call_named(symbol: &str) -> Option<(Call, Language)> {
    let plain = symbol.trim_end_matches('_');
    let lower = plain.starts_with("mpi_") && !plain.contains(|c: char| c.is_ascii_uppercase());
    let upper = plain.starts_with("MPI_") && !plain.contains(|c: char| c.is_ascii_lowercase());
    if !lower && !upper {
        return None;
    }
    let name = plain.to_ascii_lowercase();
    let (name, large) = match name.strip_suffix("_large") {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let (name, language) = match name.strip_suffix("_f08").or_else(|| name.strip_suffix("_f08ts")) {
        Some(name) => (name, Language::Fortran2008),
        None => (name, Language::Fortran),
    };
    let small = || calls().get(name);
    let call = if large { calls().get(&format!("{name}_c")).or_else(small) } else { small() };
    Some((*call?, language))
}

/// All calls, by their names in lower case.
fn calls() -> &'static HashMap<String, Call> {
    static CALLS: OnceLock<HashMap<String, Call>> = OnceLock::new();
    CALLS.get_or_init(|| Call::all().map(|call| (call.mpi_name().to_lowercase(), call)).collect())
}
