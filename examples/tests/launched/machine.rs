//! The ranks' use of the machine, as far as the system reports it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{case, two_families, under_each};
use examples::launch_turns::alone;
use examples::mpi::Mpi;

fn runs(mpi: &Mpi, refused: &str, count: &str) -> examples::run::Run {
    let (output, run) = case("denied", mpi, 2, &[refused, count]).recorded(&format!("denied-{refused}"));
    assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{}: {}", mpi.name, output.stderr);
    run
}

#[test]
fn what_a_filter_of_system_calls_refuses_is_unknown_and_the_program_goes_on() {
    under_each(&two_families(), |mpi| {
        // Of all libraries, Open MPI 4 alone starts without knowing its cores.
        let refused = if mpi.name == "ompi4" { "cores" } else { "time" };
        let report = runs(mpi, refused, "10").report("rank");
        let rows = report.rows("ranks");
        assert_eq!(rows.len(), 2, "{}", mpi.name);
        for row in rows {
            assert!(row["processor_percent"].is_null() && row["voluntary_switches"].is_null(), "{}: {row}", mpi.name);
            assert_eq!(row["allowed_cores"].is_null(), refused == "cores", "{}: {row}", mpi.name);
            assert_eq!(row["run_delay_s"].is_null(), !counts_delays(), "{}: {row}", mpi.name);
        }
    });
}

/// True if this kernel counts how long threads were ready to run.
fn counts_delays() -> bool {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().is_some_and(|ran| ran != "0" && !ran.is_empty())
}

#[test]
fn where_no_file_can_be_opened_any_more_the_program_goes_on_and_its_calls_are_counted() {
    under_each(&two_families(), |mpi| {
        let run = runs(mpi, "files", "50000");
        let report = run.report("function");
        assert_eq!(
            report.sum("functions", "calls", &[("function", "MPI_Sendrecv_replace".into())]),
            100_000,
            "{}",
            mpi.name
        );
        let report = run.report("rank");
        assert!(report.rows("ranks").iter().all(|row| row["run_delay_s"].is_null()), "{}", mpi.name);
    });
}

#[test]
fn ranks_that_are_pinned_to_one_core_are_said_to_share_it() {
    let _alone = alone();
    under_each(&two_families(), |mpi| {
        let case = case("pinned", mpi, 2, &[]);
        let (output, run) = case.recorded("pinned");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let answer = run.ask("diagnose", &[]);
        let first = &answer.rows("findings")[0];
        assert_eq!(first["kind"], "oversubscribed", "{}: {first}", mpi.name);
        assert!(first["headline"].as_str().is_some_and(|said| said.contains("2 ranks share core ")), "{first}");
    });
}

/// A control group whose processes get half a core; removed at the end.
struct HalfACore(PathBuf);

impl HalfACore {
    /// `None` where no group can be made: that takes root, and a hierarchy of the system's.
    fn make() -> Option<HalfACore> {
        let name = format!("overhear-test-{}", std::process::id());
        let (separate, unified) = (Path::new("/sys/fs/cgroup/cpu"), Path::new("/sys/fs/cgroup"));
        let (folder, settings) = if separate.join("cpu.cfs_quota_us").exists() {
            (separate.join(name), [("cpu.cfs_period_us", "50000"), ("cpu.cfs_quota_us", "25000")])
        } else {
            (unified.join(name), [("cpu.max", "25000 50000"), ("cpu.max", "25000 50000")])
        };
        fs::create_dir(&folder).ok()?;
        let group = HalfACore(folder);
        for (file, value) in settings {
            fs::write(group.0.join(file), value).ok()?;
        }
        Some(group)
    }
}

impl Drop for HalfACore {
    fn drop(&mut self) {
        // The last process leaves its group a little after it is gone.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[test]
fn a_quota_that_stops_the_ranks_is_told_with_its_periods_and_nothing_is_said_of_it_without() {
    let _alone = alone();
    under_each(&two_families(), |mpi| {
        let Some(group) = HalfACore::make() else {
            eprintln!("no control group can be made here: the quota is not tried");
            return;
        };
        let folder = group.0.to_string_lossy();
        let (output, run) = case("stopped", mpi, 2, &[&folder]).recorded("stopped");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let said: Vec<f64> = output.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [periods, stopped] = said[..] else { panic!("{}: {}", mpi.name, output.stdout) };
        let host = run.report("host").rows("hosts")[0].clone();
        let share = host["throttled_percent"].as_f64().unwrap_or_else(|| panic!("{}: {host}", mpi.name));
        assert!((share - 100.0 * stopped / periods).abs() < 10.0, "{}: {stopped} of {periods}: {host}", mpi.name);
        let answer = run.ask("diagnose", &[]);
        let first = &answer.rows("findings")[0];
        assert_eq!(first["kind"], "oversubscribed", "{}: {first}", mpi.name);
        assert!(first["detail"].as_str().is_some_and(|said| said.contains("quota of their control group")), "{first}");

        let (output, run) = case("stopped", mpi, 2, &[]).recorded("not-stopped");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        assert!(run.report("host").rows("hosts")[0]["throttled_percent"].is_null(), "{}", mpi.name);
    });
}

#[test]
fn events_that_were_asked_for_are_counted_as_the_system_counts_them_or_the_reason_is_said() {
    under_each(&two_families(), |mpi| {
        let asked = "page-faults,cpu-migrations,instructions";
        let (output, run) = case("counted", mpi, 2, &[]).with("OVERHEAR_COUNTERS", asked).recorded("counted");
        assert_eq!(output.status, 0, "{}: {}", mpi.name, output.stderr);
        let report = run.report("rank");
        let mut ran = 0;
        for row in report.rows("counters").iter().filter(|row| row["event"] == "page-faults") {
            let of_rank = format!("{} ", row["rank"]);
            let said = output.stdout.lines().find_map(|line| line.strip_prefix(&of_rank)?.parse::<i64>().ok());
            let (said, count) = (said.expect("each rank says how many"), row["count"].as_i64().expect("a number"));
            // The recorder and MPI have some of their own around what the program measures.
            assert!((count - said).abs() < 200, "{}: {count}, and {said} as the program says", mpi.name);
            ran += 1;
        }
        let missing = report.json["warnings"].to_string();
        let is_said = |event: &str| {
            missing.contains(event) || report.rows("counters").iter().filter(|row| row["event"] == event).count() == 2
        };
        assert!(asked.split(',').all(is_said), "{}: {}", mpi.name, report.json);
        assert!(ran == 2 || missing.contains("page-faults"), "{}: {}", mpi.name, report.json);

        let (_, run) = case("counted", mpi, 2, &[]).recorded("not-counted");
        assert!(run.report("rank").json["counters"].is_null(), "{}", mpi.name);
    });
}
