//! Call paths: which of the program's functions a call is for.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use crate::common::call_paths::{PlantedSite, planted_definitions, write_names};
use crate::common::made::{Calls, on_nobody, send};
use crate::common::{BEGIN, Folder, definitions, header, in_call, overhear, signature};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use synthetic::{Shape, Topology, names};
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::CalledFrom;
use traces::file::{FileHeader, INITIALIZED};
use traces::folder::file_name;
use traces::signature::{Signature, peer};
use traces::write::FileWriter;

/// With five ranks no mean lies between two printed numbers, where the order of adding would decide.
const SHAPE: Shape = Shape { ranks: 5, calls: 400, topology: Topology::Ring, seed: 3 };

/// A run with paths.
pub fn with_paths() -> Folder {
    let folder = Folder::new();
    synthetic::run_with_paths(&folder.0, &SHAPE).unwrap();
    folder.write("sites.json", names().as_bytes());
    folder
}

/// Two folders of one run, without paths and with them.
fn plain_and_with_paths() -> (Folder, Folder) {
    let plain = Folder::new();
    synthetic::run(&plain.0, &SHAPE).unwrap();
    plain.write("sites.json", names().as_bytes());
    (plain, with_paths())
}

fn printed(command: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = overhear(command, folder, arguments);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.replace(folder.to_str().unwrap(), "RUN")
}

#[test]
fn a_place_that_several_paths_call_is_one_row_in_every_table() {
    let (plain, paths) = plain_and_with_paths();
    let analyses: &[&[&str]] = &[
        &["report"],
        &["report", "--by", "rank"],
        &["report", "--by", "rank=1"],
        &["report", "--by", "comm"],
        &["report", "--by", "site"],
        &["report", "--by", "size"],
        &["report", "--by", "peer"],
        &["report", "--by", "thread"],
        &["report", "--by", "host"],
        &["report", "--by", "collective"],
        &["progress"],
        &["waits"],
        &["why"],
        &["path"],
        &["overlap"],
        &["network"],
        &["fanout"],
        &["pop"],
        &["matrix"],
        &["imbalance"],
        &["imbalance", "--by", "site"],
        &["check"],
        &["timeline"],
        &["hang"],
    ];
    for words in analyses {
        let (command, arguments) = words.split_first().unwrap();
        let [without, with] = [&plain, &paths].map(|folder| printed(command, &folder.0, arguments));
        assert!(without.len() > 100, "{words:?} printed {without}");
        assert_eq!(without, with, "{words:?}");
        if ["timeline", "hang"].contains(command) {
            continue;
        }
        let arguments = [arguments, &["--format", "json"][..]].concat();
        let [without, with] = [&plain, &paths].map(|folder| {
            let text = printed(command, &folder.0, &arguments);
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"))
        });
        same(&without, &with, &format!("{words:?}"));
    }
}

/// Fails unless two values are the same, but for the order in which times were added.
fn same(one: &Value, other: &Value, at: &str) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            assert!(one.keys().eq(other.keys()), "{at}");
            for (key, value) in one.iter().filter(|(key, _)| *key != "file_bytes") {
                same(value, &other[key], &format!("{at}.{key}"));
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{at}");
            for (number, (one, other)) in one.iter().zip(other).enumerate() {
                same(one, other, &format!("{at}[{number}]"));
            }
        }
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            assert!((one - other).abs() <= 1e-9 * one.abs(), "{at}: {one} and {other}");
        }
        _ => assert_eq!(one, other, "{at}"),
    }
}

use CalledFrom::{Limit, NoUnwindInformation, Site as From, Start};

/// `solve` and `checkpoint` call the same place of `comm_sum`, which is inlined into `comm_all`; `solve` sends and receives, too.
const PLANTED: &[PlantedSite] = &[
    (1, From(2), &[("comm_sum", "/src/comm.c", 12), ("comm_all", "/src/comm.c", 30)]),
    (2, From(3), &[("solve", "/src/solver.c", 41)]),
    (3, Start, &[("main", "/src/main.c", 88)]),
    (4, From(5), &[("comm_sum", "/src/comm.c", 12), ("comm_all", "/src/comm.c", 30)]),
    (5, From(6), &[("checkpoint", "/src/output.c", 7)]),
    (6, Start, &[("main", "/src/main.c", 90)]),
    (7, From(3), &[("solve", "/src/solver.c", 50)]),
];

