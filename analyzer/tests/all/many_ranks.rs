//! Runs of very many ranks: what people are shown fits a screen, names who stands out, and has the figures that the run states.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::common::Folder;
use serde_json::Value;
use synthetic::{Cluster, Shape, Topology, Truth, run_on_cluster};

/// Counts and times of 2,000 ranks on 63 hosts.
const PROFILED: Shape = Shape { ranks: 2000, calls: 300, topology: Topology::Torus, seed: 1 };
const PROFILES: Cluster = Cluster { ranks_per_host: 32, is_profile: true };
/// Each call of 200 ranks on 25 hosts.
const TRACED: Shape = Shape { ranks: 200, ..PROFILED };
const TRACES: Cluster = Cluster { ranks_per_host: 8, is_profile: false };

struct Written {
    folder: Folder,
    truth: Truth,
}

fn profiles() -> &'static Written {
    static RUN: OnceLock<Written> = OnceLock::new();
    RUN.get_or_init(|| write(&PROFILED, PROFILES))
}

fn traces() -> &'static Written {
    static RUN: OnceLock<Written> = OnceLock::new();
    RUN.get_or_init(|| write(&TRACED, TRACES))
}

fn write(shape: &Shape, cluster: Cluster) -> Written {
    let folder = Folder::new();
    let truth = run_on_cluster(&folder.0, shape, cluster).unwrap();
    Written { folder, truth }
}

fn overhear(run: &Path, command: &[&str], flags: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).args(command).arg(run).args(flags).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(run: &Path, command: &[&str], flags: &[&str]) -> Value {
    serde_json::from_str(&text(&overhear(run, command, &[flags, &["--format", "json"]].concat()))).unwrap()
}

/// The sum of a column over a table's rows.
fn sum(report: &Value, table: &str, column: &str) -> f64 {
    let rows = report[table].as_array().unwrap();
    assert!(!rows.is_empty(), "{report:#}");
    rows.iter().map(|row| row[column].as_f64().unwrap()).sum()
}

fn is_close(value: f64, ticks: u64) -> bool {
    (value - ticks as f64 / 1e9).abs() < 1e-6 * value
}

#[test]
fn what_people_are_shown_of_thousands_of_ranks_fits_two_screens() {
    let asked: &[(&[&str], &[&str])] = &[
        (&[], &[]),
        (&["report"], &[]),
        (&["report"], &["--by", "rank"]),
        (&["report"], &["--by", "behavior"]),
        (&["report"], &["--by", "host"]),
        (&["report"], &["--by", "site"]),
        (&["report"], &["--by", "size"]),
        (&["report"], &["--by", "comm"]),
        (&["imbalance"], &[]),
        (&["imbalance"], &["--by", "site"]),
        (&["matrix"], &[]),
        (&["progress"], &[]),
    ];
    let run = &profiles().folder.0;
    for (command, flags) in asked {
        let said = text(&overhear(run, command, flags));
        let lines: Vec<&str> = said.lines().collect();
        assert!((3..=64).contains(&lines.len()), "{command:?} {flags:?}: {} lines\n{said}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= 110), "{command:?} {flags:?}\n{said}");
    }
    // Rows for each rank and partner are too many for two screens, and are cut all the same.
    for by in ["peer", "thread"] {
        let said = text(&overhear(run, &["report"], &["--by", by]));
        assert!(said.lines().count() < 90 && said.contains("--top all"), "{by}\n{said}");
    }
}

#[test]
fn figures_of_thousands_of_ranks_are_those_that_the_run_states() {
    let Written { folder, truth } = profiles();
    let report = json(&folder.0, &["report"], &["--whole"]);
    assert_eq!(report["run"]["ranks"], 2000);
    assert_eq!(report["run"]["hosts"], 63);
    assert_eq!(sum(&report, "functions", "calls"), truth.total.calls as f64);
    assert!(is_close(sum(&report, "functions", "time_total_s"), truth.total.in_mpi), "{report:#}");
    let ranks = json(&folder.0, &["report"], &["--whole", "--by", "rank"]);
    let rows = ranks["ranks"].as_array().unwrap();
    assert_eq!(rows.len(), 2000);
    for (row, known) in rows.iter().zip(&truth.ranks) {
        assert_eq!(row["calls"], known.calls);
        assert!(is_close(row["mpi_time_s"].as_f64().unwrap(), known.in_mpi), "{row}");
    }
    let matrix = json(&folder.0, &["matrix"], &[]);
    assert_eq!(
        (&matrix["run"]["messages"], &matrix["run"]["message_bytes"]),
        (&truth.total.messages.into(), &truth.total.bytes.into())
    );
    assert_eq!(sum(&matrix, "pairs", "messages"), truth.total.messages as f64);
}

#[test]
fn ranks_that_behave_alike_are_one_row_and_those_that_do_not_are_named() {
    let run = &profiles().folder.0;
    let report = json(run, &["report"], &["--by", "behavior"]);
    let rows = report["behaviors"].as_array().unwrap();
    let counts: Vec<u64> = rows.iter().map(|row| row["rank_count"].as_u64().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b) && counts[0] > 1000 && counts.len() <= 12, "{rows:#?}");
    assert_eq!(counts.iter().sum::<u64>(), 2000);
    let together = |is_meant: &dyn Fn(&Value) -> bool| -> u64 {
        rows.iter().filter(|row| is_meant(row)).map(|row| row["rank_count"].as_u64().unwrap()).sum()
    };
    // The first rank of each host polls.
    assert_eq!(together(&|row| row["unlike"] == "also MPI_Iprobe"), 63, "{rows:#?}");
    // The slow host's other ranks compute longer than most, and the slowest rank longer still.
    let host = format!("node{:05}", PROFILES.slow_host(2000).start / 32);
    let is_slow = |row: &Value| row["host"] == host && row["unlike"] == "(computation)";
    assert_eq!(together(&is_slow), 31, "{rows:#?}");
    let slow_rank = PROFILES.slow_rank(2000).to_string();
    let slowest = rows.iter().find(|row| row["ranks"] == slow_rank.as_str()).unwrap();
    let computation = |row: &Value| row["computation_mean_s"].as_f64().unwrap();
    for slow in rows.iter().filter(|row| is_slow(row)) {
        assert!(computation(&rows[0]) < computation(slow) && computation(slow) < computation(slowest), "{rows:#?}");
    }
    // How much longer than most ranks, and how far apart the ranks of a row are.
    let slow = rows.iter().find(|row| is_slow(row)).unwrap();
    let longer = computation(slow) - computation(&rows[0]);
    assert!((slow["unlike_s"].as_f64().unwrap() / longer - 1.0).abs() < 0.1, "{rows:#?}");
    assert!(rows[0]["furthest_percent"].as_f64().unwrap() > 0.0, "{rows:#?}");
    for row in rows {
        assert!(row["furthest_percent"].as_f64() <= report["run"]["behaviors_within_percent"].as_f64(), "{report:#}");
    }
    // People see the same first, and the slowest rank in the table of single ranks below.
    let said = text(&overhear(run, &["report"], &["--by", "rank"]));
    assert!(said.contains("also MPI_Iprobe") && said.contains(&PROFILES.slow_rank(2000).to_string()), "{said}");
}

