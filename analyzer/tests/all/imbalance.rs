//! Imbalance between ranks.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Folder, header, rank, signature, stdout, two_ranks};
use serde_json::{Value, json as value};
use synthetic::{Shape, Topology, Truth, run};
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::file::FileHeader;
use traces::read::RankFile;

fn imbalance(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg("imbalance").arg(folder).args(arguments).output().unwrap()
}

fn json(folder: &Path, by: &str) -> Value {
    let output = imbalance(folder, &["--whole", "--by", by, "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn row<'a>(report: &'a Value, function: &str) -> &'a Value {
    let rows = report["functions"].as_array().unwrap();
    rows.iter().find(|row| row["function"] == function).unwrap_or_else(|| panic!("{function} in {report:#}"))
}

fn close(value: &Value, expected: f64) {
    assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{value} is not {expected}");
}

/// Sixteen ranks that exchange halos.
fn generated() -> (Folder, Truth) {
    let folder = Folder::new();
    let shape = Shape { ranks: 16, calls: 2_000, topology: Topology::Torus, seed: 5 };
    let truth = run(&folder.0, &shape).unwrap();
    (folder, truth)
}

#[test]
fn what_one_rank_alone_does_is_all_imbalance() {
    let folder = two_ranks();
    let report = json(&folder.0, "function");
    assert_eq!(report["schema"], "overhear-imbalance/2");
    let send = row(&report, "MPI_Send");
    close(&send["mean_s"], 3e-6);
    close(&send["max_s"], 6e-6);
    close(&send["min_s"], 0.0);
    close(&send["imbalance_s"], 3e-6);
    close(&send["imbalance_percent"], 100.0);
    assert_eq!((&send["max_rank"], &send["min_rank"]), (&value!(0), &value!(1)));
}

#[test]
fn the_percentage_is_of_the_maximum_and_of_the_other_ranks() {
    let folder = Folder::new();
    for (number, time) in [4_000, 10_000, 4_000].into_iter().enumerate() {
        let barrier = signature(1, Call::Barrier, traces::signature::peer::NONE, 0, 0);
        let file = rank(header(number as u32, 3), &[barrier], &[(1, 10, time)]);
        folder.write(&format!("rank-000{number}.ovh"), &file);
    }
    let report = json(&folder.0, "function");
    // Mean 6 us: 4 of 10 us, by 3 / 2.
    close(&row(&report, "MPI_Barrier")["imbalance_s"], 4e-6);
    close(&row(&report, "MPI_Barrier")["imbalance_percent"], 60.0);
}

#[test]
fn the_computation_comes_first_and_then_what_loses_most() {
    let (folder, truth) = generated();
    let report = json(&folder.0, "function");
    let rows = report["functions"].as_array().unwrap();
    let wall = |rank: usize| {
        let file = RankFile::open(&folder.0.join(traces::folder::file_name(0, rank as u32))).unwrap();
        let FileHeader { begin, end, .. } = *file.header();
        end.ticks - begin.ticks
    };
    let computed: Vec<u64> = truth.ranks.iter().enumerate().map(|(at, rank)| wall(at) - rank.in_mpi).collect();
    let (most, least) = (computed.iter().max().unwrap(), computed.iter().min().unwrap());
    let mean = computed.iter().sum::<u64>() as f64 / 16.0 / 1e9;
    let first = &rows[0];
    assert_eq!(first["function"], "(computation)");
    close(&first["mean_s"], mean);
    close(&first["max_s"], *most as f64 / 1e9);
    close(&first["min_s"], *least as f64 / 1e9);
    close(&first["imbalance_s"], *most as f64 / 1e9 - mean);
    assert_eq!(first["max_rank"], computed.iter().position(|ticks| ticks == most).unwrap());
    assert_eq!(first["min_rank"], computed.iter().position(|ticks| ticks == least).unwrap());
    let lost: Vec<f64> = rows[1..].iter().map(|row| row["imbalance_s"].as_f64().unwrap()).collect();
    assert!(lost.len() == 11 && lost.is_sorted_by(|a, b| a >= b), "{lost:?}");
}

#[test]
fn call_sites_of_one_function_have_rows_of_their_own() {
    let (folder, _) = generated();
    let report = json(&folder.0, "site");
    let barriers = report["sites"].as_array().unwrap().iter().filter(|row| row["function"] == "MPI_Barrier");
    let sites: Vec<&str> = barriers.map(|row| row["site"].as_str().unwrap()).collect();
    assert_eq!(sites.len(), 2);
    assert_ne!(sites[0], sites[1]);
}

#[test]
fn a_single_rank_has_no_percentage() {
    let folder = Folder::new();
    let barrier = signature(1, Call::Barrier, traces::signature::peer::NONE, 0, 0);
    folder.write("rank-0000.ovh", &rank(header(0, 1), &[barrier], &[(1, 10, 50)]));
    assert_eq!(row(&json(&folder.0, "function"), "MPI_Barrier")["imbalance_percent"], Value::Null);
}

#[test]
fn text_fits_eighty_columns_and_csv_has_units_in_its_names() {
    let (folder, _) = generated();
    for by in ["function", "site"] {
        let text = stdout(&imbalance(&folder.0, &["--by", by]));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 80, "{by}: {longest}\n{text}");
    }
    let long = Folder::new();
    let block = signature(1, Call::Reduce_scatter_block, traces::signature::peer::NONE, 0, 0);
    long.write("rank-0000.ovh", &rank(header(0, 1), &[block], &[(1, 10, 50)]));
    let text = stdout(&imbalance(&long.0, &[]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = stdout(&imbalance(&folder.0, &["--format", "csv"]));
    let names =
        "function,mean_s,max_s,max_rank,max_world,min_s,min_rank,min_world,imbalance_s,imbalance_percent,open_calls";
    assert_eq!(text.lines().next(), Some(names));
}

#[test]
fn an_imbalance_is_worth_a_sentence_where_it_costs_a_fiftieth_of_the_time() {
    const SECOND: u64 = 1_000_000_000;
    for (wall, is_said) in [(20, true), (100, false)] {
        let folder = Folder::new();
        // Between two barriers one rank computes 6 s, the other 4 s: 1 s more than the mean.
        for (number, computes) in [(0, 6), (1, 4)] {
            let own = header(number, 2);
            let at = |time: u64| ClockSample {
                ticks: own.begin.ticks + time,
                monotonic: own.begin.monotonic + time,
                ..own.begin
            };
            let own = FileHeader { end: at(wall * SECOND), ..own };
            let barrier = signature(1, Call::Barrier, traces::signature::peer::NONE, 0, 0);
            let begin = 1_000 + computes * SECOND;
            let calls = [(1, 500, 500), (1, begin, wall * SECOND - begin)];
            folder.write(&format!("rank-000{number}.ovh"), &rank(own, &[barrier], &calls));
        }
        let said = stdout(&Command::new(env!("CARGO_BIN_EXE_overhear")).arg(&folder.0).output().unwrap());
        assert_eq!(said.contains("Rank 0 computes longest"), is_said, "{wall} s: {said}");
    }
}
