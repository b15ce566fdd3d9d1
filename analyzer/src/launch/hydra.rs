//! The launcher of MPICH and Intel MPI: `-genv NAME VALUE`.

use std::ffi::OsString;

use super::Variables;

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [OsString::from("-genv"), (*name).into(), value.clone()]).collect()
}
