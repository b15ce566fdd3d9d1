//! Every program does the same with the recorder as without it, and the report says what the program states.

mod common;

use std::process::Command;

use common::{in_rust, libraries};
use examples::program::Program;
use examples::run::{Case, finish, overhear};
use examples::truth;
use serde_json::json;

macro_rules! programs {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                as_stated(stringify!($name));
            }
        )*

        #[test]
        fn every_program_is_run_here() {
            let mut listed = vec![$(stringify!($name)),*];
            listed.sort();
            assert_eq!(Program::names(), listed);
        }
    };
}

programs! {
    before_and_after by_name callbacks cancelled collectives comm_churn communicators connects copied_handles datatypes early_reduce
    early_scan ended_threads errors exchange files forks fortran_f08 fortran_module fortran_mpif imbalance in_place isendrecv
    large_counts left_behind late_broadcast late_cancelled late_partitioned late_receiver late_sender many_sizes many_threads mprobe
    neighbor_late neighbor_persistent neighborhood nonblocking_collectives nxn one_sided partitioned pcontrol persistent
    persistent_collectives persistent_halo plugin plugin_deepbind probing ring rma_fence rma_lock rma_pscw sendrecv
    session_around sessions short_threads spawns starved_progress threads
    wait_at_barrier well_fed wildcard wrong_order
}

#[test]
fn integer_sort_is_reported_as_it_communicates() {
    for mpi in libraries() {
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
    for mpi in libraries() {
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

/// Where not every call is recorded, the totals are the same.
#[test]
fn a_profile_says_what_every_program_states() {
    let libraries = libraries();
    for name in Program::names() {
        let program = Program::read(&name);
        let Some(mpi) = libraries.iter().find(|mpi| program.runs_under(mpi)) else { continue };
        let (recorded, run) =
            Case::of(&program, mpi).with("OVERHEAR_MODE", "profile").recorded(&format!("{name}-profile"));
        assert_eq!(recorded.status, 0, "{name} under {}: {}", mpi.name, recorded.stderr);
        truth::check_totals(&program, &run, mpi.name);
    }
}

/// What `overhear check` returns: all calls of all ranks have found their partners, but for some programs.
fn agreement(name: &str) -> i32 {
    match name {
        // A message goes to itself, and nobody receives it.
        "errors" => 1,
        _ => 0,
    }
}

fn as_stated(name: &str) {
    let program = Program::read(name);
    let mut ran = 0;
    for mpi in libraries().iter().filter(|mpi| program.runs_under(mpi)) {
        let case = Case::of(&program, mpi);
        let plain = case.plain();
        let under = mpi.name;
        let said = (plain.stdout.as_str(), plain.status);
        assert_eq!(said, ("ok\n", 0), "{name} under {under} is wrong without the recorder: {plain:?}");
        let (recorded, run) = case.recorded(name);
        assert_eq!((recorded.stdout.as_str(), recorded.status), said, "{name} under {under}: {}", recorded.stderr);
        truth::check(&program, &run, under);
        let agreed = finish(Command::new(overhear()).arg("check").arg(&run.folder));
        assert_eq!(agreed.status, agreement(name), "{name} under {under}: {}", agreed.stdout);
        ran += 1;
    }
    for mpi in libraries().iter().filter(|mpi| program.fails_under(mpi)) {
        let plain = Case::of(&program, mpi).plain();
        assert_ne!((plain.stdout.as_str(), plain.status), ("ok\n", 0), "{name} can be run under {}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0, "no MPI that is here has {:?}", program.needs);
}