#[test]
fn the_first_screen_and_the_imbalance_of_thousands_of_ranks_name_who_is_slow() {
    let run = &profiles().folder.0;
    let (slow, host) = (PROFILES.slow_rank(2000), PROFILES.slow_host(2000).start / 32);
    let screen = text(&overhear(run, &[], &[]));
    assert!(screen.contains(&format!("rank {slow}")) || screen.contains(&format!("Rank {slow}")), "{screen}");
    assert!(screen.contains(&format!("node{host:05}")), "{screen}");
    let imbalance = json(run, &["imbalance"], &[]);
    assert_eq!(imbalance["functions"][0]["max_rank"], slow);
    let hosts = json(run, &["report"], &["--by", "host"]);
    assert_eq!(hosts["hosts"].as_array().map(Vec::len), Some(63));
}

#[test]
fn the_page_of_thousands_of_ranks_stays_small_and_has_the_ranks_that_stand_out() {
    let page = Folder::new();
    let file = page.0.join("page.html");
    text(&overhear(&profiles().folder.0, &["report"], &["--html", file.to_str().unwrap()]));
    let html = std::fs::read_to_string(&file).unwrap();
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    assert!(html.contains("also MPI_Iprobe") && html.contains("ranks that behave alike"));
}

#[test]
fn waits_of_hundreds_of_ranks_on_many_hosts_are_those_that_the_run_states() {
    let Written { folder, truth } = traces();
    let waits = json(&folder.0, &["waits"], &[]);
    let states = waits["wait_states"].as_array().unwrap();
    // Those that the clocks of two hosts do not resolve are waits all the same.
    let total = |state: &str| {
        states
            .iter()
            .filter(|row| row["wait_state"] == state)
            .map(|row| row["wait_s"].as_f64().unwrap() + row["unresolved_s"].as_f64().unwrap())
            .sum::<f64>()
    };
    let mut compared = 0;
    for (state, known) in [("late_sender", truth.total.late_sender), ("wait_at_barrier", truth.total.wait_at_barrier)] {
        assert!(
            known.ticks > 0 && (total(state) - known.ticks as f64 / 1e9).abs() < 1e-3 * total(state),
            "{state}: {known:?} {states:#?}"
        );
        compared += 1;
    }
    assert_eq!(compared, 2);
    let report = json(&folder.0, &["report"], &["--whole"]);
    assert_eq!(sum(&report, "functions", "calls"), truth.total.calls as f64);
}
