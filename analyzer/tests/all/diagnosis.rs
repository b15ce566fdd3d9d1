//! Recorded runs of programs with a planted cause: the first finding is that cause, and the commands of all findings are there.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::recorded::ask;
use crate::common::{overhear, stderr};
use examples::diagnosis::{is_found_first, programs};
use examples::fixture::{diagnosis_names, unpack};

#[test]
fn the_first_finding_of_each_recorded_run_is_the_planted_cause_and_each_command_that_one_names_exists() {
    let names = diagnosis_names();
    let mut commands = BTreeSet::new();
    for name in &names {
        let folder = format!("{}-{}", name.replace('/', "-"), std::process::id());
        let fixture = unpack(name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder));
        let answer = ask(&fixture.run, "diagnose", &["--no-cache"]);
        let findings = answer.rows("findings");
        assert!(is_found_first(&fixture.program, fixture.program.ranks, findings), "{name}: {findings:#?}");
        for command in findings.iter().filter_map(|finding| finding["command"].as_str()) {
            if commands.insert(command.to_string()) {
                let mut words = command.split(' ');
                let output = overhear(words.next().unwrap(), &fixture.run, &words.collect::<Vec<_>>());
                assert!(output.status.code().is_some_and(|code| code < 2), "{command}: {}", stderr(&output));
            }
        }
    }
    assert!(commands.len() > 5, "{commands:?}");
}

#[test]
fn every_program_with_a_planted_cause_has_a_recorded_run() {
    let names = diagnosis_names();
    let is_recorded = |program: &str| names.iter().any(|name| name.contains(&format!("/{program}-")));
    let missing: Vec<String> =
        programs(None).into_iter().map(|program| program.name).filter(|name| !is_recorded(name)).collect();
    assert!(missing.is_empty(), "cargo xtask fixtures records {missing:?}");
}
