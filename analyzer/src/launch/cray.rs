//! Cray's launchers: `-e NAME=VALUE` of ALPS's aprun, `--env NAME=VALUE` of PALS's mpiexec.

use std::ffi::OsString;

use super::{Variables, pair};

pub fn of_aprun(variables: &Variables) -> Vec<OsString> {
    with("-e", variables)
}

pub fn of_pals(variables: &Variables) -> Vec<OsString> {
    with("--env", variables)
}

fn with(option: &str, variables: &Variables) -> Vec<OsString> {
    variables.iter().flat_map(|(name, value)| [option.into(), pair(name, value)]).collect()
}
