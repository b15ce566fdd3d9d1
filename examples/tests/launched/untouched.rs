//! The recorder leaves the program's thread as MPI would: errno, floating point, signals, and the stack.

use std::collections::BTreeSet;

use crate::common::{both_families, case};
use examples::run::Output;
use serde_json::json;

#[test]
fn errno_floating_point_and_signal_mask_are_as_mpi_leaves_them() {
    for mpi in both_families() {
        let case = case("untouched", &mpi, 2, &[]);
        let lines = |output: &Output| output.stdout.lines().map(String::from).collect::<BTreeSet<_>>();
        let plain = lines(&case.plain());
        let (output, _) = case.recorded("untouched");
        assert!(plain.contains("done"), "{}: {plain:?}", mpi.name);
        assert_eq!(lines(&output), plain, "{}: {}", mpi.name, output.stderr);
    }
}

#[test]
fn a_signal_handler_that_calls_mpi_loses_no_call_of_the_program() {
    for mpi in both_families() {
        let (output, run) = case("interrupted", &mpi, 1, &[]).with("OVERHEAR_FILTER", "all").recorded("interrupted");
        assert!(output.status == 0 && output.stdout.starts_with("interrupted "), "{}: {}", mpi.name, output.stderr);
        let report = run.report("rank");
        let calls = |function| report.sum("rank_functions", "calls", &[("function", json!(function))]);
        assert_eq!((calls("MPI_Bcast"), report.status), (2000 * 1019, 0), "{}: {}", mpi.name, report.warnings());
        let of_handler: u64 = output.stdout.split(' ').nth(1).unwrap().trim().parse().unwrap();
        // Calls made inside another call count as nested.
        let nested = report.sum("rank_functions", "nested_calls", &[("function", json!("MPI_Initialized"))]);
        assert_eq!(calls("MPI_Initialized") + nested, of_handler, "{}", mpi.name);
        assert!(!report.warnings().contains("rank-0000.ovh"), "{}: {}", mpi.name, report.warnings());
    }
}

/// Stack bytes beyond those of the forwarded call.
const LIMIT: i64 = 512;

#[test]
fn a_wrapper_takes_little_of_the_stack() {
    for mpi in both_families() {
        let case = case("stack_use", &mpi, 1, &[]);
        let depths = |output: &Output| -> Vec<(String, i64)> {
            let line =
                |line: &str| line.rsplit_once(' ').map(|(call, depth)| (call.to_string(), depth.parse().unwrap()));
            output.stdout.lines().filter_map(line).collect()
        };
        let plain = depths(&case.plain());
        let recorded = depths(&case.recorded("stack_use").0);
        assert_eq!((plain.len(), recorded.len()), (15, 15), "{}", mpi.name);
        for (at, ((call, plain), (_, recorded))) in plain.iter().zip(&recorded).enumerate() {
            assert!(recorded - plain < LIMIT, "{} {call}, time {}: {} bytes", mpi.name, at % 3, recorded - plain);
        }
    }
}
