//! The fixtures cover everything there is to analyze.

use std::collections::BTreeSet;
use std::fs;

use examples::fixture;
use examples::program::Program;
use libtest_mimic::{Failed, Trial};
use model::matching::WaitState;

use crate::golden;

/// Bytes that a clone of the project may spend on them.
const MOST_BYTES: u64 = 3_000_000;

pub fn trials(names: &[String]) -> Vec<Trial> {
    let trial = |name: &str, test: fn(&[String]) -> Vec<String>| {
        let names = names.to_vec();
        Trial::test(name, move || fail(test(&names)))
    };
    vec![
        trial("every_example_program_is_recorded", missing_programs),
        trial("every_wait_state_is_waited_in", missing_states),
        trial("the_fixtures_are_small", too_large),
    ]
}

fn fail(wrong: Vec<String>) -> Result<(), Failed> {
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn missing_programs(names: &[String]) -> Vec<String> {
    let recorded: BTreeSet<&str> = names.iter().filter_map(|name| Some(name.rsplit_once('-')?.0)).collect();
    let is_small = |name: &String| !fixture::TOO_LARGE.contains(&name.as_str());
    let missing = Program::names().into_iter().filter(is_small).filter(|name| !recorded.contains(name.as_str()));
    missing.map(|name| format!("no fixture: cargo xtask fixtures {name}")).collect()
}

fn missing_states(names: &[String]) -> Vec<String> {
    let accounts: String = names.iter().filter_map(|name| fs::read_to_string(golden(name)).ok()).collect();
    let is_there = |state: &&WaitState| accounts.lines().any(|line| line.starts_with(&format!("{}: ", state.name())));
    WaitState::ALL.iter().filter(|state| !is_there(state)).map(|state| state.name().to_string()).collect()
}

fn too_large(_: &[String]) -> Vec<String> {
    let files = fs::read_dir(fixture::folder()).unwrap().flatten().filter_map(|file| file.metadata().ok());
    let bytes: u64 = files.map(|data| data.len()).sum();
    (bytes == 0 || bytes > MOST_BYTES).then(|| format!("{bytes} bytes")).into_iter().collect()
}
