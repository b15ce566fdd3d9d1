//! Recorded runs of the example programs, analyzed without MPI: each agrees with its program's statements, and its
//! account with the golden one, to the nanosecond. Each is a test of its own, found in the folder of fixtures.
//!
//! `cargo xtask fixtures` records them; `GOLDEN=write cargo test -p overhear --test recorded` rewrites their accounts.

mod account;
mod covered;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::answer::Answer;
use examples::fixture::{self, Fixture};
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
    wrong.extend(unlike(&golden(name), &account::of(&run)));
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

fn golden(name: &str) -> PathBuf {
    fixture::folder().join(name).with_added_extension("txt")
}

/// Compares with the golden file, or replaces it. Returns the difference.
fn unlike(path: &Path, is: &str) -> Option<String> {
    if std::env::var_os("GOLDEN").is_some_and(|value| value == "write") {
        fs::write(path, is).unwrap();
    }
    let was = fs::read_to_string(path).unwrap_or_else(|error| format!("{}: {error}", path.display()));
    (was != is).then(|| {
        let gone =
            was.lines().filter(|line| !is.lines().any(|other| other == *line)).map(|line| format!("was  {line}"));
        let new = is.lines().filter(|line| !was.lines().any(|other| other == *line)).map(|line| format!("is   {line}"));
        gone.chain(new).collect::<Vec<_>>().join("\n")
    })
}
