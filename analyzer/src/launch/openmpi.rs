//! Open MPI's mpirun: `-x NAME=VALUE`.

use std::ffi::{OsStr, OsString};

use super::{Variables, find, pair};

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-x"), pair(name, value)]).collect()
}

/// Whether the launcher is PRRTE, as from Open MPI 5 on: what its ranks spawn has the launcher's own environment, and nothing
/// of what `-x` says.
pub fn is_prrte(program: &OsStr) -> bool {
    let beside = |path: std::path::PathBuf| path.with_file_name("prterun").exists();
    find(program).and_then(|path| path.canonicalize().ok()).is_some_and(beside)
}
