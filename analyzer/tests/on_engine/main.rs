//! `overhear --engine` asks an engine with several workers on this machine, and prints what the analyses of the traces print.
//!
//! `cargo xtask engine --sail` and `--spark` bring the engine and run these tests. TEST_ENGINE_SETS=ring tests only recorded runs whose names contain that.

mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use examples::fixture;
use serde_json::Value;
use server::Engine;
use synthetic::{Shape, Topology};

/// Waits that the SQL does not look for.
const ONE_SIDED: [&str; 3] = ["late_post", "early_wait", "lock_contention"];

fn overhear(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("on_engine").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Exports the tables of a run that engines need.
fn export(run: &Path, set: &Path) {
    let paths = [run, set].map(|path| path.to_str().unwrap());
    let output = overhear(&["export", paths[0], paths[1], "--to", "parquet", "--tables", "engine", "--no-cache"]);
    assert!([Some(0), Some(4)].contains(&output.status.code()), "{}", text(&output.stderr));
}

fn asked(analysis: &str, set: &Path, url: &str) -> Result<Value, String> {
    let output = overhear(&[analysis, set.to_str().unwrap(), "--engine", url, "--format", "json"]);
    serde_json::from_slice(&output.stdout).map_err(|_| text(&output.stderr))
}

fn native(analysis: &str, run: &Path, more: &[&str]) -> Option<Value> {
    let arguments = [&[analysis, run.to_str().unwrap(), "--whole", "--no-cache", "--format", "json"], more].concat();
    serde_json::from_slice(&overhear(&arguments).stdout).ok()
}

fn rows<'a>(report: &'a Value, table: &str) -> Vec<&'a Value> {
    report[table].as_array().map(|rows| rows.iter().collect()).unwrap_or_default()
}

/// True if two rows agree but for the last digits of times: engines add in another order, so a difference of two times is as wrong
/// as these are.
fn agree(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return false };
    let reals = one.values().filter(|value| value.is_f64()).filter_map(Value::as_f64);
    let largest = reals.map(f64::abs).fold(0.0, f64::max);
    let is_close = |key: &str, value: &Value, found: &Value| match (value.is_f64(), value.as_f64(), found.as_f64()) {
        (true, Some(value), Some(found)) => {
            (value - found).abs() <= 1e-12 * if key.ends_with("percent") { 100.0 } else { largest }
        }
        _ => value == found,
    };
    one.len() == other.len()
        && one.iter().all(|(key, value)| other.get(key).is_some_and(|found| is_close(key, value, found)))
}

fn compare(what: &str, told: &[&Value], found: &[&Value]) -> usize {
    assert_eq!(told.len(), found.len(), "{what}: {told:#?}\n{found:#?}");
    for row in told {
        assert!(found.iter().any(|other| agree(row, other)), "{what}: {row:#}\nis not among {found:#?}");
    }
    told.len()
}

