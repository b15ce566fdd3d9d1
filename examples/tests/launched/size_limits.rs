//! The program limits the size of files after MPI_Init (RLIMIT_FSIZE): the recorder obeys that, and raises no signal.

use std::process::Command;

use crate::common::{case, libraries, one};
use examples::mpi::Mpi;
use examples::program::compile;
use examples::run::{Case, Output, Run, finish, fresh_folder, overhear};
use examples::{target, workspace};
use serde_json::json;

fn limited<'a>(mpi: &'a Mpi, bytes: &str) -> Case<'a> {
    let result = fresh_folder(&format!("{}-size-limit.result", mpi.name));
    case("size_limit", mpi, 2, &[bytes, result.to_str().unwrap()])
}

fn assert_done(output: &Output) {
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{}", output.stderr);
}

fn broadcasts(run: &Run) -> u64 {
    run.report("rank").sum("rank_functions", "calls", &[("function", json!("MPI_Bcast"))])
}

#[test]
fn a_size_limit_set_after_init_is_used_and_a_profile_goes_on_in_what_is_left() {
    for mpi in libraries() {
        let (output, run) = limited(&mpi, "1048576").recorded("size-limit");
        assert_done(&output);
        assert_eq!(broadcasts(&run), 600_000, "{}: {}", mpi.name, output.stderr);
        let said = run.report("rank").warnings();
        assert!(said.contains("2 ranks reached the limit for the size of a file (ulimit -f)"), "{said}");
        for file in run.files() {
            let bytes = file.metadata().unwrap().len();
            // The program lifts the limit before MPI_Finalize, which adds a few definitions.
            assert!((700_000..=(1 << 20) + (16 << 10)).contains(&bytes), "{}: {bytes}", file.display());
        }
    }
}

#[test]
fn a_size_limit_below_what_the_file_has_already_harms_nobody_and_loses_no_total() {
    for mpi in libraries() {
        let (output, run) = limited(&mpi, "1").recorded("size-limit-none");
        assert_done(&output);
        assert_eq!(broadcasts(&run), 600_000, "{}: {}", mpi.name, output.stderr);
    }
}

#[test]
fn a_write_beyond_a_size_limit_that_was_not_there_when_it_was_asked_for_raises_no_signal() {
    let mpi = one();
    let shim = target().join("programs").join(mpi.built_as).join("no_size_limit.so");
    let source = workspace().join("examples/tests/programs/no_size_limit.c");
    compile(&mpi, &source, &shim, &["-shared", "-fPIC"].map(String::from));
    let folder = fresh_folder("size-limit-later");
    let case = limited(&mpi, "1048576");
    let mut command = Command::new(overhear());
    command.arg("record").arg("--dir").arg(&folder).args(case.words()).env("LD_PRELOAD", &shim);
    case.prepare(&mut command);
    let output = finish(&mut command);
    assert_done(&output);
    assert!(output.stderr.contains("ulimit -f"), "the limit was met: {}", output.stderr);
    assert!(!Run { folder }.files().is_empty());
}
