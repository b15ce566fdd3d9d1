//! Sampled runs: which of the program's functions compute between calls.

use crate::common::call_paths::{PlantedSite, planted_definitions, write_names};
use crate::common::made::{Calls, on_nobody};
use crate::common::tables::table;
use crate::common::{Folder, overhear};
use serde_json::Value;
use traces::calls::Call;
use traces::definitions::CalledFrom::{Site as From, Start};
use traces::definitions::Definition;
use traces::record::Unsampled;
use traces::signature::Signature;

const MS: u64 = 1_000_000;

/// `main` calls MPI_Barrier and `solve`, which calls `sweep` and `flux`.
const SITES: &[PlantedSite] = &[
    (1, Start, &[("main", "/src/main.c", 10)]),
    (2, From(3), &[("sweep", "/src/solver.c", 30)]),
    (3, From(5), &[("solve", "/src/solver.c", 41)]),
    (5, Start, &[("main", "/src/main.c", 8)]),
    (6, From(7), &[("flux", "/src/solver.c", 60)]),
    (7, From(5), &[("solve", "/src/solver.c", 42)]),
    (8, From(7), &[("flux", "/src/solver.c", 61)]),
];

/// In each of 20 steps rank 0 computes for 8 ms, half in `sweep` and half in `flux`; rank 1 takes 8 ms more in `sweep`, and rank 0 waits
/// for it in MPI_Barrier, on the processor for 5 ms of it. A sample stands for a millisecond.
fn planted() -> Folder {
    let folder = Folder::new();
    let barrier = Signature { site: 1, ..on_nobody(Call::Barrier) };
    for (rank, of_sweep) in [(0, 4), (1, 12)] {
        let mut calls = Calls::default().call(barrier, 0, 1_000);
        for step in 0..20 {
            let begin = 1_000 + step * 17 * MS;
            for sample in 1..=of_sweep {
                calls = calls.sample(2, 1, begin + sample * MS - 1);
            }
            // Two samples of `flux`, at two of its lines, of which the second stands for three periods.
            calls = calls.sample(6, 1, begin + (of_sweep + 1) * MS - 1).sample(8, 3, begin + (of_sweep + 4) * MS - 1);
            let at = begin + (of_sweep + 4) * MS;
            calls = calls.call(barrier, at, begin + 17 * MS - at).sampled(if rank == 0 { 5 } else { 0 });
        }
        let unsampled = Unsampled { recording: 2, lost: 1 };
        let definitions = [planted_definitions(SITES), vec![Definition::SamplingPeriod(MS)]].concat();
        calls.sample(2, 7, 400 * MS).unsampled(unsampled).defines(definitions).write(&folder, rank, 2);
    }
    write_names(&folder, SITES);
    folder
}

/// Output of `export` in a format.
fn exported(format: &str) -> String {
    let (folder, out) = (planted(), Folder::new());
    let file = out.0.join("out");
    let output = overhear("export", &folder.0, &[file.to_str().unwrap(), "--to", format]);
    assert!(output.status.success(), "{output:?}");
    std::fs::read_to_string(file).unwrap()
}

