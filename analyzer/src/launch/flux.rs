//! Flux's `flux run`: `--env=NAME=VALUE`, behind the subcommand, as flux-run(1) has it.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::{Variables, pair};

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    let argument = |(name, value): &(&'static str, OsString)| {
        let mut argument = OsString::from("--env=");
        // A dollar in a value stands for another variable, two for one.
        let value = value.as_bytes().iter().flat_map(|byte| vec![*byte; if *byte == b'$' { 2 } else { 1 }]);
        argument.push(pair(name, &OsString::from_vec(value.collect())));
        argument
    };
    variables.iter().map(argument).collect()
}

/// Behind `run`, or `mini run` as it was once.
pub fn command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    let mut whole = command.to_vec();
    let behind = command.iter().position(|word| word == "run").map_or(1, |at| at + 1);
    whole.splice(behind..behind, arguments(variables));
    whole
}
