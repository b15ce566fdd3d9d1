//! Traces of many threads.

use std::fs;

use crate::common::{both_families, calls, case, libraries};
use examples::program::Program;
use examples::run::Case;
use serde_json::json;

#[test]
fn threads_that_end_leave_their_recording_to_the_next() {
    for mpi in libraries() {
        let (_, run) = Case::of(&Program::read("short_threads"), &mpi).recorded("short_threads-files");
        let report = run.report("thread");
        let mut numbers: Vec<u64> = report.rows("threads").iter().filter_map(|row| row["thread"].as_u64()).collect();
        numbers.dedup();
        // Four threads at a time and the main thread; one that is about to end may overlap with one that begins.
        assert!((2..=9).contains(&numbers.len()), "{}: {numbers:?}", mpi.name);
        let bytes = fs::metadata(&run.files()[0]).unwrap().len();
        assert!(bytes < 1 << 20, "{}: {bytes} bytes for 2000 threads", mpi.name);
    }
}

#[test]
fn a_thread_is_cancelled_between_calls_as_without_the_recorder() {
    for mpi in both_families() {
        for kind in ["deferred", "asynchronous"] {
            let (output, run) = case("cancelled_between", &mpi, 2, &[kind, "10"]).recorded(kind);
            let ranks: Vec<&str> =
                output.stdout.lines().filter_map(|line| line.strip_prefix("cancelled 10 calls ")).collect();
            assert_eq!((ranks.len(), output.status), (2, 0), "{} {kind}: {output:?}", mpi.name);
            let made: u64 = ranks.iter().map(|calls| calls.parse::<u64>().unwrap()).sum();
            // Any other line says that the thread's cancellation is not as it was.
            assert_eq!((output.stdout.lines().count(), calls(&run, "MPI_Recv_init")), (2, made), "{} {kind}", mpi.name);
        }
    }
}

#[test]
fn a_thread_cancelled_at_any_instruction_leaves_its_process_running() {
    for mpi in both_families() {
        for _ in 0..8 {
            // Where a rank ends without MPI_Finalize, launchers kill the others.
            let (output, _) = case("cancelled_between", &mpi, 0, &["reckless", "1"]).recorded("reckless");
            assert!(output.stdout.starts_with("cancelled 1 calls "), "{}: {output:?}", mpi.name);
        }
    }
}

#[test]
fn a_thread_that_is_cancelled_inside_mpi_ends_as_without_the_recorder() {
    for mpi in libraries() {
        // The program ends without MPI_Finalize: MPICH 4's launcher reports a signal for one such process in ten.
        let case = case("cancelled_inside", &mpi, 0, &[]);
        let plain = case.plain();
        let (output, run) = case.recorded("cancelled_inside");
        assert_eq!(plain.stdout, "cancelled\n", "{}: {plain:?}", mpi.name);
        assert_eq!((output.stdout, output.status), (plain.stdout, plain.status), "{}: {}", mpi.name, output.stderr);
        let report = run.report("rank");
        assert_eq!(report.sum("rank_functions", "calls", &[("function", json!("MPI_Recv"))]), 1, "{}", mpi.name);
        let warnings = report.warnings();
        assert!(warnings.contains("their thread ended inside them"), "{}: {warnings}", mpi.name);
    }
}
