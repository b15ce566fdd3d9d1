//! Programs with user-level threads, several of which are in MPI on one thread: each call is recorded once, as itself,
//! and only abandoned calls are reported as abandoned.

use std::fs;

use crate::common::{that_run, those};
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::{Case, Run};
use examples::{truth, workspace};
use serde_json::json;

/// Largest allowed file of a rank in bytes: the programs make a few hundred calls.
const MOST: u64 = 256 << 10;

fn program(name: &str) -> Program {
    Program::read_in(&workspace().join("examples/tests/programs/fibers"), name)
}

/// Runs a program, which checks itself that it behaves as without the recorder.
fn record<'a>(name: &str, program: &Program, mpi: &'a Mpi) -> (Case<'a>, Run) {
    let case = Case::of(program, mpi);
    let (output, run) = case.recorded(&format!("fibers-{name}"));
    assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{name}, {}: {}", mpi.name, output.stderr);
    for file in run.files() {
        let bytes = fs::metadata(&file).unwrap().len();
        assert!(bytes < MOST, "{name}, {}: {bytes} bytes of {}", mpi.name, file.display());
    }
    (case, run)
}

fn is_recorded_as_it_states(name: &str, libraries: &[Mpi], left: u64) {
    let program = program(name);
    let mut ran = 0;
    for mpi in libraries {
        let (case, run) = record(name, &program, mpi);
        truth::check(&program, &run, mpi.name);
        let check = run.ask("check", &[]);
        let said = check.sum("unmatched", "calls", &[("what", json!("left, never returned"))]);
        assert_eq!((said, check.status), (left, 0), "{name}, {}: {:?}", mpi.name, check.rows("unmatched"));
        let warnings = check.warnings();
        assert_eq!(warnings.contains("were left by"), left > 0, "{name}, {}: {warnings}", mpi.name);
        assert!(warnings.contains("user-level threads"), "{name}, {}: {warnings}", mpi.name);
        let (output, run) = case.with("OVERHEAR_MODE", "profile").recorded(&format!("fibers-{name}-profile"));
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{name}, {}: {}", mpi.name, output.stderr);
        truth::check_totals(&program, &run, mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}

macro_rules! programs {
    ($($name:ident $file:literal $left:literal;)*) => {
        $(
            #[test]
            fn $name() {
                is_recorded_as_it_states($file, &that_run(&program($file)), $left);
            }
        )*
    };
}

programs! {
    fibers_that_meet_in_the_copy_function_of_a_datatype "datatype_attributes" 0;
    fibers_that_meet_in_functions_of_a_communicators_attribute "communicator_attributes" 0;
    fibers_that_meet_in_an_error_handler "error_handler" 0;
    fibers_that_meet_in_a_reduction_operation "reduction" 0;
    fibers_that_meet_in_the_query_function_of_a_request "generalized_request" 0;
    fibers_that_go_to_another_thread_between_calls_and_inside_one "migration" 0;
    a_fiber_that_is_left_beside_one_that_is_not "left_in_fiber" 20;
}

#[test]
fn fibers_that_wait_in_mpi_at_once() {
    let program = program("yields");
    let yielding = those("yields while it waits", |mpi| Case::of(&program, mpi).plain().stdout == "ok\n");
    is_recorded_as_it_states("yields", &yielding, 0);
}
