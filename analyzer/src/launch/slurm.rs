//! Slurm's srun: `--export=ALL,NAME=VALUE`, one list, separated by commas.

use std::ffi::OsString;

use super::Variables;

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    let mut list = OsString::from("--export=ALL");
    add(&mut list, variables);
    vec![list]
}

/// Adds to the user's own list, if there is one: srun takes the last.
pub fn command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    let own = command.iter().position(|argument| argument.as_encoded_bytes().starts_with(b"--export="));
    let mut whole = command.to_vec();
    match own {
        Some(at) => add(&mut whole[at], variables),
        None => drop(whole.splice(1..1, arguments(variables))),
    }
    whole
}

fn add(list: &mut OsString, variables: &Variables) {
    // A value with a comma cannot stand in the list. It is in srun's own environment, which ALL hands on.
    for (name, value) in variables.iter().filter(|(_, value)| !value.as_encoded_bytes().contains(&b',')) {
        list.push(format!(",{name}="));
        list.push(value);
    }
}
