//! The program may close and reuse every descriptor: the recorder writes nothing into the program's files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{case, libraries, one};
use examples::mpi::Mpi;
use examples::run::{Output, Run, fresh_folder};
use serde_json::json;

/// File for the program's result.
fn result(name: &str) -> PathBuf {
    fresh_folder(name)
}

fn closed(mpi: &Mpi, how: &str) -> (Output, Run) {
    let name = format!("descriptors-{how}");
    let result = result(&format!("{}-{name}.result", mpi.name));
    let (output, run) = case("closed_descriptors", mpi, 2, &[how, result.to_str().unwrap()]).recorded(&name);
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{} {how}: {}", mpi.name, output.stderr);
    (output, run)
}

fn broadcasts(run: &Run) -> u64 {
    run.report("rank").sum("rank_functions", "calls", &[("function", json!("MPI_Bcast"))])
}

#[test]
fn a_program_that_closes_and_takes_the_recorders_descriptor_keeps_its_file_and_the_trace_is_whole() {
    for mpi in libraries() {
        for how in ["closed", "taken"] {
            let (output, run) = closed(&mpi, how);
            let report = run.report("rank");
            assert_eq!((broadcasts(&run), report.status), (600_000, 0), "{} {how}: {}", mpi.name, output.stderr);
        }
    }
}

#[test]
fn where_the_trace_is_not_found_again_there_is_a_message_and_the_program_keeps_its_file() {
    let mpi = one();
    let (output, _) = closed(&mpi, "moved");
    let message = "was moved or removed while its process recorded into it";
    assert_eq!(output.stderr.matches(message).count(), 2, "once a rank: {}", output.stderr);
}

#[test]
fn what_the_recorder_says_does_not_go_into_a_file_that_has_the_number_of_stderr() {
    let mpi = one();
    let path: &Path = &result("stderr.result");
    let (output, _) = case("closed_stderr", &mpi, 1, &[path.to_str().unwrap()]).recorded("stderr");
    assert_eq!((output.status, output.stdout.as_str()), (0, "2\n"), "{}", output.stderr);
    assert_eq!(fs::read_to_string(path).unwrap(), "result\n");
}
