//! Recorded times of MPI calls equal those that the program measures.

use std::collections::BTreeMap;

use crate::common::{case, libraries, one_at_most};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use serde_json::json;

const TRIES: usize = 10;
/// Nanoseconds per call that the program may see beyond the recorded time. The wrapper needs 10 to 20; the rest is for
/// the program's two clock readings and for fresh memory, which some virtual machines are slow to provide: 124 were seen
/// of MPI_Sendrecv.
const BESIDE: f64 = 200.0;

#[test]
fn recorded_durations_are_those_the_program_measures_itself() {
    let _alone = alone();
    for mpi in one_at_most(libraries(), "durations") {
        // Disturbances between the program's clock reading and its call increase the program's figure, and never ours:
        // each function must be undisturbed in one attempt.
        let mut open = differences(&mpi);
        for _ in 1..TRIES {
            if open.is_empty() {
                break;
            }
            let again = differences(&mpi);
            open.retain(|function, _| again.contains_key(function));
        }
        assert!(open.is_empty(), "{}, the first of {TRIES} tries: {open:#?}", mpi.name);
    }
}

/// Runs the program that times its own calls. Returns differences from the report, by function.
fn differences(mpi: &Mpi) -> BTreeMap<String, String> {
    // Engine records are written after a call, inside the program's figure and outside ours.
    let (output, run) = case("timed", mpi, 2, &[]).with("OVERHEAR_PROGRESS", "off").recorded("timed");
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = run.report("rank");
    let mut different = BTreeMap::new();
    for line in output.stdout.lines() {
        let [function, calls, own] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (calls, own): (f64, f64) = (calls.parse().unwrap(), own.parse().unwrap());
        let matches = |row: &&serde_json::Value| row["function"] == *function && row["rank"] == json!(0);
        let row = report.rows("rank_functions").iter().find(matches).unwrap();
        assert_eq!(row["calls"].as_f64(), Some(calls));
        // The program's figure includes the wrapper's work before and after MPI, so ours is never above it.
        let recorded = row["time_s"].as_f64().unwrap() * 1e9;
        if recorded > own || recorded < own - (0.01 * own).max(BESIDE * calls) {
            let figures = format!("{:.1} ns a call recorded, {:.1} own", recorded / calls, own / calls);
            different.insert(function.into(), figures);
        }
    }
    different
}
