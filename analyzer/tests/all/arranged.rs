//! Flags select, limit and sort the rows of every table in the same way.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{BEGIN, Folder, header, overhear, rank, signature, stderr, stdout, two_ranks};
use serde_json::Value;
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::file::FileHeader;

const COMMANDS: [&str; 9] = ["report", "progress", "why", "waits", "path", "pop", "matrix", "imbalance", "check"];

fn sample() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi")
}

fn json(command: &str, folder: &Path, arguments: &[&str]) -> Value {
    let output = overhear(command, folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
}

/// Calls by rank.
fn calls(folder: &Path, arguments: &[&str]) -> Vec<(u64, u64)> {
    let said = json("report", folder, &[&["--by", "rank"], arguments].concat());
    let rows = said["ranks"].as_array().unwrap();
    rows.iter().map(|row| (row["rank"].as_u64().unwrap(), row["calls"].as_u64().unwrap())).collect()
}

#[test]
fn every_analysis_takes_every_choice() {
    let mut ran = 0;
    for command in COMMANDS {
        for choice in [["--top", "2"], ["--top", "all"], ["--rank", "0-1,3"], ["--from", "150ms"], ["--to", "0.2"]] {
            let output = overhear(command, &sample(), &choice);
            assert_eq!(output.status.code(), Some(0), "{command} {choice:?}: {}", stderr(&output));
            let longest = stdout(&output).lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= 80, "{command} {choice:?}: {longest}\n{}", stdout(&output));
            ran += 1;
        }
    }
    assert_eq!(ran, 5 * COMMANDS.len());
    for wrong in [["--rank", "4"], ["--rank", "1-"], ["--from", "soon"], ["--top", "some"], ["--sort", "color"]] {
        let output = overhear("report", &sample(), &wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", stderr(&output));
    }
    let output = overhear("report", &sample(), &["--from", "2", "--to", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = overhear("report", &sample(), &["--rank", "0,2-3", "--by", "rank=1"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""));
    assert!(
        stderr(&output).contains("--by rank=1 asks for a rank that --rank 0,2-3 leaves out"),
        "{}",
        stderr(&output)
    );
    let output = overhear("report", &sample(), &["--rank", "0,2-3", "--by", "rank=2"]);
    assert!(output.status.success() && stdout(&output).contains("MPI_Allreduce"), "{output:?}");
}

#[test]
fn a_table_is_sorted_by_the_column_that_is_named_and_cut_to_the_rows_that_are_wanted() {
    let functions = |arguments: &[&str]| -> Vec<String> {
        let said = json("report", &sample(), arguments);
        said["functions"].as_array().unwrap().iter().map(|row| row["function"].as_str().unwrap().into()).collect()
    };
    assert_eq!(functions(&["--sort", "function", "--top", "2"]), ["MPI_Allreduce", "MPI_Alltoall"]);
    assert_eq!(functions(&["--sort", "bytes", "--top", "1"]), ["MPI_Alltoallv"]);
    // The heading and the key without its unit work, too.
    assert_eq!(functions(&["--sort", "max", "--top", "1"]), functions(&["--sort", "time_max", "--top", "1"]));
    assert_eq!((functions(&[]).len(), functions(&["--whole"]).len()), (8, 10));
    // Ranks are names: they sort upwards.
    let said = json("waits", &sample(), &["--sort", "rank", "--top", "3"]);
    let ranks: Vec<_> = said["waits"].as_array().unwrap().iter().map(|row| row["rank"].as_u64()).collect();
    assert_eq!(ranks, [Some(0); 3]);
    let output = overhear("report", &sample(), &["--sort", "cals"]);
    assert!(stderr(&output).contains("no column is called cals. The nearest one is calls"), "{}", stderr(&output));
}

#[test]
fn people_are_shown_the_first_rows_of_a_long_table_and_told_how_to_see_the_others() {
    let lines = |top: &[&str]| stdout(&overhear("waits", &sample(), top));
    let (short, whole) = (lines(&[]), lines(&["--top", "all"]));
    let more = json("waits", &sample(), &[])["waits"].as_array().unwrap().len() - 15;
    assert!(short.contains(&format!("{more} more rows of waits: --top all")), "{short}");
    assert!(!whole.contains("more rows"), "{whole}");
    assert_eq!(whole.lines().count(), short.lines().count() + more - 2);
}

#[test]
fn ranks_that_are_not_asked_about_are_in_no_figure() {
    assert_eq!(calls(&sample(), &["--rank", "1,3"]), [(1, 65), (3, 64)]);
    let all = json("report", &sample(), &[]);
    let ranks = ["0", "1", "2", "3"].map(|rank| json("report", &sample(), &["--rank", rank]));
    let of = |said: &Value, key: &str| said["run"][key].as_f64().unwrap();
    // The mean of a single rank is its value.
    let longest = ranks.iter().map(|rank| of(rank, "mpi_time_mean_s")).fold(0.0, f64::max);
    assert_eq!(longest, of(&all, "mpi_time_max_s"));
    let [_, some, ..] = ranks;
    assert_eq!(some["functions"][0]["time_mean_s"], some["functions"][0]["time_max_s"]);
    // `--rank` selects the waiting ranks; those they waited for are shown in any case.
    let waits = json("waits", &sample(), &["--rank", "0"]);
    let rows = waits["waits"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["rank"] == 0), "{waits:#}");
    assert!(rows.iter().any(|row| row["cause_rank"] == 1), "{waits:#}");
    let all = json("waits", &sample(), &[]);
    let sum = |said: &Value| -> f64 {
        let rows = said["waits"].as_array().unwrap().iter().filter(|row| row["rank"] == 0);
        rows.map(|row| row["wait_s"].as_f64().unwrap()).sum()
    };
    assert!((sum(&waits) - sum(&all)).abs() < 1e-12);
    let pop = json("pop", &sample(), &["--rank", "2"]);
    assert_eq!(pop["run"]["useful_mean_s"], pop["run"]["useful_max_s"]);
    assert_eq!(pop["ranks"].as_array().unwrap().len(), 1);
    let matrix = json("matrix", &sample(), &["--rank", "1"]);
    assert_eq!(matrix["run"]["messages"], 1);
}

#[test]
fn calls_count_that_began_in_the_time_that_is_asked_about() {
    let folder = two_ranks();
    // Rank 0 calls 10, 5000 and 9000 ns from the beginning, rank 1 after 10, 20000 and 50000.
    assert_eq!(calls(&folder.0, &["--from", "4us", "--to", "8us"]), [(0, 1), (1, 0)]);
    assert_eq!(calls(&folder.0, &["--from", "0.000009"]), [(0, 1), (1, 2)]);
    assert_eq!(calls(&folder.0, &["--to", "9us"]), [(0, 2), (1, 1)]);
    let said = json("report", &folder.0, &["--from", "4us", "--to", "8us"]);
    assert!((said["run"]["wall_time_s"].as_f64().unwrap() - 4e-6).abs() < 1e-12, "{said:#}");
    assert_eq!(said["functions"].as_array().unwrap().len(), 1);
    // The parts add up to the whole.
    let wait = |arguments: &[&str]| json("waits", &sample(), arguments)["run"]["wait_s"].as_f64().unwrap();
    let parts = wait(&["--to", "0.2"]) + wait(&["--from", "0.2"]);
    assert!((parts - wait(&[])).abs() < 1e-9, "{parts}");
    let path = |arguments: &[&str]| json("path", &sample(), arguments)["run"]["path_s"].as_f64().unwrap();
    let parts = path(&["--to", "0.2"]) + path(&["--from", "0.2"]);
    assert!((parts - path(&[])).abs() < 1e-6, "{parts} {}", path(&[]));
}

#[test]
fn time_on_ranks_whose_clocks_begin_elsewhere_is_the_same_time() {
    let folder = Folder::new();
    let send = [signature(1, Call::Barrier, -1, 0, 0)];
    let calls = [(1, 10, 5), (1, 1_000, 5), (1, 2_000, 5)];
    folder.write("rank-0000.ovh", &rank(header(0, 2), &send, &calls));
    // The second rank's recording begins 500 ns after the first one's.
    let later = |ticks| ClockSample { realtime: ticks + 500, ..header(1, 2).begin };
    let header = FileHeader { begin: later(BEGIN), ..header(1, 2) };
    folder.write("rank-0001.ovh", &rank(header, &send, &calls));
    let of = |time: &[&str]| self::calls(&folder.0, time);
    assert_eq!(of(&["--from", "1000ns", "--to", "1600ns"]), [(0, 1), (1, 1)]);
    assert_eq!(of(&["--to", "1200ns"]), [(0, 2), (1, 1)]);
}

#[test]
fn without_a_folder_the_newest_run_here_is_taken_and_named() {
    let here = Folder::new();
    for (name, realtime) in [("old", 10), ("new", 30), ("middle", 20)] {
        let begin = ClockSample { realtime, ..header(0, 1).begin };
        fs::create_dir(here.0.join(name)).unwrap();
        let file = rank(FileHeader { begin, ..header(0, 1) }, &[], &[]);
        fs::write(here.0.join(name).join("rank-0000.ovh"), file).unwrap();
    }
    fs::create_dir(here.0.join("zzz-no-run")).unwrap();
    let mut ran = 0;
    for command in COMMANDS {
        let output = Command::new(env!("CARGO_BIN_EXE_overhear")).arg(command).current_dir(&here.0).output().unwrap();
        assert!(stdout(&output).starts_with("run"), "{command}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).lines().next().unwrap().ends_with("  new (newest here)"), "{}", stdout(&output));
        ran += 1;
    }
    assert_eq!(ran, COMMANDS.len());
    let nothing = Folder::new();
    let output = Command::new(env!("CARGO_BIN_EXE_overhear")).arg("report").current_dir(&nothing.0).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no run here. Give the folder"), "{}", stderr(&output));
}

/// Runs a shell command with the command and the sample filled in.
fn shell(line: &str) -> Output {
    let line = line.replace("OVERHEAR", env!("CARGO_BIN_EXE_overhear"));
    Command::new("sh").arg("-c").arg(line).arg("sh").arg(sample()).output().unwrap()
}

#[test]
fn a_report_that_cannot_be_printed_is_an_error_and_a_reader_that_has_seen_enough_is_none() {
    for line in ["OVERHEAR report $1 >&-", "OVERHEAR report $1 1</dev/null", "OVERHEAR report $1 >/dev/full"] {
        for format in ["", " --format json", " --format csv"] {
            let output = shell(&line.replace("$1", &format!("$1{format}")));
            assert_eq!(output.status.code(), Some(3), "{line}{format}");
            assert!(stderr(&output).contains("stdout: "), "{line}: {}", stderr(&output));
        }
    }
    assert_eq!(shell("OVERHEAR report $1 >/dev/null").status.code(), Some(0));
    let output = shell("{ OVERHEAR report $1; echo $? >&2; } | true");
    assert_eq!(stderr(&output).trim(), "0");
}

#[test]
fn the_output_files_name_says_the_format_unless_a_flag_does() {
    let folder = Folder::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/samples/integer_sort-openmpi");
    let written = |name: &str, flags: &[&str]| {
        let file = folder.0.join(name);
        let mut report = std::process::Command::new(env!("CARGO_BIN_EXE_overhear"));
        let output = report.args(["report", sample, "--no-cache", "-o"]).arg(&file).args(flags).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()
    };
    assert!(written("a.json", &[]).starts_with('{'));
    assert!(written("a.csv", &[]).starts_with("function,"));
    assert!(written("a.parquet", &[]).starts_with("PAR1"));
    assert!(written("a.html", &[]).starts_with("<!"));
    assert!(written("b.json", &["--format", "csv"]).starts_with("function,"));
    assert!(written("a.txt", &[]).starts_with("run  "));
}

#[test]
fn a_time_behind_the_runs_end_is_answered_with_its_length_and_minutes_and_hours_are_times() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/samples/integer_sort-openmpi");
    for (time, seconds) in [("1m", "60.000"), ("2h", "7,200.0")] {
        for command in ["report", "waits", "timeline"] {
            let mut asked = std::process::Command::new(env!("CARGO_BIN_EXE_overhear"));
            let output = asked.args([command, sample, "--no-cache", "--from", time]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.code() == Some(2) && said.contains(&format!("--from {seconds} s is after")),
                "{said}"
            );
            assert!(said.contains("which lasts 2"), "{said}");
        }
    }
}
