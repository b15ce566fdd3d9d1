//! Unusual calls keep their partners, or are reported without one: messages that are taken, truncated or cancelled,
//! calls that never return, threads that call at the same time.

use crate::common::{ATTEMPTS, case, every_library, libraries, those};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use examples::{choice, rota, truth, workspace};
use serde_json::json;

#[test]
fn messages_of_types_that_are_new_when_they_are_taken_have_been_received() {
    for mpi in libraries() {
        let (output, run) = case("first_taken", &mpi, 2, &[]).recorded("first-taken");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let check = run.ask("check", &[]);
        assert_eq!(check.json["run"]["matched_messages"], json!(6), "{}: {}", mpi.name, check.warnings());
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
    }
}

#[test]
fn truncated_messages_have_been_received_and_are_said_to_be_truncated() {
    // Intel's library for the standard ABI calls the error handler of MPI_COMM_WORLD, whatever the program has set.
    let cannot = |mpi: &Mpi| mpi.name == "impiabi";
    for mpi in every_library().iter().filter(|mpi| rota::is_all() && cannot(mpi)) {
        assert_ne!(case("truncated", mpi, 2, &[]).plain().status, 0, "{} can do it now", mpi.name);
    }
    let mut ran = 0;
    for mpi in those("calls the handler that the program sets", |mpi| !cannot(mpi)) {
        ran += 1;
        let (output, run) = case("truncated", &mpi, 2, &[]).recorded("truncated");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let check = run.ask("check", &[]);
        let truncated = check.sum("unmatched", "calls", &[("what", json!("received, truncated")), ("rank", json!(1))]);
        let rows = check.rows("unmatched");
        assert_eq!((check.json["run"]["matched_messages"].as_u64(), truncated), (Some(6), 5), "{}: {rows:?}", mpi.name);
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
    }
    assert!(ran > 0);
}

#[test]
fn calls_after_a_jump_out_of_a_call_are_counted_and_the_one_it_left_is_said_to_be_left() {
    for mpi in libraries() {
        for stack in ["same-stack", "own-stack"] {
            let (output, run) = case("jumps", &mpi, 2, &[stack]).recorded("jumps");
            let under = format!("{}, {stack}", mpi.name);
            assert!(output.stdout.contains("jumped"), "{under}: {}", output.stderr);
            let report = run.report("rank");
            let of_rank = |function| [("function", json!(function)), ("rank", json!(0))];
            let count = |function| report.sum("rank_functions", "calls", &of_rank(function));
            let nested = report.sum("rank_functions", "nested_calls", &of_rank("MPI_Barrier"));
            assert_eq!([count("MPI_Recv"), count("MPI_Barrier"), nested], [1, 10, 0], "{under}");
            let check = run.ask("check", &[]);
            let left = check.sum("unmatched", "calls", &[("what", json!("left, never returned")), ("rank", json!(0))]);
            assert_eq!(left, 1, "{under}: {:?}", check.rows("unmatched"));
        }
    }
}

#[test]
fn calls_inside_another_do_not_wait_for_a_thread_that_holds_the_loaders_lock() {
    let program = Program::read_in(&workspace().join("examples/tests/programs"), "loader_lock");
    for mpi in libraries() {
        for holder in ["visit", "constructor"] {
            let mut case = Case::of(&program, &mpi);
            case.arguments.push(holder.into());
            let (output, run) = case.recorded("loader-lock");
            let under = format!("{}, {holder}", mpi.name);
            assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{under}: {}", output.stderr);
            truth::check(&program, &run, &under);
        }
    }
}

#[test]
fn messages_of_threads_at_once_do_not_run_backwards_and_are_said_to_be_uncertain() {
    let _alone = alone();
    let libraries = choice::of_file(file!(), every_library(), rota::rotation());
    let lets_threads_call = |mpi: &Mpi| case("one_tag", mpi, 2, &[]).plain().stdout != "no threads\n";
    // Each library that is asked takes a launch.
    let most = if rota::is_all() { usize::MAX } else { 2 };
    let with_threads: Vec<Mpi> = libraries.into_iter().filter(lets_threads_call).take(most).collect();
    // The scheduler decides if two threads are ever in MPI together.
    for _ in 0..ATTEMPTS {
        let uncertain: u64 = with_threads.iter().map(uncertain_messages).sum();
        if uncertain > 0 {
            return;
        }
    }
    panic!("threads never called at once in {ATTEMPTS} attempts");
}

/// Messages of unknown order, in a run of threads that send with one tag.
fn uncertain_messages(mpi: &Mpi) -> u64 {
    let (output, run) = case("one_tag", mpi, 2, &[]).recorded("one-tag");
    assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
    let check = run.ask("check", &[]);
    let fact = |name: &str| check.json["run"][name].as_u64();
    let found = [fact("matched_messages"), fact("backwards"), fact("backwards_before")];
    assert_eq!(found, [Some(1200), Some(0), Some(0)], "{}: {}", mpi.name, check.warnings());
    assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
    fact("uncertain_messages").unwrap_or(0)
}
