//! mpi4py's own tests pass, fail and are skipped with the recorder as they are without it.
//!
//! A part of them, under two libraries; `cargo xtask conformance` runs all under all.

mod common;

use common::libraries;
use examples::mpi4py::{self, How};

/// Files of its tests: messages, collective calls, requests, communicators and errors.
const PART: &str = r"test_(p2p_buf|cco_obj|request|status|errhandler|comm|threads)\.py";

#[test]
fn a_part_of_the_tests_has_the_same_outcomes_with_the_recorder() {
    mpi4py::bring().unwrap();
    let libraries = libraries();
    let chosen = libraries.iter().filter(|mpi| ["ompi4", "mpich5"].contains(&mpi.name));
    for mpi in chosen {
        for (ranks, loaded, threads) in [(1, "global", "--threads"), (2, "local", "--no-threads")] {
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
