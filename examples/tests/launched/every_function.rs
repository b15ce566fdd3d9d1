//! Calls every function of the table once under every MPI that has it: it returns the same as without the recorder,
//! which counts it once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use crate::common::{every_library, libraries, one_at_most};
use examples::conformance::callable::{BY_MAIN, callable};
use examples::conformance::limits::{APART, CANNOT, listed};
use examples::conformance::source::{TRIED, program};
use examples::conformance::tried::{abort, case, same};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::finish;
use examples::{rota, target};
use serde_json::Value;

/// Writes the program and builds it. Each library has its own functions, and so its own program.
fn build(mpi: &Mpi) -> (PathBuf, Vec<String>) {
    // A file that another test has just written would pass for a finished build.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap();
    let folder = target().join("programs").join(mpi.name);
    fs::create_dir_all(&folder).unwrap();
    let (source, path) = (folder.join("every_function.c"), folder.join("every_function"));
    let calls = callable(mpi);
    let text = program(&calls, None);
    if fs::read_to_string(&source).is_ok_and(|written| written == text) {
        return (path, calls.iter().map(|call| call.mpi_name()).collect());
    }
    fs::write(&source, text).unwrap();
    // The program also calls deprecated and removed functions.
    compile(mpi, &source, &path, &["-Wno-deprecated-declarations".into(), "-Wno-unused".into()]);
    (path, calls.iter().map(|call| call.mpi_name()).collect())
}

#[test]
fn every_function_does_what_it_does_without_the_recorder_and_is_counted_once() {
    // Constants that stand for no status are the same in all libraries of an ABI.
    let ignoring = match rota::is_all() {
        true => every_library(),
        false => rota::one_of_each(every_library(), "ignored statuses", Mpi::abi),
    };
    for mpi in every_library() {
        let (path, functions) = build(&mpi);
        let (cannot, apart) = (listed(CANNOT, &mpi), listed(APART, &mpi));
        let left_out = |name: &&str| BY_MAIN.contains(name) || cannot.contains(name) || apart.contains(name);
        let together: Vec<&str> = functions.iter().map(String::as_str).filter(|name| !left_out(name)).collect();
        let mut runs = vec![("look", &together), ("ignore", &together), ("look", &apart)];
        let ignores = ignoring.iter().any(|ignoring| ignoring.name == mpi.name);
        runs.retain(|(statuses, names)| !names.is_empty() && (*statuses == "look" || ignores));
        for (statuses, names) in runs {
            let (tried, report) = same(&mpi, &path, &["init", statuses], names);
            let missing: Vec<_> = names.iter().filter(|name| !tried.has(name)).collect();
            assert!(missing.is_empty(), "{}: nobody called {missing:?}", mpi.name);
            let all = names.iter().chain(&["MPI_Init", "MPI_Finalize"]);
            let counts = |name: &&&str| {
                let is_its_own = |row: &&Value| {
                    row["function"] == ***name && row["site"].as_str().is_some_and(|site| site.contains(TRIED))
                };
                let calls: u64 =
                    report.rows("sites").iter().filter(is_its_own).filter_map(|row| row["calls"].as_u64()).sum();
                let said = tried.said.iter().filter(|said| said.contains_key(**name)).count() as u64;
                (calls != said).then(|| format!("{name}: {calls} instead of {said}"))
            };
            let wrong: Vec<_> = all.filter_map(|name| counts(&name)).collect();
            assert!(wrong.is_empty(), "{} counts {wrong:#?}", mpi.name);
        }
    }
}

#[test]
fn initializing_with_threads_and_aborting_are_the_same_with_the_recorder() {
    for mpi in libraries() {
        let (path, _) = build(&mpi);
        let (threads, _) = same(&mpi, &path, &["init_thread", "look"], &["MPI_Barrier"]);
        assert!(threads.has("MPI_Init_thread") && threads.has("MPI_Barrier"), "{}", mpi.name);
        assert_eq!(abort(&mpi, &path, false), abort(&mpi, &path, true), "{}", mpi.name);
    }
}

#[test]
fn what_cannot_be_called_ends_no_run_well_without_the_recorder_either() {
    for mpi in one_at_most(every_library(), "what cannot be called") {
        let (path, _) = build(&mpi);
        for function in listed(CANNOT, &mpi) {
            let (case, _) = case(&mpi, &path, &["init", "look"], &[function]);
            let mut command = Command::new("timeout");
            command.args(["--kill-after=1", "5"]).args(case.words());
            case.prepare(&mut command);
            let output = finish(&mut command);
            assert_ne!(output.status, 0, "{}: {function} can be called after all", mpi.name);
        }
    }
}
