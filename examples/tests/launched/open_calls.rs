//! An open call counts until now, or until its process was last known to live, and reports about it are true.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{case, libraries, those};
use examples::answer::number;
use examples::run::{Run, fresh_folder, overhear};
use examples::running::Running;
use serde_json::json;

/// Longest time until a program begins.
const LIMIT: Duration = Duration::from_secs(60);
/// Seconds that rank 0 sleeps before it is killed.
const SLEEP: f64 = 1.5;

#[test]
fn ranks_whose_partner_was_killed_outside_mpi_were_in_their_call_until_the_end() {
    // In Intel's shared memory nothing that a waiting rank does can be seen, so its file does not tell how long it waited.
    for mpi in those("has an engine that is seen in shared memory", |mpi| !mpi.name.starts_with("impi")) {
        let file = fresh_folder(&format!("{}-open-killed-time", mpi.name)).display().to_string();
        let (_, run) = case("open_call", &mpi, 2, &["killed", &SLEEP.to_string(), &file]).recorded("open-killed");
        let report = run.report("rank");
        let in_barrier =
            report.total("rank_functions", "time_s", &[("function", json!("MPI_Barrier")), ("rank", json!(1))]);
        // The rest is the launcher's time to end the other ranks.
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
        let (_, run) = case("open_call", &mpi, 2, &["aborts", "0", "/dev/null"]).recorded("open-aborts");
        let hang = run.ask("hang", &["--no-cache"]);
        let rests_on = hang.json["run"]["rests_on"].as_str().unwrap();
        // One rank may be ended by the other before it aborts itself.
        let named = ["ranks 0-1 ended it by MPI_Abort", "rank 0 ended it by MPI_Abort", "rank 1 ended it by MPI_Abort"];
        assert!(named.contains(&rests_on), "{}: {rests_on}", mpi.name);
        assert_eq!(hang.json["run"]["hangs"], "no", "{}", mpi.name);
        // In MPICH 5, MPI_Abort can return, and later calls of the rank do not explain its end.
        let calls = run.report("rank").matching("rank_functions", &[("function", json!("MPI_Abort"))]).len();
        assert_eq!(calls == 2, rests_on == named[0], "{}: {rests_on}", mpi.name);
    }
}

/// Text output of a command, without line breaks.
fn words(run: &Run, analysis: &[&str]) -> String {
    let mut command = Command::new(overhear());
    command.args(analysis).arg(&run.folder).env("COLUMNS", "400");
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// Seconds that rank 0 stays away from the barrier in which the other rank is observed. The run is ended earlier.
const AWAY: f64 = 30.0;
/// Seconds that the other rank must have been in the barrier.
const ENOUGH: f64 = 1.0;

#[test]
fn a_barrier_that_goes_on_counts_until_now() {
    for mpi in libraries() {
        let file = fresh_folder(&format!("{}-open-comes-time", mpi.name));
        let arguments = ["comes", &AWAY.to_string(), &file.display().to_string()];
        let running = Running::begin("open-comes", &case("open_call", &mpi, 2, &arguments));
        let began = Instant::now();
        let went_in = loop {
            assert!(began.elapsed() < LIMIT, "{}: no rank went into the barrier", mpi.name);
            let written = fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'));
            if let Some(text) = written {
                break text.trim().parse::<i64>().unwrap();
            }
            sleep(Duration::from_millis(20));
        };
        let inside = || (monotonic() - went_in) as f64 / 1e9;
        sleep(Duration::from_secs_f64((ENOUGH - inside()).max(0.0)));
        // The test's own measurements bound the report's.
        let least = inside();
        let report = running.run.report("rank");
        let most = inside();
        let of_rank_1 = [("rank", json!(1))];
        let barrier =
            &report.matching("rank_functions", &[("function", json!("MPI_Barrier")), of_rank_1[0].clone()])[0];
        assert_eq!(barrier["open_calls"], 1, "{}: it was looked at too late: {barrier:#}", mpi.name);
        let longest = number(barrier, "call_max_s");
        let is_between = |seconds: f64| seconds >= least - 0.01 && seconds <= most;
        assert!(is_between(longest), "{}: {longest} s, not {least} to {most} s", mpi.name);
        let rank = &report.matching("ranks", &of_rank_1)[0];
        let (wall, in_mpi) = (number(rank, "wall_time_s"), number(rank, "mpi_time_s"));
        assert!(in_mpi >= longest && wall >= in_mpi, "{}: {wall} s, {in_mpi} s in MPI", mpi.name);
        // Before the barrier, the rank spent nearly all its time in MPI_Init.
        let init = &report.matching("rank_functions", &[("function", json!("MPI_Init")), of_rank_1[0].clone()])[0];
        assert!(wall >= number(init, "time_s") + longest, "{}: {wall} s", mpi.name);
        assert!(number(rank, "mpi_share_percent") <= 100.0, "{}: {rank:#}", mpi.name);
        assert!(report.fact("wall_time_s") >= longest, "{}: {:#}", mpi.name, report.json["run"]);
        let said = "rank 1 still runs: it has been in MPI_Barrier";
        assert!(report.warnings().contains(said), "{}: {}", mpi.name, report.warnings());
    }
}

/// CLOCK_MONOTONIC in nanoseconds.
fn monotonic() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a timespec that the system may write.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
