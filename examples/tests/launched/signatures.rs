//! Programs with tens of thousands of different calls: each is distinguished, and takes few bytes.

use crate::common::{case, libraries};
use examples::run::{Output, Run};
use serde_json::json;

/// Counts that the ranks print: calls that moved messages, unsuccessful tests, bytes sent.
fn truth(output: &Output) -> [u64; 3] {
    assert_eq!(output.status, 0, "{}", output.stderr);
    let mut sums = [0; 3];
    for line in output.stdout.lines().filter_map(|line| line.split_once(": calls ")) {
        let words = line.1.split(' ').filter_map(|word| word.parse::<u64>().ok());
        words.zip(&mut sums).for_each(|(number, sum)| *sum += number);
    }
    assert!(sums.iter().all(|sum| *sum > 0), "{}", output.stdout);
    sums
}

/// Checks the report against the program's counts.
fn assert_reported(run: &Run, truth: [u64; 3], under: &str) {
    let report = run.report("function");
    assert_eq!(report.status, 0, "{under}: {}", report.warnings());
    let of = |function: &str, column: &str| report.sum("functions", column, &[("function", json!(function))]);
    let moved = ["MPI_Isend", "MPI_Recv", "MPI_Wait"].map(|function| of(function, "calls")).iter().sum();
    let bytes = (of("MPI_Isend", "sent_bytes"), of("MPI_Recv", "received_bytes"));
    assert_eq!([moved, of("MPI_Iprobe", "calls"), bytes.0], truth, "{under}");
    assert_eq!(bytes.0, bytes.1, "{under}");
}

fn bytes(run: &Run) -> u64 {
    run.files().iter().map(|path| path.metadata().expect("it is there").len()).sum()
}

#[test]
fn sixty_thousand_signatures_take_at_most_two_words_a_call_and_all_messages_are_matched() {
    const TAGS: u64 = 20_000;
    let mut ran = 0;
    for mpi in libraries() {
        // Records of the engine would add a word per call.
        let case = case("many_tags", &mpi, 2, &[&TAGS.to_string(), "3"]).with("OVERHEAR_PROGRESS", "off");
        let (output, run) = case.recorded("signatures");
        let truth = truth(&output);
        assert_reported(&run, truth, mpi.name);
        let [calls, asked, _] = truth;
        let check = run.ask("check", &[]);
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.json);
        // Signatures by tag: a send, pending or complete at once, a receive and a probe, on two ranks. Three probes are
        // one record of six words.
        let dictionary = 2 * 3 * 64 * TAGS;
        let records = 16 * calls + 6 * 8 * asked / 3;
        let spare = 600 << 10;
        let taken = bytes(&run);
        assert!(taken <= dictionary + records + spare, "{}: {taken} bytes, {dictionary} + {records}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}

#[test]
fn a_profile_of_any_number_of_signatures_is_exact_and_no_larger_than_the_trace() {
    let mut ran = 0;
    for mpi in libraries() {
        let case = case("many_tags", &mpi, 2, &["20000", "1", "unlike"]).with("OVERHEAR_PROGRESS", "off");
        let (output, trace) = case.recorded("signatures-trace");
        assert_reported(&trace, truth(&output), mpi.name);
        let case = case.with("OVERHEAR_MODE", "profile");
        let (output, profile) = case.recorded("signatures-profile");
        assert_reported(&profile, truth(&output), mpi.name);
        let (profiled, traced) = (bytes(&profile), bytes(&trace));
        assert!(profiled <= traced, "{}: profile {profiled} bytes, trace {traced}", mpi.name);
        let report = profile.report("site");
        for function in ["MPI_Isend", "MPI_Recv", "MPI_Wait", "MPI_Iprobe"] {
            let rows = report.rows("sites").iter().filter(|row| row["function"] == function).count();
            assert_eq!(rows, 1, "{}: {function} is called in one place", mpi.name);
        }
        ran += 1;
    }
    assert!(ran > 0);
}
