//! Every call is in a total, however little room there is.

use std::fs;

use crate::common::{case, those, two_families, under_each};
use examples::run::{Case, Output, Run};
use serde_json::json;

/// Calls that the program counted.
fn made(output: &Output) -> u64 {
    assert_eq!(output.status, 0, "{}", output.stderr);
    output.stdout.lines().filter_map(|line| line.strip_prefix("made ")?.parse::<u64>().ok()).sum()
}

/// Calls in the report, and its exit status and warnings.
fn reported(run: &Run) -> (u64, i32, String) {
    let report = run.report("rank");
    let of = |function: &str| report.sum("rank_functions", "calls", &[("function", json!(function))]);
    (of("MPI_Send") + of("MPI_Recv"), report.status, report.warnings())
}

fn assert_all_counted(case: &Case, name: &str, least: u64) -> Run {
    let (output, run) = case.recorded(name);
    let made = made(&output);
    let (counted, status, warnings) = reported(&run);
    assert!(made >= least, "{name} under {}: {made} made", case.mpi.name);
    assert_eq!((counted, status), (made, 0), "{name} under {}: {warnings}\n{}", case.mpi.name, output.stderr);
    run
}

#[test]
fn calls_of_threads_that_find_no_room_are_in_totals_that_all_share() {
    under_each(&two_families(), |mpi| {
        let cases = [("32", "1M", "trace"), ("32", "1M", "profile"), ("32", "2M", "trace"), ("32", "4M", "trace")];
        for (threads, bound, mode) in cases.into_iter().chain([("128", "1M", "trace")]) {
            let case = case("many_calls", mpi, 2, &[threads, "10000"]);
            let case = case.with("OVERHEAR_MAX_BYTES", bound).with("OVERHEAR_MODE", mode);
            let name = format!("totals-{threads}-{bound}-{mode}");
            let run = assert_all_counted(&case, &name, 2 * threads.parse::<u64>().unwrap() * 10_000);
            let limit = 16 << 20;
            assert!(run.files().iter().all(|file| fs::metadata(file).unwrap().len() <= limit), "{name}");
        }
    });
}

#[test]
fn a_small_limit_of_files_takes_no_call_out_of_the_totals() {
    // Intel's library needs a file of more than 256 MiB before it begins.
    let limited = those("begins with small files", |mpi| !mpi.name.starts_with("impi"));
    under_each(&limited, |mpi| {
        // With a lower limit MPI cannot create its shared-memory files; Open MPI 5 needs more.
        let limit = if mpi.name == "ompi5" { 64 << 20 } else { 8 << 20 };
        let case = case("many_calls", mpi, 2, &["32", "40000", &limit.to_string()]);
        let run = assert_all_counted(&case, "totals-file-size", 2 * 32 * 40_000);
        assert!(run.files().iter().all(|file| fs::metadata(file).unwrap().len() <= limit), "{}", mpi.name);
    });
}

#[test]
fn a_trace_uses_the_bound_before_it_becomes_a_profile() {
    under_each(&two_families(), |mpi| {
        let case = case("many_calls", mpi, 2, &["1", "1000000"]).with("OVERHEAR_MAX_BYTES", "1M");
        let run = assert_all_counted(&case, "totals-bound", 2_000_000);
        for file in run.files() {
            let used = fs::metadata(&file).unwrap().len();
            // One page of profile is kept for each of two threads, and less than a page of records may be left.
            assert!(used + (3 << 12) >= 1 << 20, "{}: {used} bytes used", mpi.name);
        }
    });
}
