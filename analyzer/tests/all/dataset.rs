//! The data set's tables, read back from files, agree with `report`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Communicator, Definition};
use traces::write::{FileWriter, blank_block};

use crate::common::golden::compare;
use crate::common::{self, Folder, header, overhear, recorded::recorded, signature, stderr, two_ranks};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi")
}

fn export(run: &Path, out: &Path, arguments: &[&str]) -> std::process::Output {
    let out = out.to_str().unwrap();
    overhear("export", run, &[&[out, "--no-cache"], arguments].concat())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// Rows of a table, from its lines of JSON.
pub fn rows(out: &Path, table: &str) -> Vec<Value> {
    let texts = files(&out.join(table)).into_iter().map(|file| fs::read_to_string(file).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>())
        .collect()
}

/// Sums of columns by function.
fn by_function(rows: &[Value], columns: &[&str]) -> BTreeMap<String, Vec<f64>> {
    let mut sums: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(row["function"].as_str().unwrap().into()).or_insert_with(|| vec![0.0; columns.len()]);
        columns.iter().zip(sum).for_each(|(column, sum)| *sum += row[column].as_f64().unwrap());
    }
    sums
}

fn is_close(one: &BTreeMap<String, Vec<f64>>, other: &BTreeMap<String, Vec<f64>>) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    one.keys().eq(other.keys()) && one.values().flatten().zip(other.values().flatten()).all(near)
}

#[test]
fn calls_and_signatures_add_up_to_what_report_says_of_each_function() {
    let mut runs = vec![sample()];
    let programs =
        ["exchange", "errors", "collectives", "persistent", "threads", "killed_between", "spawns", "polling"];
    let fixtures: Vec<_> = programs.iter().filter(|name| has_fixture(name)).flat_map(|name| recorded(name)).collect();
    runs.extend(fixtures.iter().map(|fixture| fixture.run.clone()));
    let mut ran = 0;
    for run in runs {
        let out = Folder::new();
        let output = export(&run, &out.0.join("out"), &["--to", "json"]);
        assert!([Some(0), Some(4)].contains(&output.status.code()), "{}: {}", run.display(), stderr(&output));
        let report = common::json(&run, "function");
        let report = report["functions"].as_array().unwrap();
        let (calls, signatures) = (rows(&out.0.join("out"), "calls"), rows(&out.0.join("out"), "signatures"));
        let told = by_function(report, &["calls", "time_total_s"]);
        let single = by_function(&calls, &["calls", "inside_s"]);
        assert!(is_close(&single, &told), "{}: {single:?} {told:?}", run.display());
        let own: Vec<Value> =
            signatures.into_iter().filter(|row| row["nested"] == false && row["calls"] != 0).collect();
        let columns = ["calls", "failed_calls", "sent_bytes", "received_bytes"];
        let (summed, told) = (by_function(&own, &columns), by_function(report, &columns));
        assert_eq!(summed, told, "{}", run.display());
        ran += 1;
    }
    assert!(ran > 3, "{ran}");
}

fn has_fixture(program: &str) -> bool {
    examples::fixture::names().iter().any(|name| name.rsplit_once('-').is_some_and(|(of, _)| of == program))
}

#[test]
fn keys_of_one_table_are_found_in_the_other() {
    let out = Folder::new();
    export(&sample(), &out.0.join("out"), &["--to", "json"]);
    let table = |name| rows(&out.0.join("out"), name);
    let key = |row: &Value, columns: &[&str]| columns.iter().map(|column| row[column].to_string()).collect::<Vec<_>>();
    let keys = |name, columns: &[&str]| table(name).iter().map(|row| key(row, columns)).collect::<Vec<_>>();
    let (signatures, sites) = (["rank", "world", "thread", "signature"], ["rank", "world", "site"]);
    let known = (keys("signatures", &signatures), keys("sites", &sites), keys("communicators", &["communicator"]));
    let mut ran = 0;
    for call in table("calls") {
        assert!(known.0.contains(&key(&call, &signatures)) && known.1.contains(&key(&call, &sites)), "{call}");
        assert!(call["communicator"].is_null() || known.2.contains(&key(&call, &["communicator"])), "{call}");
        ran += 1;
    }
    assert!(ran > 200, "{ran}");
}

