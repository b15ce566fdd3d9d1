//! Call paths: which of the program's functions a call is for.

use serde_json::{Value, json};
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::CalledFrom::{Limit, NoUnwindInformation, Site as From};
use traces::file::{FileHeader, INITIALIZED};
use traces::folder::file_name;
use traces::signature::Signature;
use traces::write::FileWriter;

use crate::common::call_paths::{
    PLANTED, calling, in_json, nanoseconds, plain_and_with_paths, planted, planted_definitions, text, tree, write_names,
};
use crate::common::made::on_nobody;
use crate::common::{BEGIN, Folder, definitions, header, in_call, overhear};

#[test]
fn the_tree_has_every_function_from_the_first_to_the_call_and_inlined_ones() {
    let report = in_json(&planted(), &["paths"]);
    assert_eq!(
        tree(&report),
        [
            (0, "main", ""),
            (1, "solve", "main.c:88"),
            (2, "comm_all", "solver.c:41"),
            (3, "comm_sum", "comm.c:30"),
            (4, "MPI_Allreduce", "comm.c:12"),
            (2, "MPI_Send", "solver.c:50"),
            (2, "MPI_Recv", "solver.c:50"),
            (1, "checkpoint", "main.c:90"),
            (2, "comm_all", "output.c:7"),
            (3, "comm_sum", "comm.c:30"),
            (4, "MPI_Allreduce", "comm.c:12"),
        ]
    );
    assert_eq!((&report["run"]["paths"], &report["run"]["path_functions_max"]), (&json!(4), &json!(5)));
}

#[test]
fn a_function_has_the_time_the_waits_and_the_bytes_of_all_calls_that_it_leads_to() {
    let report = in_json(&planted(), &["paths"]);
    let rows = report["paths"].as_array().unwrap();
    let figures = |at: usize| {
        let row = &rows[at];
        let times =
            ["time_total_s", "wait_s", "time_min_s", "time_max_s", "own_time_s"].map(|key| nanoseconds(row, key));
        (text(row, "function"), times, row["time_max_rank"].as_u64(), row["calls"].as_u64(), row["bytes"].as_u64())
    };
    assert_eq!(figures(0), ("main", [15_000, 9_000, 5_000, 10_000, 0], Some(0), Some(6), Some(264)));
    assert_eq!(figures(1), ("solve", [11_000, 7_000, 2_000, 9_000, 0], Some(0), Some(4), Some(232)));
    assert_eq!(figures(4), ("MPI_Allreduce", [7_000, 5_000, 1_000, 6_000, 7_000], Some(0), Some(2), Some(32)));
    assert_eq!(figures(7), ("checkpoint", [4_000, 2_000, 1_000, 3_000, 0], Some(1), Some(2), Some(32)));
}

#[test]
fn a_mean_of_a_function_is_its_time_over_the_ranks() {
    let report = in_json(&planted(), &["paths"]);
    let ranks = report["run"]["ranks"].as_f64().unwrap();
    for row in report["paths"].as_array().unwrap() {
        let [mean, total] = ["time_mean_s", "time_total_s"].map(|key| row[key].as_f64().unwrap());
        assert!(ranks > 1.0 && total > 0.0 && (mean * ranks - total).abs() < 1e-9, "{row}");
    }
}

#[test]
fn the_page_has_the_functions_on_the_paths_with_their_waits() {
    let folder = planted();
    let file = folder.0.join("page.html");
    overhear("report", &folder.0, &["--html", file.to_str().unwrap()]);
    let html = std::fs::read_to_string(file).unwrap();
    for heading in ["called at", "share that waits %", "most of any rank"] {
        assert!(html.contains(&format!("\"heading\":\"{heading}\"")), "{heading}");
    }
}

