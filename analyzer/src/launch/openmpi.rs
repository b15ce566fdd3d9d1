//! Open MPI's mpirun: `-x NAME=VALUE`.

use std::ffi::OsString;

use super::{Variables, pair};

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-x"), pair(name, value)]).collect()
}