#[test]
fn every_message_that_matrix_counts_is_there_with_both_ends() {
    let mut runs = vec![sample()];
    let fixtures: Vec<_> = ["ring", "wildcard", "threads", "persistent_halo", "late_sender"]
        .iter()
        .flat_map(|name| recorded(name))
        .collect();
    runs.extend(fixtures.iter().map(|fixture| fixture.run.clone()));
    let mut ran = 0;
    for run in runs {
        let out = Folder::new();
        export(&run, &out.0, &["--to", "json", "--tables", "messages"]);
        let output = overhear("matrix", &run, &["--format", "json", "--only", "messages", "--no-cache"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let told = report["pairs"].as_array().unwrap().iter();
        let pair = |row: &Value, columns: [&str; 2]| columns.map(|column| row[column].as_u64().unwrap());
        let told: BTreeMap<[u64; 2], [u64; 2]> =
            told.map(|row| (pair(row, ["from_rank", "to_rank"]), pair(row, ["messages", "bytes"]))).collect();
        let mut found: BTreeMap<[u64; 2], [u64; 2]> = BTreeMap::new();
        for message in rows(&out.0, "messages") {
            let sum = found.entry(pair(&message, ["from_rank", "rank"])).or_default();
            *sum = [sum[0] + 1, sum[1] + message["sent_bytes"].as_u64().unwrap()];
            let [sent, received, error] =
                ["sent_s", "received_s", "error_s"].map(|column| message[column].as_f64().unwrap());
            assert!(sent <= received + error, "{message}");
            ran += 1;
        }
        assert_eq!(found, told, "{}", run.display());
    }
    assert!(ran > 50, "{ran}");
}

/// Sums of nanoseconds by some texts of a row, and the number of rows.
fn sums(rows: &[Value], keys: &[&str], time: &str) -> BTreeMap<Vec<String>, (u64, i64)> {
    let mut sums: BTreeMap<Vec<String>, (u64, i64)> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(keys.iter().map(|key| row[*key].to_string()).collect()).or_default();
        let count = row["waits"].as_u64().or(row["operations"].as_u64()).unwrap_or(1);
        *sum = (sum.0 + count, sum.1 + (row[time].as_f64().unwrap() * 1e9).round() as i64);
    }
    sums
}

#[test]
fn single_waits_add_up_to_what_waits_says_of_each_cause() {
    let mut ran = 0;
    let programs = ["late_sender", "late_receiver", "wrong_order", "late_root", "neighborhood", "isendrecv", "spawns"];
    let fixtures: Vec<_> = programs.iter().filter(|name| has_fixture(name)).flat_map(|name| recorded(name)).collect();
    for run in fixtures.iter().map(|fixture| fixture.run.clone()).chain([sample()]) {
        let out = Folder::new();
        export(&run, &out.0, &["--to", "json", "--tables", "waits"]);
        let keys = ["wait_state", "rank", "world", "function", "cause_rank", "cause_world", "cause_function"];
        let found = rows(&out.0, "waits");
        let output = overhear("waits", &run, &["--format", "json", "--top", "all", "--no-cache"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let told = told["waits"].as_array().unwrap();
        assert_eq!(sums(&found, &keys, "wait_s"), sums(told, &keys, "wait_s"), "{}", run.display());
        for wait in &found {
            let [call, start, end] = ["call_s", "start_s", "end_s"].map(|column| wait[column].as_f64().unwrap());
            assert!(call <= start && start < end, "{wait}");
        }
        ran += found.len();
    }
    assert!(ran > 200, "{ran}");
}

#[test]
fn parts_in_collective_operations_come_together_as_report_counts_them() {
    let mut ran = 0;
    let programs = ["collectives", "late_root", "neighborhood", "persistent_collectives", "nonblocking_collectives"];
    let fixtures: Vec<_> = programs.iter().filter(|name| has_fixture(name)).flat_map(|name| recorded(name)).collect();
    for run in fixtures.iter().map(|fixture| fixture.run.clone()).chain([sample()]) {
        let out = Folder::new();
        export(&run, &out.0, &["--to", "json", "--tables", "collectives"]);
        let output =
            overhear("report", &run, &["--by", "collective", "--format", "json", "--top", "all", "--no-cache"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        // Calls with one number on one communicator are an operation: from the first begin to the last end.
        let mut operations: BTreeMap<Vec<String>, (String, f64, f64, usize)> = BTreeMap::new();
        let of = |row: &Value| ["communicator", "ordinal", "started_before"].map(|key| row[key].to_string()).to_vec();
        for row in rows(&out.0, "collectives") {
            let [start, late] = ["start_s", "late_s"].map(|key| row[key].as_f64().unwrap());
            let function = row["function"].as_str().unwrap().to_string();
            let all = operations.entry(of(&row)).or_insert((function.clone(), start - late, f64::MIN, 0));
            assert!(all.0 == function && (all.1 - (start - late)).abs() < 1e-8 && late >= 0.0, "{row}");
            *all = (function, all.1, all.2.max(row["end_s"].as_f64().unwrap_or(f64::MAX)), all.3 + 1);
        }
        let mut found: BTreeMap<String, (u64, f64)> = BTreeMap::new();
        for (function, begin, end, _) in operations.values().filter(|operation| operation.2 < f64::MAX) {
            let sum = found.entry(function.clone()).or_default();
            *sum = (sum.0 + 1, sum.1 + end - begin);
        }
        let mut expected: BTreeMap<String, (u64, f64)> = BTreeMap::new();
        for row in told["operations"].as_array().unwrap() {
            let sum = expected.entry(row["function"].as_str().unwrap().into()).or_default();
            *sum =
                (sum.0 + row["operations"].as_u64().unwrap(), sum.1 + row["first_to_last_total_s"].as_f64().unwrap());
        }
        assert!(found.keys().eq(expected.keys()), "{}: {found:?} {expected:?}", run.display());
        for (function, (count, time)) in &found {
            let told = expected[function];
            assert!(*count == told.0 && (time - told.1).abs() < 1e-7, "{function}: {count} {time} for {told:?}");
            ran += count;
        }
    }
    assert!(ran > 60, "{ran}");
}

#[test]
fn every_call_that_begins_requests_finds_them_and_they_end_where_a_call_completed_them() {
    let mut ran = 0;
    for fixture in ["isendrecv", "persistent_halo", "overlapped", "wildcard"].iter().flat_map(|name| recorded(name)) {
        let out = Folder::new();
        export(&fixture.run, &out.0, &["--to", "json", "--tables", "calls,requests"]);
        let key = |row: &Value| ["rank", "world", "thread", "request"].map(|column| row[column].to_string());
        let requests: BTreeMap<[String; 4], Value> =
            rows(&out.0, "requests").into_iter().map(|row| (key(&row), row)).collect();
        for call in rows(&out.0, "calls").iter().filter(|call| !call["request"].is_null()) {
            // A call that only creates persistent requests begins none.
            let Some(request) = requests.get(&key(call)) else {
                assert!(call["function"].as_str().unwrap().ends_with("_init"), "{call}");
                continue;
            };
            assert_eq!(request["start_ticks"], call["start_ticks"], "{call} {request}");
            let times = ["start_s", "posted_s", "end_s"].map(|column| request[column].as_f64().unwrap());
            assert!(times.is_sorted() && request["completed_by"].is_string(), "{request}");
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn a_selection_keeps_calls_of_its_ranks_that_began_in_its_time() {
    let out = Folder::new();
    export(&sample(), &out.0, &["--to", "json", "--rank", "1-2", "--from", "160ms", "--to", "200ms"]);
    let calls = rows(&out.0, "calls");
    assert!(calls.len() > 10, "{}", calls.len());
    for call in calls {
        assert!(
            (0.16..0.2).contains(&call["start_s"].as_f64().unwrap())
                && [1, 2].contains(&call["rank"].as_u64().unwrap()),
            "{call}"
        );
    }
    assert_eq!(rows(&out.0, "ranks").len(), 2);
}

#[test]
fn what_to_write_and_until_when_are_told_apart_and_one_without_the_other_is_asked_for() {
    let (run, out) = (sample(), Folder::new());
    let name = |name: &str| out.0.join(name).to_str().unwrap().to_string();
    let rows = |place: &str| {
        files(&out.0.join(place)).iter().map(|file| fs::read_to_string(file).unwrap().lines().count()).sum::<usize>()
    };
    let all = overhear("export", &run, &["--to", "json", &name("all"), "--tables", "calls"]);
    assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
    let part = overhear("export", &run, &["--to", "json", &name("part"), "--tables", "calls", "--to", "200ms"]);
    assert_eq!(part.status.code(), Some(0), "{}", stderr(&part));
    assert!(0 < rows("part") && rows("part") < rows("all"), "{} of {}", rows("part"), rows("all"));
    for (words, needed) in [
        (&["--to", "1.5"][..], "--to parquet"),
        (&["--to", "xml"], "expected parquet, csv, json, perfetto, otf2, folded, speedscope, pprof, or a time"),
        (&[], "--to <FORMAT>"),
    ] {
        let refused = overhear("export", &run, &[&[name("none").as_str()], words].concat());
        assert!(refused.status.code() == Some(2) && stderr(&refused).contains(needed), "{}", stderr(&refused));
    }
    assert!(!out.0.join("none").exists());
}

#[test]
fn what_lies_there_is_replaced_only_with_force_and_only_what_an_export_wrote() {
    let (folder, out) = (two_ranks(), Folder::new());
    assert_eq!(export(&folder.0, &out.0, &["--to", "csv"]).status.code(), Some(0));
    let before = files(&out.0);
    let refused = export(&folder.0, &out.0, &["--to", "csv"]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--force"), "{refused:?}");
    assert_eq!(export(&folder.0, &out.0, &["--to", "json", "--tables", "calls", "--force"]).status.code(), Some(0));
    let after = files(&out.0);
    assert!(after.len() == 2 && before.iter().all(|file| !after.contains(file)), "{after:?}");
    out.write("calls/mine.txt", b"mine");
    let refused = export(&folder.0, &out.0, &["--to", "csv", "--force"]);
    assert!(refused.status.code() == Some(3) && stderr(&refused).contains("calls"), "{refused:?}");
    assert_eq!(fs::read(out.0.join("calls/mine.txt")).unwrap(), b"mine");
}

#[test]
fn a_table_that_is_not_there_is_named_with_the_nearest() {
    let (folder, out) = (two_ranks(), Folder::new());
    let refused = export(&folder.0, &out.0, &["--to", "csv", "--tables", "signature"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("no table is called signature. The nearest one is signatures"), "{refused:?}");
    assert!(files(&out.0).is_empty());
}

#[test]
fn names_are_neither_formulas_nor_escapes_in_csv() {
    let folder = Folder::new();
    let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    let named = |name: &str| {
        Definition::Communicator(Communicator { number: 1, rank: 0, size: 1, inter: false, name: name.into() })
    };
    file.definitions(&[named("=HYPERLINK(\"x\")\x1b[2J")]).unwrap();
    file.signatures(0, 0, &[signature(1, Call::Barrier, 0, 0, 0)]).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    let out = Folder::new();
    let output = export(&folder.0, &out.0, &["--to", "csv", "--tables", "communicators"]);
    let text =
        fs::read_to_string(out.0.join("communicators/rank=0/part-0.csv")).unwrap_or_else(|_| panic!("{output:?}"));
    assert!(text.contains("\"'=HYPERLINK(\"\"x\"\")\\x1b[2J\""), "{text}");
}

#[test]
fn of_a_profile_signatures_say_what_is_known_and_a_line_says_so() {
    let (folder, out) = (crate::bad_input::profile(), Folder::new());
    let output = export(&folder.0, &out.0, &["--to", "json"]);
    assert!(stderr(&output).contains("the run is a profile") && !rows(&out.0, "signatures").is_empty(), "{output:?}");
    assert!(rows(&out.0, "calls").is_empty());
}

#[test]
fn the_published_description_is_that_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/dataset.md");
    compare(&path, &data::description());
}
