//! Traces of many threads.

use std::fs;

use crate::common::{case, libraries};
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
