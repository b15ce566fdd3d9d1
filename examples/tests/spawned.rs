//! Processes that others spawn while they run.

mod common;

use std::fs;

use common::{libraries, said};
use examples::program::Program;
use examples::run::Case;
use serde_json::json;

#[test]
fn spawned_processes_have_files_and_names_of_their_own() {
    let program = Program::read("spawns");
    for mpi in libraries().iter().filter(|mpi| program.runs_under(mpi)) {
        let (output, run) = Case::of(&program, mpi).recorded("spawned");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let files: Vec<String> =
            run.files().iter().map(|file| file.file_name().unwrap().to_string_lossy().into()).collect();
        let names = ["rank-0000.ovh", "rank-0001.ovh", "world-1-rank-0000.ovh", "world-1-rank-0001.ovh"];
        assert_eq!(files, names, "{}", mpi.name);
        let report = run.report("rank");
        let ranks: Vec<_> = report.rows("ranks").iter().map(|row| row["rank"].clone()).collect();
        let called = [json!(0), json!(1), json!("0 of world 1"), json!("1 of world 1")];
        assert_eq!((ranks, report.status), (called.to_vec(), 0), "{}: {}", mpi.name, report.warnings());
        for (rank, calls) in called.iter().zip([10, 10, 40, 40]) {
            let of_rank = [("function", json!("MPI_Sendrecv")), ("rank", rank.clone())];
            assert_eq!(report.sum("rank_functions", "calls", &of_rank), calls, "{} rank {rank}", mpi.name);
        }
        // Nobody knows who is who in the other world; what the children did among themselves is known.
        let check = said(&run, "check");
        assert_eq!(check.sum("pairs", "messages", &[]), 2 * 30, "{}", mpi.name);
        assert!(check.warnings().contains("80 messages to or from processes"), "{}: {}", mpi.name, check.warnings());
        assert!(!check.warnings().contains("did not come to"), "{}: {}", mpi.name, check.warnings());
        let matrix = said(&run, "matrix");
        let pairs: Vec<_> = matrix.rows("pairs").iter().map(|row| (&row["from_rank"], &row["to_rank"])).collect();
        let [.., one, other] = &called;
        assert_eq!(pairs, [(one, other), (other, one)], "{}", mpi.name);
        assert_eq!(matrix.sum("pairs", "messages", &[]), 2 * 30, "{}", mpi.name);
    }
}

#[test]
fn spawned_processes_that_are_not_there_are_missed() {
    let program = Program::read("spawns");
    let Some(mpi) = libraries().into_iter().find(|mpi| program.runs_under(mpi)) else { return };
    let (_, run) = Case::of(&program, &mpi).recorded("spawned-missing");
    let of_children = |file: &std::path::PathBuf| file.file_name().unwrap().to_string_lossy().starts_with("world-");
    run.files().into_iter().filter(of_children).for_each(|file| fs::remove_file(file).unwrap());
    let warnings = run.report("rank").warnings();
    assert!(warnings.contains("processes were spawned that are not in this folder"), "{warnings}");
}
