//! mpi4py's own tests pass, fail and are skipped with the recorder as without it.
//!
//! Runs some of them, under one library; `cargo lab conformance` runs all under all.

use crate::common::{every_library, one_at_most};
use examples::mpi4py::{self, How};
use examples::rota;

/// Files of its tests: messages, collective calls, requests, communicators and errors.
const PART: &str = r"test_(p2p_buf|cco_obj|request|status|errhandler|comm|threads)\.py";

#[test]
fn a_part_of_the_tests_has_the_same_outcomes_with_the_recorder() {
    mpi4py::bring().unwrap();
    let mut chosen = every_library();
    chosen.retain(|mpi| ["ompi4", "mpich5"].contains(&mpi.name));
    for mpi in &one_at_most(chosen, "mpi4py") {
        let mut ways = vec![(2, "local", "--no-threads"), (1, "global", "--threads")];
        if !rota::is_all() {
            ways.truncate(1);
        }
        for (ranks, loaded, threads) in ways {
            let how = How { ranks, loaded, arguments: &["-q", threads, "-i", PART], limit: 300 };
            let plain = mpi4py::run(mpi, &how, None);
            let recorded = mpi4py::run(mpi, &how, Some("mpi4py-part"));
            assert!(plain.count("passed") > 100, "{} {how:?}: {}", mpi.name, plain.output.stderr);
            let differences = plain.differences(&recorded);
            assert!(differences.is_empty(), "{} {how:?}: {differences:#?}", mpi.name);
            assert_eq!(recorded.output.status, plain.output.status, "{} {how:?}: {}", mpi.name, recorded.output.stderr);
        }
    }
}