/// Two ranks sum in `solve`, rank 1 is 5 µs late; then in `checkpoint`, rank 0 is 2 µs late. Rank 0 sends from `solve` for 3 µs and
/// waits 2 µs of that for the receiver.
fn planted() -> Folder {
    let folder = Folder::new();
    let sum = |site| Signature { site, sent: 8, received: 8, ..on_nobody(Call::Allreduce) };
    let send = Signature { site: 7, ..send(Call::Send, 1, 100) };
    let receive = Signature { site: 7, ..signature(0, Call::Recv, 0, 0, 100) };
    let first = Calls::default().call(sum(1), 10_000, 6_000).call(send, 20_000, 3_000).call(sum(4), 32_000, 1_000);
    let second = Calls::default().call(sum(1), 15_000, 1_000).call(receive, 22_000, 1_000).call(sum(4), 30_000, 3_000);
    for (rank, calls) in (0..).zip([first, second]) {
        calls.defines(planted_definitions(PLANTED)).write(&folder, rank, 2);
    }
    write_names(&folder, PLANTED);
    folder
}

fn in_json(folder: &Folder, words: &[&str]) -> Value {
    let arguments = [&words[1..], &["--whole", "--format", "json"][..]].concat();
    let output = overhear(words[0], &folder.0, &arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
}

/// The rows of the table of paths, by depth, function and place.
fn tree(report: &Value) -> Vec<(u64, &str, &str)> {
    let rows = report["paths"].as_array().unwrap();
    rows.iter().map(|row| (row["depth"].as_u64().unwrap(), text(row, "function"), text(row, "site"))).collect()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap()
}

/// A figure in nanoseconds.
fn nanoseconds(row: &Value, key: &str) -> i64 {
    (row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}")) * 1e9).round() as i64
}

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

/// Call site, function and time of each row of `report --by`, in nanoseconds.
fn sites(folder: &Folder, arguments: &[&str]) -> Vec<(String, String, i64)> {
    let report = in_json(folder, &[&["report", "--by"], arguments].concat());
    let row = |row: &Value| (text(row, "site").into(), text(row, "function").into(), nanoseconds(row, "time_total_s"));
    report["sites"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn calls_of_the_layer_are_named_by_who_called_it() {
    let folder = planted();
    let named = |site: &str, function: &str, time: i64| (site.to_string(), function.to_string(), time);
    let send = |site: &str| [named(site, "MPI_Send", 3_000), named(site, "MPI_Recv", 1_000)];
    let [sent, received] = send("solve (solver.c:50)");
    let sum = named("comm_sum (comm.c:12)", "MPI_Allreduce", 11_000);
    assert_eq!(sites(&folder, &["site"]), [sum.clone(), sent.clone(), received.clone()]);
    let solved = named("solve (solver.c:41)", "MPI_Allreduce", 7_000);
    let written = named("checkpoint (output.c:7)", "MPI_Allreduce", 4_000);
    assert_eq!(sites(&folder, &["caller"]), [solved, written, sent.clone(), received.clone()]);
    // Only the named functions are the layer.
    let inside = named("comm_all (comm.c:30)", "MPI_Allreduce", 11_000);
    assert_eq!(sites(&folder, &["caller", "--layer", "comm_s*"]), [inside, sent, received]);
    let path = |of: &str| format!("main:{of} > comm_all:30 > comm_sum:12");
    let [sent, received] = send("main:88 > solve:50");
    let solved = named(&path("88 > solve:41"), "MPI_Allreduce", 7_000);
    let written = named(&path("90 > checkpoint:7"), "MPI_Allreduce", 4_000);
    assert_eq!(sites(&folder, &["path"]), [solved, written, sent, received]);
}

#[test]
fn waits_name_the_path_of_who_waits_and_of_who_is_late() {
    let folder = planted();
    for (by, solve, checkpoint) in [
        ("site", "comm.c:12", "comm.c:12"),
        ("caller", "solver.c:41", "output.c:7"),
        (
            "path",
            "main:88 > solve:41 > comm_all:30 > comm_sum:12",
            "main:90 > checkpoint:7 > comm_all:30 > comm_sum:12",
        ),
    ] {
        let report = in_json(&folder, &["waits", "--by", by]);
        let rows = report["waits"].as_array().unwrap().iter().filter(|row| row["wait_state"] == "wait_at_nxn");
        let row = |row: &Value| {
            (row["rank"].as_u64(), text(row, "site").into(), text(row, "cause_site").into(), nanoseconds(row, "wait_s"))
        };
        let rows: Vec<(Option<u64>, String, String, i64)> = rows.map(row).collect();
        let row = |rank, site: &str, time| (Some(rank), site.to_string(), site.to_string(), time);
        assert_eq!(rows, [row(0, solve, 5_000), row(1, checkpoint, 2_000)]);
    }
}

#[test]
fn diff_compares_paths_where_that_is_asked_for() {
    let (a, b) = (planted(), planted());
    let text = printed("diff", &a.0, &[b.0.to_str().unwrap(), "--whole", "--by", "path"]);
    let row = "main:90 > checkpoint:7 > comm_all:30 > comm_sum:12 MPI_Allreduce";
    let row = text.lines().find_map(|line| line.strip_prefix(row)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row.split_whitespace().take(3).collect::<Vec<_>>(), ["2.000", "2.000", "1.00"]);
}

#[test]
fn both_sides_leave_out_the_layer_that_one_side_alone_shows() {
    // Only in B do two places call `comm_all`.
    let (a, b) = (calling(&PLANTED[..3], &[1]), calling(PLANTED, &[1, 4]));
    let text = printed("diff", &a.0, &[b.0.to_str().unwrap(), "--whole", "--by", "caller"]);
    let sites: Vec<&str> = text.lines().filter_map(|line| line.split_once(" MPI_Barrier ")).map(|row| row.0).collect();
    assert!(sites.contains(&"solve (solver.c:41)") && sites.contains(&"checkpoint (output.c:7)"), "{text}");
    assert!(!text.contains("comm.c"), "{text}");
}

/// A run of one rank that calls MPI_Barrier for 5 µs at each of some sites.
fn calling(sites: &[PlantedSite], from: &[u32]) -> Folder {
    let folder = Folder::new();
    let mut calls = Calls::default();
    for (site, at) in from.iter().zip(1..) {
        let barrier = Signature { site: *site, ..signature(0, Call::Barrier, peer::NONE, 0, 0) };
        calls = calls.call(barrier, at * 10_000, 5_000);
    }
    calls.defines(planted_definitions(sites)).write(&folder, 0, 1);
    write_names(&folder, sites);
    folder
}

#[test]
fn functions_of_a_source_file_that_has_only_wrappers_are_the_layer_though_one_place_calls_them() {
    let sum: &[(&str, &str, u32)] = &[("comm_sum", "comm.c", 12)];
    let sites: &[PlantedSite] = &[
        (1, From(2), sum),
        (2, From(3), &[("solve", "solver.c", 41)]),
        (3, Start, &[("main", "main.c", 88)]),
        (4, From(5), sum),
        (5, From(3), &[("solve", "solver.c", 45)]),
        (6, From(7), &[("comm_halo", "comm.c", 20)]),
        (7, From(3), &[("solve", "solver.c", 50)]),
        // A function of its own file, which one place calls, is who calls.
        (8, From(9), &[("checkpoint", "output.c", 7)]),
        (9, Start, &[("main", "main.c", 90)]),
    ];
    let named = sites_of(&calling(sites, &[1, 4, 6, 8]));
    let expected = ["checkpoint (output.c:7)", "solve (solver.c:41)", "solve (solver.c:45)", "solve (solver.c:50)"];
    assert_eq!(named, expected);
}

#[test]
fn findings_name_both_lines_where_a_wrapper_stands_in_the_file_of_its_callers() {
    const BESIDE: &[(&str, &str, u32)] = &[("sum", "solver.c", 12)];
    const APART: &[(&str, &str, u32)] = &[("sum", "comm.c", 12)];
    const CALLERS: [PlantedSite; 3] = [
        (2, From(3), &[("solve", "solver.c", 41)]),
        (3, Start, &[("main", "solver.c", 88)]),
        (5, From(3), &[("check", "solver.c", 60)]),
    ];
    const IN_ONE_FILE: &[PlantedSite] =
        &[CALLERS[0], CALLERS[1], CALLERS[2], (1, From(2), BESIDE), (4, From(5), BESIDE)];
    const IN_TWO_FILES: &[PlantedSite] =
        &[CALLERS[0], CALLERS[1], CALLERS[2], (1, From(2), APART), (4, From(5), APART)];
    for (sites, line, callers) in [(IN_ONE_FILE, "solver.c:12", "solver.c:41"), (IN_TWO_FILES, "solver.c:41", "")] {
        let folder = Folder::new();
        for rank in 0..2 {
            let mut calls = Calls::default();
            for step in 1..=20 {
                // Rank 1 computes four times as long as rank 0.
                let (sum, at) =
                    (Signature { site: 1, sent: 8, received: 8, ..on_nobody(Call::Allreduce) }, step * 45_000_000);
                let late = 20_000_000 * rank;
                calls = calls.call(sum, at + 2_000_000 + late, 20_010_000 - late);
            }
            calls = calls.call(Signature { site: 4, ..on_nobody(Call::Barrier) }, 960_000_000, 5_000);
            calls.defines(planted_definitions(sites)).write(&folder, rank as u32, 2);
        }
        write_names(&folder, sites);
        let found = in_json(&folder, &["diagnose"]);
        let first = &found["findings"][0];
        assert_eq!((&first["sites"], &first["callers"]), (&json!(line), &json!(callers)), "{found}");
    }
}

/// The call sites of `report --by caller`, in order.
fn sites_of(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = sites(folder, &["caller"]).into_iter().map(|row| row.0).collect();
    names.sort();
    names
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

#[test]
fn a_run_without_paths_says_so_where_paths_are_asked_for() {
    let (plain, _) = plain_and_with_paths();
    let output = overhear("paths", &plain.0, &[]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text.contains("no call paths"), "{text}");
    for by in ["caller", "path"] {
        assert!(printed("report", &plain.0, &["--by", by]).contains("no call paths were recorded"), "{by}");
        assert!(printed("waits", &plain.0, &["--by", by]).contains("no call paths were recorded"), "{by}");
    }
}

/// Output of `export` in a format.
fn exported(folder: &Folder, format: &str) -> Vec<u8> {
    let out = Folder::new();
    let file = out.0.join("out");
    let output = overhear("export", &folder.0, &[file.to_str().unwrap(), "--to", format]);
    assert!(output.status.success(), "{output:?}");
    std::fs::read(file).unwrap()
}

#[test]
fn folded_stacks_weigh_the_time_in_mpi() {
    let text = String::from_utf8(exported(&planted(), "folded")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "main;checkpoint;comm_all;comm_sum;MPI_Allreduce 4000",
            "main;solve;MPI_Recv 1000",
            "main;solve;MPI_Send 3000",
            "main;solve;comm_all;comm_sum;MPI_Allreduce 7000",
        ]
    );
}

#[test]
fn speedscope_gets_the_time_and_the_waits_of_each_stack() {
    let file: Value = serde_json::from_slice(&exported(&planted(), "speedscope")).unwrap();
    let name = |frame: &Value| text(&file["shared"]["frames"][frame.as_u64().unwrap() as usize], "name").to_string();
    let mut profiles = Vec::new();
    for profile in file["profiles"].as_array().unwrap() {
        let (samples, weights) = (profile["samples"].as_array().unwrap(), profile["weights"].as_array().unwrap());
        let stack = |sample: &Value| sample.as_array().unwrap().iter().map(name).collect::<Vec<_>>().join(" ");
        let mut stacks: Vec<(String, i64)> =
            samples.iter().zip(weights).map(|(sample, weight)| (stack(sample), weight.as_i64().unwrap())).collect();
        stacks.sort();
        assert_eq!(profile["endValue"].as_i64().unwrap(), stacks.iter().map(|(_, weight)| weight).sum::<i64>());
        profiles.push(stacks.into_iter().map(|(_, weight)| weight).collect::<Vec<i64>>());
    }
    assert_eq!(profiles, [[4_000, 1_000, 3_000, 7_000], [2_000, 0, 2_000, 5_000]]);
}

/// A field of a protobuf message: its number, and its bytes or number.
enum Field<'a> {
    Number(u64, u64),
    Bytes(u64, &'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for at in 0.. {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(first & 0x7f) << (7 * at);
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        match key % 8 {
            0 => fields.push(Field::Number(key / 8, value)),
            2 => {
                let (inside, rest) = bytes.split_at(value as usize);
                fields.push(Field::Bytes(key / 8, inside));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    fields
}

/// The messages or strings of a repeated field.
fn all_of(message: &[u8], number: u64) -> Vec<&[u8]> {
    let wanted = |field| if let Field::Bytes(at, bytes) = field { (at == number).then_some(bytes) } else { None };
    fields(message).into_iter().filter_map(wanted).collect()
}

fn number_of(message: &[u8], number: u64) -> u64 {
    let wanted = |field| if let Field::Number(at, value) = field { (at == number).then_some(value) } else { None };
    fields(message).into_iter().find_map(wanted).unwrap_or(0)
}

fn packed(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes));
    }
    numbers
}

/// Field numbers are those of pprof's `profile.proto`.
#[test]
fn pprof_gets_calls_times_waits_and_bytes_of_each_stack_and_rank_with_the_lines() {
    let mut profile = Vec::new();
    GzDecoder::new(&exported(&planted(), "pprof")[..]).read_to_end(&mut profile).unwrap();
    let strings: Vec<&str> = all_of(&profile, 6).into_iter().map(|text| std::str::from_utf8(text).unwrap()).collect();
    let name = |message: &[u8], field: u64| strings[number_of(message, field) as usize];
    assert_eq!(strings[0], "");
    let kinds: Vec<(&str, &str)> = all_of(&profile, 1).into_iter().map(|kind| (name(kind, 1), name(kind, 2))).collect();
    assert_eq!(kinds, [("calls", "count"), ("time", "nanoseconds"), ("waiting", "nanoseconds"), ("bytes", "bytes")]);
    let by_id = |field: u64| -> HashMap<u64, &[u8]> {
        all_of(&profile, field).into_iter().map(|message| (number_of(message, 1), message)).collect()
    };
    let (locations, functions) = (by_id(4), by_id(5));
    let place = |id: u64| {
        let line = all_of(locations[&id], 4)[0];
        let function = functions[&number_of(line, 1)];
        format!("{}:{}", name(function, 2), number_of(line, 2))
    };
    let mut samples = Vec::new();
    for sample in all_of(&profile, 2) {
        let stack: Vec<String> = packed(all_of(sample, 1)[0]).into_iter().map(place).collect();
        let label = all_of(sample, 3)[0];
        assert_eq!(name(label, 1), "rank");
        samples.push((stack.join(" "), number_of(label, 3), packed(all_of(sample, 2)[0])));
    }
    samples.sort();
    let sum = |of: &str| format!("MPI_Allreduce:0 comm_sum:12 comm_all:30 {of}");
    let expected = [
        (sum("checkpoint:7 main:90"), 0, vec![1, 1_000, 0, 16]),
        (sum("checkpoint:7 main:90"), 1, vec![1, 3_000, 2_000, 16]),
        (sum("solve:41 main:88"), 0, vec![1, 6_000, 5_000, 16]),
        (sum("solve:41 main:88"), 1, vec![1, 1_000, 0, 16]),
        ("MPI_Recv:0 solve:50 main:88".into(), 1, vec![1, 1_000, 0, 100]),
        ("MPI_Send:0 solve:50 main:88".into(), 0, vec![1, 3_000, 2_000, 100]),
    ];
    assert_eq!(samples, expected);
}

#[test]
fn the_data_set_has_each_function_on_the_path_to_a_call_site() {
    let folder = planted();
    let out = Folder::new();
    let to = out.0.join("tables");
    let output = overhear("export", &folder.0, &[to.to_str().unwrap(), "--to", "json", "--tables", "paths,sites"]);
    assert!(output.status.success(), "{output:?}");
    let rows = |table: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(to.join(table).join("rank=0/part-0.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let row = |row: &Value| {
        (
            row["site"].as_u64().unwrap(),
            row["depth"].as_u64().unwrap(),
            text(row, "function").into(),
            text(row, "calls_at").into(),
        )
    };
    let paths: Vec<(u64, u64, String, String)> = rows("paths").iter().map(row).collect();
    let frames = |site: u64, frames: &[(&str, &str)]| -> Vec<(u64, u64, String, String)> {
        (0..).zip(frames).map(|(depth, (function, at))| (site, depth, function.to_string(), at.to_string())).collect()
    };
    let inner = [("comm_all", "comm.c:30"), ("comm_sum", "comm.c:12")];
    let expected = [
        frames(1, &[&[("main", "main.c:88"), ("solve", "solver.c:41")], &inner[..]].concat()),
        frames(4, &[&[("main", "main.c:90"), ("checkpoint", "output.c:7")], &inner[..]].concat()),
        frames(7, &[("main", "main.c:88"), ("solve", "solver.c:50")]),
    ];
    assert_eq!(paths, expected.concat());
    // Functions that only lead to MPI are no call sites.
    assert_eq!(rows("sites").iter().map(|row| row["site"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 4, 7]);
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
