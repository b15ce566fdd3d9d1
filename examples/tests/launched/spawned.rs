//! Processes spawned by others at run time.

use std::fs;
use std::path::PathBuf;

use crate::common::{case, that_run};
use examples::program::Program;
use examples::run::{Case, Run};
use serde_json::{Value, json};

/// A rank's name for people: its number and, if it was spawned, its world.
fn name(row: &Value, of: &str) -> String {
    match (&row[format!("{of}rank")], &row[format!("{of}world")]) {
        (rank, world) if *world == json!(0) => rank.to_string(),
        (rank, world) => format!("{rank} of world {world}"),
    }
}

fn sorted(pairs: &[&[(&str, &str, u64)]]) -> Vec<(String, String, u64)> {
    let pairs = pairs.concat().into_iter();
    let mut pairs: Vec<_> = pairs.map(|(from, to, messages)| (from.into(), to.into(), messages)).collect();
    pairs.sort();
    pairs
}

/// Removes the files of a run whose names begin so.
fn remove(run: &Run, begin: &str) {
    let begins = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().starts_with(begin);
    run.files().into_iter().filter(begins).for_each(|file| fs::remove_file(file).unwrap());
}

/// Messages by sender and receiver, in order, according to a command.
fn pairs(run: &Run, command: &str, of: &[&str]) -> Vec<(String, String, u64)> {
    let said = run.ask(command, of);
    let pair = |row: &Value| (name(row, "from_"), name(row, "to_"), row["messages"].as_u64().unwrap());
    let mut pairs: Vec<_> = said.rows("pairs").iter().map(pair).collect();
    pairs.sort();
    pairs
}

#[test]
fn spawned_processes_have_files_and_names_of_their_own() {
    let program = Program::read("spawns");
    for mpi in &that_run(&program) {
        let (output, run) = Case::of(&program, mpi).recorded("spawned");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let files: Vec<String> =
            run.files().iter().map(|file| file.file_name().unwrap().to_string_lossy().into()).collect();
        let names = ["rank-0000.ovh", "rank-0001.ovh", "world-1-rank-0000.ovh", "world-1-rank-0001.ovh"];
        assert_eq!(files, names, "{}", mpi.name);
        let report = run.report("rank");
        let ranks: Vec<_> = report.rows("ranks").iter().map(|row| [&row["world"], &row["rank"]]).collect();
        let called = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|rank| rank.map(|number| json!(number)));
        let expected: Vec<_> = called.iter().map(|[world, rank]| [world, rank]).collect();
        assert_eq!((ranks, report.status), (expected, 0), "{}: {}", mpi.name, report.warnings());
        for ([world, rank], calls) in called.iter().zip([10, 10, 40, 40]) {
            let of_rank = [("function", json!("MPI_Sendrecv")), ("world", world.clone()), ("rank", rank.clone())];
            assert_eq!(report.sum("rank_functions", "calls", &of_rank), calls, "{} rank {rank}", mpi.name);
        }
        let check = run.ask("check", &[]);
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
        let [child, sibling] = ["0 of world 1", "1 of world 1"];
        let across = [("0", child, 10), ("1", sibling, 10), (child, "0", 10), (sibling, "1", 10)];
        let expected = sorted(&[&across[..], &[(child, sibling, 30), (sibling, child, 30)]]);
        assert_eq!(pairs(&run, "check", &[]), expected, "{}", mpi.name);
        assert_eq!(pairs(&run, "matrix", &["--only", "messages"]), expected, "{}", mpi.name);
    }
}

#[test]
fn spawned_processes_that_are_not_there_are_missed() {
    let program = Program::read("spawns");
    let mpi = that_run(&program).remove(0);
    let (_, run) = Case::of(&program, &mpi).recorded("spawned-missing");
    remove(&run, "world-");
    let warnings = run.report("rank").warnings();
    assert!(warnings.contains("spawned processes are not in this folder"), "{warnings}");
}

#[test]
fn messages_between_worlds_are_matched_whichever_was_spawned_first() {
    let program = Program::read("spawns");
    for mpi in &that_run(&program) {
        let case = case("spawns_twice", mpi, 2, &[]).with("I_MPI_SPAWN", "1");
        let (output, run) = case.recorded("spawned-twice");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let [first, second, alone] = ["0 of world 1", "1 of world 1", "0 of world 2"];
        let ring = [("0", "1", 5), ("1", first, 5), (first, second, 5), (second, "0", 5)];
        let expected = sorted(&[&ring, &[("0", alone, 7), (alone, "0", 7)]]);
        assert_eq!(pairs(&run, "check", &[]), expected, "{}", mpi.name);
        assert_eq!(pairs(&run, "matrix", &["--only", "messages"]), expected, "{}", mpi.name);
        let check = run.ask("check", &[]);
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
        // Nothing tells which of the two worlds is missing, so nothing is guessed.
        remove(&run, "world-1-");
        assert_eq!(pairs(&run, "check", &[]), sorted(&[&[("0", "1", 5)]]), "{}", mpi.name);
        assert_eq!(pairs(&run, "matrix", &["--only", "messages"]), sorted(&[&[("0", "1", 5)]]), "{}", mpi.name);
    }
}
