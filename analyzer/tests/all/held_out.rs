//! Recorded runs of programs that no rule grew up with.

use std::path::Path;

use crate::common::recorded::ask;
use examples::fixture::{held_out_names, unpack};
use examples::held_out::{first_of_program, of_fixture};

/// Runs whose first finding states cause, place and ranks. Raise it when there are more; do not fit a rule to one of them.
const FIRST: usize = 20;

#[test]
fn no_fewer_held_out_causes_come_first_than_before() {
    let mut first = 0;
    let mut wrong = Vec::new();
    for name in &held_out_names() {
        let folder = format!("{}-{}", name.replace('/', "-"), std::process::id());
        let fixture = unpack(name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder));
        let answer = ask(&fixture.run, "diagnose", &["--no-cache"]);
        let one = of_fixture(fixture);
        let finding = first_of_program(answer.rows("findings"));
        match finding.is_some_and(|finding| one.agreement(finding).is_full()) {
            true => first += 1,
            false => wrong.push(format!("{name}, {}: {}", one.causes(), finding.map_or("nothing", headline))),
        }
    }
    assert!(first >= FIRST && first + wrong.len() >= 15, "{first} of {}:\n{}", first + wrong.len(), wrong.join("\n"));
}

fn headline(finding: &serde_json::Value) -> &str {
    finding["headline"].as_str().unwrap_or_default()
}
