//! Slurm's srun: `--export=ALL,NAME=VALUE`, one list, separated by commas.

use std::env;
use std::ffi::{OsStr, OsString};

use super::{Variables, pair};

const OPTION: &str = "--export";

pub fn arguments(variables: &Variables) -> Vec<OsString> {
    vec![export(OsStr::new("ALL"), variables)]
}

/// Adds to the user's own list, if there is one: on the command line, or in the variable that stands for it.
pub fn command(command: &[OsString], variables: &Variables) -> Vec<OsString> {
    let mut whole = command.to_vec();
    let is_list = |word: &OsString| word.as_encoded_bytes().starts_with(b"--export=");
    let own = match command.iter().position(is_list) {
        Some(at) => whole.remove(at).into_string().ok().and_then(|word| Some(word.split_once('=')?.1.into())),
        None => match command.iter().position(|word| word == OPTION) {
            Some(at) if at + 1 < command.len() => whole.drain(at..at + 2).nth(1),
            _ => env::var_os("SLURM_EXPORT_ENV"),
        },
    };
    let own = own.unwrap_or("ALL".into());
    whole.insert(1, export(&own, variables));
    whole
}

fn export(own: &OsStr, variables: &Variables) -> OsString {
    let mut list = OsString::from("--export=");
    // NONE and NIL stand alone; a list without ALL hands on no more than they do, and what is in it.
    if own != "NONE" && own != "NIL" {
        list.push(own);
        list.push(",");
    }
    // A value with a comma cannot stand in the list. It is in srun's own environment, from which its name takes it.
    let word = |(name, value): &(&'static str, OsString)| match value.as_encoded_bytes().contains(&b',') {
        true => OsString::from(name),
        false => pair(name, value),
    };
    list.push(variables.iter().map(word).collect::<Vec<_>>().join(OsStr::new(",")));
    list
}