fn in_json(command: &str, arguments: &[&str]) -> Value {
    let folder = planted();
    let output = overhear(command, &folder.0, &[&["--format", "json"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{command}: {error}: {output:?}"))
}

/// Computation of each function with all that it calls, of it alone, and the rank with most, in milliseconds.
fn computed(paths: &Value) -> Vec<(&str, f64, f64, u64)> {
    let rows = paths["paths"].as_array().unwrap().iter().filter(|row| row["compute_s"] != 0.0);
    let ms = |row: &Value, key: &str| (row[key].as_f64().unwrap() * 1e3).round();
    let mut computed = Vec::new();
    for row in rows {
        let function = row["function"].as_str().unwrap();
        computed.push((
            function,
            ms(row, "compute_s"),
            ms(row, "own_compute_s"),
            row["compute_max_rank"].as_u64().unwrap(),
        ));
    }
    computed
}

#[test]
fn each_function_has_the_time_that_it_was_sampled_in_and_that_of_those_that_it_calls() {
    let paths = in_json("paths", &["--whole"]);
    let sweep = 20.0 * (4.0 + 12.0) + 14.0;
    let expected = [
        ("main", sweep + 160.0, 0.0, 1),
        ("solve", sweep + 160.0, 0.0, 1),
        ("sweep", sweep, sweep, 1),
        ("flux", 160.0, 160.0, 0),
    ];
    assert_eq!(computed(&paths), expected);
    let facts = &paths["run"];
    let said = ["samples_between_calls", "samples_in_calls", "samples_in_recorder", "samples_lost"];
    assert_eq!(said.map(|key| facts[key].as_u64()), [494, 100, 4, 2].map(Some));
    assert_eq!(facts["sample_period_s"], 1e-3);
}

#[test]
fn samples_outside_the_chosen_ranks_and_time_count_nowhere() {
    let paths = in_json("paths", &["--whole", "--rank", "0"]);
    assert_eq!(computed(&paths)[0], ("main", 167.0, 0.0, 0));
    // The first three steps, up to the last sample of the third.
    let paths = in_json("paths", &["--whole", "--rank", "1", "--from", "0ms", "--to", "51ms"]);
    assert_eq!(computed(&paths)[0], ("main", 48.0, 0.0, 1));
}

#[test]
fn a_finding_names_the_function_in_which_the_late_rank_computes_longer() {
    let findings = in_json("diagnose", &["--whole"]);
    let finding = &findings["findings"][0];
    assert_eq!((&finding["kind"], &finding["ranks"]), (&"late_rank".into(), &"1".into()), "{findings:#}");
    let detail = finding["detail"].as_str().unwrap();
    assert!(
        detail.contains("By samples, 75 % of the time there is in sweep, called at solver.c:41 (solve)."),
        "{detail}"
    );
}

#[test]
fn functions_that_were_only_sampled_are_no_part_of_a_communication_layer() {
    let paths = in_json("paths", &["--whole"]);
    assert_eq!(paths["run"]["layer_functions"], Value::Null);
    let sites = in_json("report", &["--whole", "--by", "caller"]);
    assert_eq!(sites["sites"][0]["site"], "main (main.c:10)");
}

#[test]
fn stacks_end_in_the_functions_that_compute() {
    let folded = exported("folded");
    let mut lines: Vec<&str> = folded.lines().filter(|line| !line.contains("MPI_")).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["main;solve;flux 160000000", "main;solve;sweep 334000000"]);
    let file: Value = serde_json::from_str(&exported("speedscope")).unwrap();
    let profiles = file["profiles"].as_array().unwrap().iter();
    let computing = profiles.clone().find(|profile| profile["name"] == "computing, all ranks").unwrap();
    assert_eq!(computing["endValue"], 494_000_000);
    assert_eq!(profiles.count(), 4);
}

#[test]
fn the_data_set_has_each_sample_with_its_place_and_its_path() {
    let folder = planted();
    let samples = table(&folder.0, "samples", &[]);
    let of = |function: &str, rank: u64| {
        let rows = samples.iter().filter(move |row| row["function"] == function && row["rank"] == rank);
        rows.map(|row| row["time_s"].as_f64().unwrap()).sum::<f64>()
    };
    assert_eq!([of("sweep", 0), of("sweep", 1), of("flux", 0)].map(|time| (1e3 * time).round()), [87.0, 247.0, 80.0]);
    let first = &samples[0];
    assert_eq!((&first["file"], &first["line"], &first["site"]), (&"solver.c".into(), &30.into(), &2.into()));
    let path = table(&folder.0, "paths", &[]);
    let path: Vec<&Value> = path.iter().filter(|row| row["rank"] == 0 && row["site"] == 2).collect();
    let functions: Vec<&str> = path.iter().map(|row| row["function"].as_str().unwrap()).collect();
    assert_eq!(functions, ["main", "solve", "sweep"]);
}

#[test]
fn each_function_is_one_row_where_that_is_asked_for() {
    let flat = in_json("paths", &["--whole", "--flat"]);
    let ms = |row: &Value, key: &str| (row[key].as_f64().unwrap() * 1e3).round();
    let row = |row: &Value| {
        (row["function"].to_string(), ms(row, "own_s"), ms(row, "compute_s"), row["own_max_rank"].as_u64())
    };
    let rows: Vec<_> = flat["path_functions"].as_array().unwrap().iter().map(row).collect();
    let row = |function: &str, own, computing, rank| (format!("{function:?}"), own, computing, rank);
    assert_eq!(
        rows,
        [
            row("sweep", 334.0, 334.0, Some(1)),
            row("MPI_Barrier", 200.0, 0.0, Some(0)),
            row("flux", 160.0, 160.0, Some(0)),
            row("main", 0.0, 494.0, None),
            row("solve", 0.0, 494.0, None),
        ]
    );
}
