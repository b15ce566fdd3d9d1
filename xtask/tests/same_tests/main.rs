//! `cargo xtask test` runs the same tests under the same libraries on every date and in every environment.

use std::path::{Path, PathBuf};
use std::process::Command;

const DAY: i64 = 86_400;

/// A library that moves the date of programs it is preloaded into.
fn other_date() -> PathBuf {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other_date.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/same_tests/other_date.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(built.expect("cc is here").success());
    library
}

/// The list of tests and libraries, on a date so many seconds from now.
fn listed(arguments: &[&str], seconds: i64, variables: &[(&str, &str)]) -> Vec<String> {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.args(["test", "--list"]).args(arguments).envs(variables.iter().copied());
    xtask.env("LD_PRELOAD", other_date()).env("OTHER_DATE", seconds.to_string());
    // Cargo must not take its packages for old ones.
    let output = xtask.env("CARGO_CACHE_AUTO_CLEAN_FREQUENCY", "never").output().expect("xtask runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names are text").lines().map(String::from).collect()
}

#[test]
fn the_date_of_programs_is_moved() {
    let seconds = |moved: i64| -> i64 {
        let mut date = Command::new("date");
        date.arg("+%s").env("LD_PRELOAD", other_date()).env("OTHER_DATE", moved.to_string());
        String::from_utf8(date.output().expect("date runs").stdout).unwrap().trim().parse().unwrap()
    };
    assert!((seconds(3 * DAY) - seconds(0) - 3 * DAY).abs() < 60);
}

#[test]
fn what_runs_depends_neither_on_the_date_nor_on_the_environment() {
    let today = listed(&[], 0, &[]);
    assert!(today.len() > 1000, "{today:#?}");
    let [launched, programs] = ["examples/tests/launched ", "examples/tests/programs "]
        .map(|title| today.iter().filter(|line| line.starts_with(title) && line.split(' ').count() > 2).count());
    assert!(launched > 100 && programs > 50, "{launched} launching tests and {programs} programs have libraries");
    let variables = [
        ("TEST_ROTATION", "3"),
        ("TEST_ALL", "1"),
        ("TEST_MPI", "ompi4"),
        ("TEST_NAMES", "ring"),
        ("TZ", "Asia/Tokyo"),
    ];
    let tomorrow = listed(&[], DAY, &variables);
    let differing: Vec<_> = tomorrow.iter().zip(&today).filter(|(then, today)| then != today).take(5).collect();
    assert!(tomorrow.len() == today.len() && differing.is_empty(), "{differing:#?}");
    assert_ne!(listed(&["--rotation", "1"], 0, &[]), today);
}
