//! Programs in Rust behave the same with the recorder, and reports match their communication.

use crate::common::{in_rust, one_at_most, with_programs_in_rust};
use serde_json::json;

#[test]
fn integer_sort_is_reported_as_it_communicates() {
    for mpi in one_at_most(with_programs_in_rust(), "benchmarks") {
        let case = in_rust("integer_sort", &mpi);
        let plain = case.plain();
        let (recorded, run) = case.recorded("integer_sort");
        assert_eq!(plain.stdout, "2^20 keys on 4 ranks, verified\n", "{}", mpi.name);
        assert_eq!(
            (recorded.stdout, recorded.status),
            (plain.stdout, plain.status),
            "{}: {}",
            mpi.name,
            recorded.stderr
        );
        let report = run.report("rank");
        let total =
            |function: &str, column: &str| report.sum("rank_functions", column, &[("function", json!(function))]);
        for (function, calls) in [("MPI_Allreduce", 40), ("MPI_Alltoall", 40), ("MPI_Alltoallv", 40), ("MPI_Reduce", 4)]
        {
            assert_eq!(total(function, "calls"), calls, "{} {function}", mpi.name);
        }
        // Every iteration sends every key once, four bytes long, and 1024 bucket sizes from each rank.
        for way in ["sent_bytes", "received_bytes"] {
            assert_eq!(total("MPI_Alltoallv", way), 10 * 4 * (1 << 20), "{} {way}", mpi.name);
            assert_eq!(total("MPI_Allreduce", way), 10 * 4 * 4 * 1024, "{} {way}", mpi.name);
        }
    }
}

#[test]
fn calls_of_rsmpi_are_counted_as_the_program_states() {
    for mpi in one_at_most(with_programs_in_rust(), "benchmarks") {
        let case = in_rust("rsmpi_ring", &mpi);
        let plain = case.plain();
        let (recorded, run) = case.recorded("rsmpi_ring");
        assert_eq!((plain.stdout.as_str(), plain.status), ("ok\n", 0), "{}: {}", mpi.name, plain.stderr);
        assert_eq!((recorded.stdout.as_str(), recorded.status), ("ok\n", 0), "{}: {}", mpi.name, recorded.stderr);
        let report = run.report("rank");
        let stated = [
            ("MPI_Send", 10),
            ("MPI_Ssend", 10),
            ("MPI_Isend", 10),
            ("MPI_Wait", 10),
            ("MPI_Recv", 20),
            ("MPI_Mprobe", 10),
            ("MPI_Mrecv", 10),
            ("MPI_Allreduce", 1),
            ("MPI_Barrier", 1),
        ];
        for (function, calls) in stated {
            let total = report.sum("rank_functions", "calls", &[("function", json!(function))]);
            assert_eq!(total, calls * case.ranks as u64, "{} {function}", mpi.name);
        }
    }
}
