//! Golden output of each command on the samples: commits show each change of words or figures.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::golden::{GoldenFiles, kept};

const OPENMPI: &str = "traces/samples/integer_sort-openmpi";
const MPICH: &str = "traces/samples/integer_sort-mpich";

/// Every question about one run.
const OF_ONE: [&str; 29] = [
    "",
    "report",
    "report --by rank",
    "report --by rank=3",
    "report --by comm",
    "report --by site",
    "report --by size",
    "report --by peer",
    "report --by thread",
    "report --by region",
    "report --by collective",
    "report --format csv",
    "waits",
    "why",
    "path",
    "pop",
    "check",
    "matrix",
    "imbalance",
    "imbalance --by site",
    "overlap",
    "network",
    "fanout",
    "progress",
    "timeline",
    "progress --by rank",
    "progress --by component",
    "progress --by function",
    "progress --by site",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Output, stderr after stdout, and the exit status if it is not 0.
fn said(words: &str, runs: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    command.args(words.split_whitespace()).args(runs).current_dir(project()).env_remove("COLUMNS");
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    match output.status.code() {
        Some(0) => text,
        status => format!("{text}status {status:?}\n"),
    }
}

/// The golden text of a command.
fn of_command(name: &str, words: &str) -> PathBuf {
    let file = if words.is_empty() { "first" } else { words };
    let file = file.replace(" --by ", "-by-").replace(" --format ", ".").replace('=', "-");
    kept(&format!("{name}/{file}"))
}

#[test]
fn every_command_says_of_the_samples_what_it_said() {
    let mut comparison = GoldenFiles::default();
    for run in [OPENMPI, MPICH] {
        for words in OF_ONE {
            comparison.text(&of_command(run.rsplit('/').next().unwrap(), words), &said(words, &[run]));
        }
    }
    comparison.finish();
}

#[test]
fn the_samples_are_compared_as_they_were() {
    let mut comparison = GoldenFiles::default();
    for words in ["diff", "scaling"] {
        comparison.text(&of_command("both", words), &said(words, &[OPENMPI, MPICH]));
    }
    comparison.finish();
}

#[test]
fn every_text_fits_into_eighty_columns() {
    for words in OF_ONE.iter().filter(|words| !words.contains("csv")) {
        let text = said(words, &[OPENMPI]);
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{words}: {wide:#?}");
    }
}
