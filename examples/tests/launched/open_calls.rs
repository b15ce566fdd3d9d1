//! A call that has not returned counts until now, or until its process was last known to live, and what is said of it is true.

use std::process::Command;

use crate::common::{case, libraries};
use examples::run::{Run, fresh_folder, overhear};
use serde_json::json;

/// How long rank 0 sleeps before it is killed, seconds.
const SLEEP: f64 = 1.5;

#[test]
fn ranks_whose_partner_was_killed_outside_mpi_were_in_their_call_until_the_end() {
    for mpi in libraries() {
        let file = fresh_folder(&format!("{}-open-killed-time", mpi.name)).display().to_string();
        let (_, run) = case("open_call", &mpi, 2, &["killed", &SLEEP.to_string(), &file]).recorded("open-killed");
        let report = run.report("rank");
        let in_barrier =
            report.total("rank_functions", "time_s", &[("function", json!("MPI_Barrier")), ("rank", json!(1))]);
        // What follows is the launcher's time to end the others.
        assert!(in_barrier >= 0.9 * SLEEP, "{}: {in_barrier} s", mpi.name);
        assert!(report.fact("wall_time_s") >= in_barrier, "{}: {:#}", mpi.name, report.json["run"]);

        let hang = run.ask("hang", &["--no-cache"]);
        let of_rank_1 = &hang.matching("standing", &[("rank", json!(1))])[0];
        let (function, since) = (&of_rank_1["function"], of_rank_1["since_s"].as_f64().unwrap());
        assert_eq!(function, "MPI_Barrier", "{}", mpi.name);
        assert!(since >= 0.9 * SLEEP && since <= report.fact("wall_time_s"), "{}: {since} s", mpi.name);
        assert!(hang.fact("quiet_s") >= 0.9 * SLEEP, "{}: {:#}", mpi.name, hang.json["run"]);

        let top = words(&run, &["top", "--once"]);
        let line = |rank: &str| top.lines().find(|line| line.trim_start().starts_with(rank)).unwrap().to_string();
        assert!(line("0 ").contains("dead after  MPI_Barrier"), "{}: {top}", mpi.name);
        assert!(line("1 ").contains("dead in     MPI_Barrier"), "{}: {top}", mpi.name);

        let first = words(&run, &[]);
        for said in ["(the shortest rank's at least ", "in calls that had not returned", "for which rank they waited"] {
            assert!(first.contains(said), "{}: {said} is not in {first}", mpi.name);
        }
        assert!(words(&run, &["pop"]).contains("; 2 ranks did not finalize MPI\n"), "{}", mpi.name);
    }
}

#[test]
fn a_run_that_several_ranks_aborted_was_not_hanging_and_all_of_them_are_named() {
    for mpi in libraries() {
        let (_, run) = case("open_call", &mpi, 2, &["aborts", "0", "none"]).recorded("open-aborts");
        let hang = run.ask("hang", &["--no-cache"]);
        let rests_on = hang.json["run"]["rests_on"].as_str().unwrap();
        // One may be ended by the other before it aborts itself.
        let named = ["ranks 0-1 ended it by MPI_Abort", "rank 0 ended it by MPI_Abort", "rank 1 ended it by MPI_Abort"];
        assert!(named.contains(&rests_on), "{}: {rests_on}", mpi.name);
        assert_eq!(hang.json["run"]["hangs"], "no", "{}", mpi.name);
        let in_abort = hang.matching("standing", &[("function", json!("MPI_Abort"))]).len();
        assert_eq!(in_abort == 2, rests_on == named[0], "{}: {rests_on}", mpi.name);
    }
}

/// What a command prints of a run, in lines as long as they come.
fn words(run: &Run, analysis: &[&str]) -> String {
    let mut command = Command::new(overhear());
    command.args(analysis).arg(&run.folder).env("COLUMNS", "400");
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}