/// Compares all reports of a run. Returns how many rows agreed.
fn compare_all(name: &str, run: &Path, set: &Path, url: &str) -> usize {
    let mut agreed = 0;
    let of = |analysis: &str| asked(analysis, set, url).unwrap_or_else(|reason| panic!("{name} {analysis}: {reason}"));
    for (analysis, more, table) in [
        ("report", &[][..], "functions"),
        ("imbalance", &[], "functions"),
        ("matrix", &[], "pairs"),
        ("progress", &["--by", "function"], "engine_functions"),
    ] {
        if let Some(told) = native(analysis, run, more) {
            agreed += compare(&format!("{name} {analysis}"), &rows(&told, table), &rows(&of(analysis), table));
        }
    }
    let Some(told) = native("waits", run, &[]) else { return agreed };
    let found = of("waits");
    for fact in ["matched_messages", "unmatched_messages", "uncertain_messages", "matched_collectives"] {
        assert_eq!(told["run"][fact], found["run"][fact], "{name} {fact}");
    }
    let [waits, found_waits] = [&told, &found].map(|report| rows(report, "waits"));
    let is_seen = |row: &&Value| row["open_waits"] == 0 && !ONE_SIDED.iter().any(|state| row["wait_state"] == *state);
    // If threads call at once, the SQL leaves messages in the wrong order among the late senders.
    let is_threaded = waits.iter().any(|row| row["wait_state"] == "wrong_order")
        && !found_waits.iter().any(|row| row["wait_state"] == "wrong_order");
    if is_threaded {
        return agreed;
    }
    let seen: Vec<&Value> = waits.iter().copied().filter(is_seen).collect();
    agreed += compare(&format!("{name} waits"), &seen, &found_waits);
    if seen.len() == waits.len() {
        let [told_states, found_states] = [&told, &found].map(|report| rows(report, "wait_states"));
        agreed += compare(&format!("{name} states"), &told_states, &found_states);
    }
    agreed
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn every_recorded_run_has_the_same_tables_by_the_engine_as_by_its_traces() {
    let engine = Engine::started();
    let only = std::env::var("TEST_ENGINE_SETS").unwrap_or_default();
    let names = [fixture::names(), fixture::diagnosis_names()].concat();
    let (mut runs, mut agreed) = (0, 0);
    for name in names.iter().filter(|name| name.contains(&only)) {
        let place = folder(&name.replace('/', "-"));
        let run = fixture::unpack(name, &place).run;
        export(&run, &place.join("set"));
        let (began, before) = (Instant::now(), agreed);
        agreed += compare_all(name, &run, &place.join("set"), &engine.url);
        println!("{name}: {} rows in {:.1} s", agreed - before, began.elapsed().as_secs_f64());
        runs += 1;
    }
    println!("{runs} runs, {agreed} rows");
    assert!(runs > 0 && agreed > runs, "{runs} runs, {agreed} rows");
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn a_run_of_a_thousand_ranks_has_the_same_tables_by_the_engine_as_by_its_traces() {
    let engine = Engine::started();
    let place = folder("thousand");
    let run = place.join("run");
    fs::create_dir(&run).unwrap();
    synthetic::run(&run, &Shape { ranks: 1000, calls: 100, topology: Topology::Torus, seed: 1 }).unwrap();
    export(&run, &place.join("set"));
    let agreed = compare_all("thousand", &run, &place.join("set"), &engine.url);
    println!("1,000 ranks, {agreed} rows");
    assert!(agreed > 5_000, "{agreed}");
}

/// A recorded run of four ranks, exported.
fn ring(place: &Path) -> PathBuf {
    let names = fixture::names();
    let name = names.iter().find(|name| name.starts_with("ring-")).unwrap();
    let set = place.join("set");
    export(&fixture::unpack(name, &place.join("ring")).run, &set);
    set
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn a_data_set_that_lacks_a_part_is_refused_and_one_that_lacks_a_rank_is_said_to() {
    let engine = Engine::started();
    let set = ring(&folder("lacking"));
    fs::remove_dir_all(set.join("roles/rank=2")).unwrap();
    let said = asked("waits", &set, &engine.url).unwrap_err();
    assert!(
        said.contains("roles: lacks rows of 1 rank, rank 2 first") && said.contains("Export these ranks again"),
        "{said}"
    );
    for table in fs::read_dir(&set).unwrap() {
        let _ = fs::remove_dir_all(table.unwrap().path().join("rank=2"));
    }
    let output = overhear(&["report", set.to_str().unwrap(), "--engine", &engine.url]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no file from rank 2"), "{}", text(&output.stdout));
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn two_runs_in_one_data_set_are_refused_as_two_runs_in_one_folder_are() {
    let engine = Engine::started();
    let place = folder("mixed");
    let set = ring(&place);
    let names = fixture::names();
    let name = names.iter().find(|name| name.starts_with("late_sender-")).unwrap();
    export(&fixture::unpack(name, &place.join("other")).run, &place.join("other_set"));
    for table in fs::read_dir(place.join("other_set")).unwrap() {
        let table = table.unwrap();
        fs::copy(table.path().join("rank=0/part-0.parquet"), set.join(table.file_name()).join("rank=0/part-1.parquet"))
            .unwrap();
    }
    let said = asked("report", &set, &engine.url).unwrap_err();
    assert!(said.contains("files of 2 runs in one folder") && said.matches("run ").count() >= 2, "{said}");
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn an_engine_or_a_data_set_that_is_not_there_is_reported_within_seconds() {
    let said = asked("report", Path::new("/nowhere"), "sc://127.0.0.1:1").unwrap_err();
    assert!(said.contains("sc://127.0.0.1:1"), "{said}");
    let engine = Engine::started();
    let said = asked("report", Path::new("/nowhere"), &engine.url).unwrap_err();
    assert!(said.contains("/nowhere"), "{said}");
}

#[test]
#[ignore = "needs an engine: cargo xtask engine --sail or --spark"]
fn an_engine_that_dies_half_way_is_an_error_that_names_it() {
    let engine = Engine::started();
    let set = ring(&folder("killed"));
    let mut asking = Command::new(env!("CARGO_BIN_EXE_overhear"));
    asking.args(["waits", set.to_str().unwrap(), "--engine", &engine.url]).stderr(std::process::Stdio::piped());
    let asking = asking.stdout(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let url = engine.url.clone();
    drop(engine);
    let output = asking.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains(&url), "{}", text(&output.stderr));
}
