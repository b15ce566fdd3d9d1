//! Processes that become other programs, before MPI and after it.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{case, libraries};
use examples::run::{Case, Output, Run, finish, fresh_folder, overhear};
use serde_json::json;

/// Whether this is the whole run of a process, which makes ten calls.
fn assert_recorded(folder: &Path, under: &str) {
    let report = Run { folder: folder.into() }.report("rank");
    let calls = report.sum("rank_functions", "calls", &[("function", json!("MPI_Bcast"))]);
    assert_eq!((calls, report.status), (10, 0), "{under}: {}", report.warnings());
}

/// Runs a program without a launcher.
fn alone(case: &Case<'_>, name: &str) -> (Output, PathBuf) {
    let folder = fresh_folder(&format!("{}-{name}", case.mpi.name));
    let _ = std::fs::remove_dir_all(next(&folder));
    let mut command = Command::new(overhear());
    command.arg("record").arg("--dir").arg(&folder).arg(&case.path).args(&case.arguments);
    case.prepare(&mut command);
    (finish(&mut command), folder)
}

/// The folder of the run after that in this one.
fn next(folder: &Path) -> PathBuf {
    let mut next = folder.as_os_str().to_owned();
    next.push("-2");
    next.into()
}

#[test]
fn a_program_without_mpi_that_becomes_one_with_it_is_recorded() {
    for mpi in libraries() {
        let case = case("becomes", &mpi, 1, &[]);
        let arguments = vec![case.path.display().to_string()];
        let case = Case { path: "/usr/bin/env".into(), arguments, ..case };
        let (output, run) = case.recorded("becomes-from-env");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run.folder, mpi.name);
    }
}

#[test]
fn a_program_without_a_launcher_is_recorded() {
    for mpi in libraries() {
        let (output, folder) = alone(&case("becomes", &mpi, 1, &[]), "becomes-alone");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&folder, mpi.name);
    }
}

#[test]
fn a_process_that_becomes_other_programs_once_mpi_is_finalised_is_recorded_for_each_that_uses_it() {
    for mpi in libraries() {
        let case = case("becomes", &mpi, 1, &[]);
        let arguments = [&case.path.display().to_string(), "echo", "after"].map(String::from).to_vec();
        let case = Case { arguments, ..case };
        let (output, folder) = alone(&case, "becomes-others");
        assert_eq!(
            (output.status, output.stdout.as_str()),
            (0, "done\ndone\nafter\n"),
            "{}: {}",
            mpi.name,
            output.stderr
        );
        assert!(!output.stderr.contains("never initialised MPI"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&folder, mpi.name);
        assert_recorded(&next(&folder), mpi.name);
        let arguments = ["echo", "after"].map(String::from).to_vec();
        let (output, run) = Case { arguments, ..case }.recorded("becomes-launched");
        assert_eq!((output.status, output.stdout.as_str()), (0, "done\nafter\n"), "{}: {}", mpi.name, output.stderr);
        assert_recorded(&run.folder, mpi.name);
    }
}
