//! Functions of a library that C can call.

use traces::calls::Call;

use crate::mpi::Mpi;

/// Functions that `main` calls itself, before and after all others.
pub const BY_MAIN: [&str; 4] = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort"];

/// Exported functions that the header declares, too: C cannot call the others.
pub fn callable(mpi: &Mpi) -> Vec<Call> {
    let (exports, header) = (mpi.exports(), mpi.header());
    let callable = |call: &Call| exports.contains(&call.mpi_name()) && declares(&header, *call);
    Call::all().filter(callable).collect()
}

/// Looks for a declaration in a preprocessed header; Open MPI has macros for some functions.
fn declares(header: &str, call: Call) -> bool {
    let name = call.mpi_name();
    let mut places = header.match_indices(&name);
    places.any(|(at, _)| {
        let before = header[..at].chars().next_back();
        let after = header[at + name.len()..].trim_start().chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after == Some('(')
    })
}
