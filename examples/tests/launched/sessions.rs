//! MPI sessions that are opened and closed.

use crate::common::{ATTEMPTS, case, those};
use examples::mpi::Mpi;
use examples::run::{Case, Output, Run};
use examples::running::{says_it_hangs, verdict};
use serde_json::json;

/// The reason why a library cannot be initialized again after its last session.
fn cannot_again(name: &str) -> Option<&'static str> {
    match name {
        "mpich4" => Some("it crashes in MPI_Session_init"),
        "ompi5" => Some("its components are gone, and it calls them"),
        "impi" | "impiabi" => Some("its connection to the launcher is closed"),
        _ => None,
    }
}

/// Libraries with sessions.
fn with_sessions() -> Vec<Mpi> {
    those("has sessions", |mpi| mpi.has("MPI_Session_init"))
}

/// The first successful run. MPICH 5 fails once in a hundred times by itself when it is initialized again: a process
/// reads another one's address from the session before.
fn recorded(case: &Case<'_>, name: &str) -> (Output, Run) {
    // Each attempt replaces the run of the last one.
    for _ in 1..ATTEMPTS {
        let recorded = case.recorded(name);
        if recorded.0.status == 0 {
            return recorded;
        }
    }
    case.recorded(name)
}

/// All sessions of each rank are recorded, and summed up once.
fn assert_recorded((output, run): &(Output, Run), sessions: u64, under: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (0, "done\n"), "{under}: {}", output.stderr);
    let said = output.stderr.lines().filter(|line| line.starts_with("overhear: ")).count();
    assert_eq!(said, 2, "one line at the start, and one of the command at the end, {under}: {}", output.stderr);
    let report = run.report("rank");
    let calls = ["MPI_Session_init", "MPI_Session_finalize", "MPI_Sendrecv"]
        .map(|function| report.sum("rank_functions", "calls", &[("function", json!(function))]));
    assert_eq!(calls, [2 * sessions, 2 * sessions, 2 * 10 * sessions], "{under}");
    assert_eq!(report.status, 0, "{under}: {}", report.warnings());
}

#[test]
fn sessions_one_after_another_are_all_recorded() {
    for mpi in with_sessions() {
        let case = case("sessions_in_turn", &mpi, 2, &[]);
        match cannot_again(mpi.name) {
            Some(why) => assert_ne!(case.plain().status, 0, "{} can do it: {why}", mpi.name),
            None => assert_recorded(&recorded(&case, "sessions_in_turn"), 3, mpi.name),
        }
    }
}

#[test]
fn sessions_that_threads_open_at_once_are_all_recorded() {
    // Open MPI 5 hangs now and then by itself when two threads make communicators from groups.
    for mpi in &those("has sessions that threads may open", |mpi| mpi.has("MPI_Session_init") && !mpi.is_openmpi()) {
        let case = case("sessions_at_once", mpi, 2, &[]);
        assert_eq!(case.plain().stdout, "done\n", "{}", mpi.name);
        assert_recorded(&case.recorded("sessions_at_once"), 2, mpi.name);
    }
}

#[test]
fn processes_of_sessions_alone_find_their_messages_and_collective_calls() {
    for mpi in with_sessions() {
        let (output, run) = case("sessions_only", &mpi, 3, &[]).recorded("sessions_only");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok\n"), "{}: {}", mpi.name, output.stderr);
        let check = run.ask("check", &[]);
        let fact = |name: &str| check.json["run"][name].as_u64();
        // There are communicators of all ranks, of each alone, and of ranks 0 and 2, with collective calls on each.
        let found = [fact("matched_messages"), fact("matched_collectives")];
        assert_eq!(found, [Some(3 * 10 + 3), Some(5 + 4 + 3 + 1 + 1)], "{}: {}", mpi.name, check.warnings());
        assert_eq!(check.status, 0, "{}: {}", mpi.name, check.warnings());
    }
}

#[test]
fn a_crash_in_the_begin_of_a_session_is_told_first_with_the_call_that_it_came_in() {
    let mut crashed = 0;
    for mpi in with_sessions() {
        for way in ["first", "again"] {
            let (output, run) = case("session_crash", &mpi, 2, &[way]).recorded("session_crash");
            let under = format!("{} {way}", mpi.name);
            assert_ne!(output.status, 0, "{under}");
            let hang = run.ask("hang", &["--no-cache"]);
            let end = hang.json["run"]["end"].as_str().unwrap_or_default();
            let is_told = end.contains(" with status ") && end.contains("did not finalize MPI");
            assert!(is_told && end.contains("in MPI_Session_init at main"), "{under}: {end}");
            assert!(!says_it_hangs(&hang) && verdict(&hang) != "finished", "{under}: {:#}", hang.json["run"]);
            let first = run.ask("diagnose", &["--no-cache"]).rows("findings")[0]["headline"].to_string();
            assert!(first.contains(" with status "), "{under}: {first}");
            crashed += 1;
        }
    }
    assert!(crashed > 0);
}
