//! Child processes of a rank that do not use MPI.

use crate::common::{case, libraries};
use serde_json::json;

/// Ways to create a child, combined with ways in which it ends.
fn ways() -> Vec<&'static str> {
    let stay = ["fork", "_Fork", "enter", "clone"];
    let become_others = ["vfork", "posix_spawn", "system", "popen"];
    let stay = stay.iter().flat_map(|how| ["exit", "_exit", "killed"].map(|end| [*how, end]));
    stay.chain(become_others.map(|how| [how, "exit"])).flatten().collect()
}

#[test]
fn a_child_lives_as_without_the_recorder_and_leaves_its_parents_file_alone() {
    let ways = ways();
    let messages = 10 * (1 + ways.len() as u64 / 2);
    for mpi in libraries() {
        let case = case("children", &mpi, 2, &ways).with("OVERHEAR_FILTER", "all");
        let plain = case.plain();
        assert_eq!((plain.status, plain.stdout.as_str()), (0, "ok: 0\n"), "{}: {}", mpi.name, plain.stderr);
        let (output, run) = case.recorded("children");
        assert_eq!((output.status, output.stdout.as_str()), (0, "ok: 0\n"), "{}: {}", mpi.name, output.stderr);
        assert_eq!(run.files().len(), 2, "{}", mpi.name);
        let report = run.report("rank");
        let calls = ["MPI_Sendrecv", "MPI_Reduce", "MPI_Comm_rank", "MPI_Wtime", "MPI_Initialized", "MPI_Finalize"]
            .map(|function| report.sum("rank_functions", "calls", &[("function", json!(function))]));
        assert_eq!(calls, [2 * messages, 2, 2, 0, 0, 2], "{}", mpi.name);
        assert_eq!((report.status, run.ask("check", &[]).status), (0, 0), "{}: {}", mpi.name, report.warnings());
    }
}
