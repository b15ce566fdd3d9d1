//! A process killed by SIGKILL leaves all its calls, including the open one.

use std::fs;

use crate::common::{Turns, both_families, case, libraries};
use examples::answer::Answer;
use examples::run::fresh_folder;
use serde_json::json;
use traces::progress::INSIDE;
use traces::read::{RankFile, open_productive};

#[test]
fn every_completed_call_of_a_killed_rank_but_at_most_one_is_in_the_report() {
    for mpi in libraries() {
        let counter = counter(mpi.name);
        let (_, run) = case("killed", &mpi, 2, &[counter.as_str()]).recorded("killed");
        let completed = u64::from_le_bytes(fs::read(&counter).unwrap()[..8].try_into().unwrap());
        assert!(completed >= 60_000, "{} was killed too early: after {completed}", mpi.name);
        let report = run.report("rank");
        let recorded = calls(&report);
        // The program counts a call after it has returned: one more may be recorded than counted.
        assert!((completed..=completed + 1).contains(&recorded), "{}: {recorded} of {completed}", mpi.name);
        assert_eq!(report.status, 4, "{}: {}", mpi.name, report.warnings());
    }
}

#[test]
fn a_rank_killed_in_a_receive_is_reported_with_it() {
    for mpi in libraries() {
        let counter = counter(mpi.name);
        let (_, run) = case("killed", &mpi, 2, &[counter.as_str(), "waiting"]).recorded("killed-waiting");
        let report = run.report("rank");
        let warnings = report.warnings();
        let call = "rank 0 did not finalize MPI: it ended in MPI_Recv (from 1, tag 99, 1 byte, MPI_COMM_WORLD) at main (killed.c:";
        assert!(warnings.contains(call), "{}: {warnings}", mpi.name);
        let recorded = calls(&report);
        assert_eq!(recorded, 100_000, "{}", mpi.name);
        // The launcher killed rank 1 in the barrier that rank 0 never reached.
        assert!(
            warnings.contains("rank 1 did not finalize MPI: it ended in MPI_Barrier (MPI_COMM_WORLD)"),
            "{warnings}"
        );
    }
}

#[test]
fn what_the_engine_did_in_the_call_that_a_rank_died_in_is_in_its_file() {
    let mut seen = 0;
    for mpi in both_families() {
        let (_, run) = case("killed", &mpi, 2, &[&counter(mpi.name), "waiting"]).recorded("killed-turning");
        let file = RankFile::open(&run.folder.join("rank-0000.ovh")).unwrap();
        let contents = file.contents();
        let thread = &contents.threads[0];
        let (turns, block) = (Turns::of(thread), thread.block.unwrap().copy());
        let ledger = block.ledger[INSIDE].calls;
        let open = open_productive(&block, turns.last).map(|run| run.count).sum::<u64>();
        assert_eq!(turns.placed + open, ledger.productive, "{}", mpi.name);
        assert!(ledger.entries == 0 || turns.said.entries < ledger.entries, "{}: {ledger:?}", mpi.name);
        seen += open;
    }
    // If the engine is observed, it found the message of the last call.
    assert!(seen > 0);
}

/// Calls that rank 0 counts itself.
fn calls(report: &Answer) -> u64 {
    let of = |function| report.sum("rank_functions", "calls", &[("function", json!(function)), ("rank", json!(0))]);
    of("MPI_Iprobe") + of("MPI_Bcast")
}

fn counter(name: &str) -> String {
    fresh_folder(&format!("{name}-killed-counter")).to_string_lossy().into_owned()
}
