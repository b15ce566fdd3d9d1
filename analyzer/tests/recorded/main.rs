//! Recorded runs of the example programs, analyzed without MPI: each agrees with its program's statements, and its
//! account with the golden one, to the nanosecond. Each is a test of its own, found in the folder of fixtures.
//!
//! `cargo xtask fixtures` records them; `cargo xtask golden` accepts a changed account.

mod account;
mod covered;

use std::path::{Path, PathBuf};
use std::process::Command;

use examples::answer::Answer;
use examples::fixture::{self, Fixture};
use examples::golden::GoldenFiles;
use examples::{planted_waits, rota, truth};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let names = fixture::names();
    let mut trials = covered::trials(&names);
    trials.extend(
        names.into_iter().map(|name| Trial::test(format!("{name}_is_analysed_as_it_states"), move || one(&name))),
    );
    trials.retain(|trial| rota::is_wanted(trial.name()));
    trials.sort_by(|one, other| one.name().cmp(other.name()));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Unpacks a fixture into a folder of its own.
fn unpacked(name: &str, by: &str) -> Fixture {
    fixture::unpack(name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{by}")))
}

/// Runs an analysis of the whole run.
fn ask(run: &Path, analysis: &str, arguments: &[&str]) -> Answer {
    Answer::of(Command::new(env!("CARGO_BIN_EXE_overhear")).arg(analysis).arg(run).arg("--whole").args(arguments))
}

fn one(name: &str) -> Result<(), Failed> {
    let Fixture { program, stderr, run } = unpacked(name, "stated");
    let mut wrong = match program.expectations.is_empty() {
        true => Vec::new(),
        false => truth::differences(&program, |by| ask(&run, "report", &["--by", by])),
    };
    if !program.waits.is_empty() {
        wrong.extend(planted_waits::differences(&program, &stderr, &ask(&run, "waits", &[])));
    }
    let check = ask(&run, "check", &[]);
    if check.status != truth::agreement(&program.name) {
        wrong.push(format!("overhear check: status {}: {}", check.status, check.warnings()));
    }
    let mut comparison = GoldenFiles::default();
    comparison.text(&golden(name), &account::of(&run));
    wrong.extend(comparison.difference());
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

fn golden(name: &str) -> PathBuf {
    fixture::folder().join(name).with_added_extension("txt")
}