#[test]
fn what_functions_have_of_their_own_adds_up_to_the_report_and_to_the_waits() {
    let (_, generated) = plain_and_with_paths();
    for folder in [&planted(), &generated] {
        let paths = in_json(folder, &["paths", "--least", "0"]);
        let sum = |report: &Value, table: &str, key: &str| {
            let rows = report[table].as_array().unwrap();
            assert!(!rows.is_empty());
            rows.iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>()
        };
        let (report, waits) = (in_json(folder, &["report"]), in_json(folder, &["waits"]));
        for (own, table, key) in [("own_time_s", "functions", "time_total_s"), ("own_wait_s", "waits", "wait_s")] {
            let whole = if table == "waits" { sum(&waits, table, key) } else { sum(&report, table, key) };
            assert!((sum(&paths, "paths", own) - whole).abs() < 1e-9, "{own}: {whole}");
        }
        for (own, key) in [("own_calls", "calls"), ("own_bytes", "bytes")] {
            assert_eq!(sum(&paths, "paths", own), sum(&report, "functions", key), "{own}");
        }
    }
}

#[test]
fn the_hot_chain_leads_to_the_call_that_waits_most() {
    let report = in_json(&planted(), &["paths", "--hot"]);
    let functions: Vec<&str> = tree(&report).into_iter().map(|row| row.1).collect();
    assert_eq!(functions, ["main", "solve", "comm_all", "comm_sum", "MPI_Allreduce"]);
}

#[test]
fn deep_and_small_functions_are_left_out_where_that_is_asked_for() {
    let (folder, functions) = (planted(), |report: &Value| tree(report).len());
    assert_eq!(functions(&in_json(&folder, &["paths", "--depth", "2"])), 3);
    let report = in_json(&folder, &["paths", "--least", "30"]);
    assert_eq!(functions(&report), 5);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("3 paths with less than 30 % of the time in MPI are left out"), "{warnings}");
}

#[test]
fn callers_that_are_unknown_are_said_to_be() {
    for (end, name, said) in [
        (NoUnwindInformation, "?", "the paths of 100.0 % of calls begin in code that does not say how to unwind it"),
        (Limit, "...", "the paths of 100.0 % of calls are longer than was recorded"),
        // Sites of a damaged file may call each other.
        (From(1), "inner", ""),
    ] {
        let report = in_json(
            &calling(&[(1, From(2), &[("inner", "a.c", 1)]), (2, end, &[("outer", "a.c", 2)])], &[1]),
            &["paths"],
        );
        assert_eq!(tree(&report)[0].1, name);
        assert_eq!(tree(&report).last().unwrap().1, "MPI_Barrier");
        assert!(report["warnings"].to_string().contains(said), "{report:#}");
    }
}

/// Three ranks that have not returned: two sum in `solve`, one in `checkpoint`.
fn stopped() -> Folder {
    let folder = Folder::new();
    for (rank, site) in [(0, 1), (1, 1), (2, 4)] {
        let sum = Signature { number: 1, site, ..on_nobody(Call::Allreduce) };
        let head = FileHeader { state: INITIALIZED, end: ClockSample::default(), ..header(rank, 3) };
        let mut file = FileWriter::begin(Vec::new(), head).unwrap();
        file.thread(0, &in_call(1, 1_000)).unwrap();
        file.definitions(&definitions(3, rank as i32)).unwrap();
        file.definitions(&planted_definitions(PLANTED)).unwrap();
        file.signatures(0, 0, &[sum]).unwrap();
        file.events(0, 0, BEGIN, &[]).unwrap();
        folder.write(&file_name(0, rank), &file.into_inner());
    }
    write_names(&folder, PLANTED);
    folder
}

#[test]
fn hang_and_top_show_where_ranks_part_ways() {
    let folder = stopped();
    for words in [&["hang"][..], &["top", "--once"]] {
        let arguments = [&words[1..], &["--format", "json"][..]].concat();
        let output = overhear(words[0], &folder.0, &arguments);
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let rows = report["stacks"].as_array().unwrap();
        let row = |row: &Value| {
            (text(row, "ranks").into(), text(row, "stack").trim_start().into(), row["depth"].as_u64().unwrap())
        };
        let rows: Vec<(String, String, u64)> = rows.iter().map(row).collect();
        let row = |ranks: &str, stack: &str, depth| (ranks.to_string(), stack.to_string(), depth);
        assert_eq!(
            rows,
            [
                row("ranks 0-2", "main", 0),
                row("ranks 0-1", "solve (main.c:88) > comm_all > comm_sum > MPI_Allreduce (comm.c:12)", 1),
                row("rank 2", "checkpoint (main.c:90) > comm_all > comm_sum > MPI_Allreduce (comm.c:12)", 1),
            ]
        );
    }
}
