//! A program that misuses MPI gets the same errors, handlers, aborts and crashes as without the recorder.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{both_families, case, failed_as_plain, those};
use examples::mpi::Mpi;
use examples::rota;
use examples::run::fresh_folder;
use serde_json::json;

/// Results of a list of misuses under one error handler: MPI's answer to each, and the deaths of the program.
#[derive(Debug, PartialEq)]
struct Came {
    said: Vec<String>,
    deaths: Vec<i32>,
}

/// Misuses in `tests/programs/misuse.c`: those that MPI can detect, or those that may end the process.
fn listed(mpi: &Mpi, which: &str) -> Vec<String> {
    case("misuse", mpi, 0, &[which]).plain().stdout.lines().map(String::from).collect()
}

/// Runs the misuses. If the program dies of one, runs it again from the next.
fn run(mpi: &Mpi, handler: &str, misuses: &[String], recorded: bool) -> Came {
    let out = fresh_folder(&format!("{}-misuse.out", mpi.name));
    let mut came = Came { said: Vec::new(), deaths: Vec::new() };
    while came.said.len() < misuses.len() {
        let words = [out.to_str().unwrap(), handler].into_iter();
        let words: Vec<&str> = words.chain(misuses[came.said.len()..].iter().map(String::as_str)).collect();
        // Launchers do not always tell how the process ended.
        let case = case("misuse", mpi, 0, &words);
        fs::write(&out, "").unwrap();
        let output = if recorded { case.recorded("misuse").0 } else { case.plain() };
        let text = fs::read_to_string(&out).unwrap();
        assert!(!text.is_empty(), "{} {handler}: nothing was tried: {}", mpi.name, output.stderr);
        came.said.extend(text.lines().map(String::from));
        came.deaths.extend((output.status != 0).then_some(output.status));
    }
    came
}

fn assert_same(mpi: &Mpi, handler: &str, misuses: &[String]) -> Came {
    let (plain, recorded) = (run(mpi, handler, misuses, false), run(mpi, handler, misuses, true));
    let differing = plain.said.iter().zip(&recorded.said).find(|(without, with)| without != with);
    assert_eq!(differing, None, "{} {handler}: without and with the recorder", mpi.name);
    assert_eq!(plain, recorded, "{} {handler}", mpi.name);
    plain
}

#[test]
fn misuse_returns_the_errors_it_returns_without_the_recorder() {
    for mpi in both_families() {
        let came = assert_same(&mpi, "return", &listed(&mpi, "misuses"));
        let returned = came.said.iter().filter(|said| said.contains("returned") && !said.ends_with("returned 0"));
        // Intel's library of the standard ABI takes MPI_ERRORS_RETURN for MPI_ERRORS_ABORT.
        assert!(returned.count() > 15 || mpi.name == "impiabi", "{}: {came:#?}", mpi.name);
    }
}

#[test]
fn misuse_calls_the_programs_handler_as_it_does_without_the_recorder() {
    for mpi in both_families() {
        let came = assert_same(&mpi, "user", &listed(&mpi, "misuses"));
        assert!(came.said.iter().filter(|said| said.contains("handler")).count() > 15, "{}: {came:#?}", mpi.name);
    }
}

#[test]
fn what_ends_the_process_ends_it_as_without_the_recorder() {
    for mpi in both_families() {
        let mut dangers = listed(&mpi, "dangers");
        // Each death takes two launches, so a third of them is tried. With half of them, each library of a pair would meet
        // one half in every rotation.
        dangers.retain(|danger| rota::takes(danger, 3));
        assert!(!dangers.is_empty(), "{}", mpi.name);
        assert_same(&mpi, "return", &dangers);
    }
}

#[test]
fn misuse_aborts_with_the_same_status_as_without_the_recorder() {
    let fatal = ["no_such_rank", "truncated", "truncated_in_waitall_without_statuses"].map(String::from);
    for mpi in both_families() {
        let came = assert_same(&mpi, "fatal", &fatal);
        // Open MPI returns MPI_SUCCESS from the third.
        let deaths = if mpi.is_openmpi() { 2 } else { 3 };
        assert_eq!(came.deaths.len(), deaths, "{}: {came:#?}", mpi.name);
    }
}

#[test]
fn a_communicator_that_is_still_being_made_is_not_asked_about() {
    for mpi in both_families() {
        let case = case("unfinished", &mpi, 2, &[]);
        let plain = case.plain();
        let (output, run) = case.recorded("unfinished");
        let lines = |text: &str| text.lines().map(String::from).collect::<BTreeSet<_>>();
        assert_eq!(lines(&output.stdout), lines(&plain.stdout), "{}: {}", mpi.name, output.stderr);
        if plain.status != 0 {
            failed_as_plain(&case, "unfinished");
            continue;
        }
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        // Both ranks make two barriers and free the copy; calls before it was complete have no communicator.
        let report = run.report("comm");
        let copy = report.rows("communicators").iter().filter(|row| row["calls"] == 6 && row["processes"] == 1);
        assert_eq!((copy.count(), report.status), (1, 0), "{}: {:#?}", mpi.name, report.rows("communicators"));
    }
}

#[test]
fn a_communicator_that_mpi_refuses_to_free_keeps_its_number() {
    let open = those("is Open MPI", Mpi::is_openmpi);
    // Intel's library of the standard ABI takes the callback's error for another one, and aborts.
    let other = those("returns a callback's error", |mpi| !mpi.is_openmpi() && mpi.name != "impiabi");
    for mpi in [open, other].concat() {
        // The recorder sees the call that frees even where it is left out.
        for (name, filter) in [("refused-free", "-query"), ("refused-free-unrecorded", "-query,-comm_free")] {
            let (output, run) = case("refused_free", &mpi, 2, &[]).with("OVERHEAR_FILTER", filter).recorded(name);
            assert_eq!((output.stdout.as_str(), output.status), ("refused\n", 0), "{}: {}", mpi.name, output.stderr);
            let report = run.report("collective");
            let all = [("function", json!("MPI_Allreduce")), ("communicator", json!("kept"))];
            assert_eq!(report.sum("operations", "operations", &all), 50, "{} {name}: {}", mpi.name, report.warnings());
        }
    }
}
