//! Open MPI's mpirun: `-x NAME=VALUE`.

use std::ffi::OsString;

use super::Variables;

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    let pair = |(name, value): &(&str, OsString)| {
        let mut pair = OsString::from(format!("{name}="));
        pair.push(value);
        [OsString::from("-x"), pair]
    };
    variables.iter().flat_map(pair).collect()
}
