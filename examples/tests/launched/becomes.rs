//! Processes that execute other programs before and after MPI.

use std::fs;

use crate::common::{case, libraries};
use examples::run::{Case, Run, fresh_folder};
use serde_json::json;

/// The run is one process with ten calls.
fn assert_recorded(run: &Run, under: &str) {
    let report = run.report("rank");
    let calls = report.sum("rank_functions", "calls", &[("function", json!("MPI_Bcast"))]);
    assert_eq!((calls, report.status), (10, 0), "{under}: {}", report.warnings());
}

#[test]
fn a_program_without_mpi_that_becomes_one_with_it_is_recorded() {
    for mpi in libraries() {
        let case = case("becomes", &mpi, 1, &[]);
        let arguments = vec![case.path.display().to_string()];
        let case = Case { path: "/usr/bin/env".into(), arguments, ..case };
        let (output, run) = case.recorded("becomes-from-env");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run, mpi.name);
    }
}

#[test]
fn a_program_without_a_launcher_is_recorded() {
    for mpi in libraries() {
        let (output, run) = case("becomes", &mpi, 0, &[]).recorded("becomes-alone");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run, mpi.name);
    }
}

#[test]
fn a_program_that_a_batch_script_of_slurm_starts_is_watched_to_its_end() {
    for mpi in libraries() {
        let (output, run) = case("becomes", &mpi, 0, &[]).with("SLURM_PROCID", "0").recorded("becomes-in-batch");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run, mpi.name);
        let files = fs::read_dir(&run.folder).expect("it was made").flatten();
        let logs = files.filter(|file| file.file_name().to_string_lossy().starts_with("launch-")).count();
        assert_eq!(logs, 1, "{}: {}", mpi.name, output.stderr);
    }
}

#[test]
fn a_process_that_becomes_other_programs_once_mpi_is_finalized_is_recorded_for_each_that_uses_it() {
    for mpi in libraries() {
        let case = case("becomes", &mpi, 0, &[]);
        let arguments = [&case.path.display().to_string(), "echo", "after"].map(String::from).to_vec();
        let case = Case { arguments, ..case };
        let second = Run { folder: fresh_folder(&format!("{}-becomes-others-2", mpi.name)) };
        let (output, run) = case.recorded("becomes-others");
        let said = (output.status, output.stdout.as_str());
        assert_eq!(said, (0, "done\ndone\nafter\n"), "{}: {}", mpi.name, output.stderr);
        assert!(!output.stderr.contains("ended without a call of MPI_Init"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run, mpi.name);
        assert_recorded(&second, mpi.name);
        let arguments = ["echo", "after"].map(String::from).to_vec();
        let (output, run) = Case { arguments, ranks: 1, ..case }.recorded("becomes-launched");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\nafter\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run, mpi.name);
    }
}
