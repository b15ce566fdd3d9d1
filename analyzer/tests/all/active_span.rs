//! Time in MPI_Init and MPI_Finalize is excluded to the nanosecond.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::made::{Calls, account, on_nobody, send};
use crate::common::stories::{Sleeper, asleep, collective, outside};
use crate::common::{BEGIN, Folder, SECOND, definitions, header, overhear, signature};
use metrics::pop;
use model::matching::Follow;
use model::{Choice, Run};
use serde_json::Value;
use traces::calls::Call;
use traces::file::{ANY_SIGNATURE, FINALIZED, INITIALIZED, Mode, ProfileEntry};
use traces::signature::{Signature, peer};
use traces::write::{FileWriter, blank_block, call};
use zerocopy::FromZeros;

fn said(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = command.args(arguments).arg(folder).args(["--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn nanoseconds(value: &Value) -> u64 {
    (value.as_f64().unwrap_or_else(|| panic!("{value}")) * 1e9).round() as u64
}

/// Returns wall time, and the functions with their calls.
fn report(folder: &Folder, more: &[&str]) -> (u64, Vec<(String, u64)>) {
    let said = said(&folder.0, &[&["report"], more].concat());
    let rows = said["functions"].as_array().unwrap();
    let function = |row: &Value| (row["function"].as_str().unwrap().to_string(), row["calls"].as_u64().unwrap());
    let mut functions: Vec<_> = rows.iter().map(function).collect();
    functions.sort();
    (nanoseconds(&said["run"]["wall_time_s"]), functions)
}

fn of(functions: &[(&str, u64)]) -> Vec<(String, u64)> {
    functions.iter().map(|(name, calls)| (name.to_string(), *calls)).collect()
}

/// Queries before MPI_Init and after MPI_Finalize, with a barrier between.
fn ordinary() -> Folder {
    let folder = Folder::new();
    Calls::default()
        .call(on_nobody(Call::Initialized), 10, 5)
        .call(on_nobody(Call::Init), 1_000, 4_000)
        .call(on_nobody(Call::Barrier), 6_000, 100)
        .call(on_nobody(Call::Finalize), 20_000, SECOND - 20_100)
        .call(on_nobody(Call::Finalized), SECOND - 50, 10)
        .write(&folder, 0, 1);
    folder
}

#[test]
fn what_counts_lies_between_the_end_of_mpi_init_and_the_begin_of_mpi_finalize() {
    let folder = ordinary();
    assert_eq!(report(&folder, &[]), (15_000, of(&[("MPI_Barrier", 1)])));
    let all = [("MPI_Barrier", 1), ("MPI_Finalize", 1), ("MPI_Finalized", 1), ("MPI_Init", 1), ("MPI_Initialized", 1)];
    assert_eq!(report(&folder, &["--whole"]), (SECOND, of(&all)));
    let run = said(&folder.0, &["report"])["run"].clone();
    assert_eq!(["start_mean_s", "end_mean_s"].map(|key| nanoseconds(&run[key])), [4_000, SECOND - 20_000]);
    assert!(run["whole_wall_time_s"].is_null(), "nothing was selected: {run}");
    assert!(said(&folder.0, &["report", "--whole"])["run"]["start_mean_s"].is_null());
}

#[test]
fn call_paths_for_viewers_of_profiles_leave_mpi_init_out_as_overhear_paths_does() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/solver");
    let calls = |rows: &Value, key: &str| {
        let of_mpi = rows.as_array().unwrap().iter().filter_map(|row| row[key].as_str()?.strip_prefix("MPI_"));
        of_mpi.map(String::from).collect::<BTreeSet<String>>()
    };
    let out = Folder::new();
    let file = out.0.join("out");
    let output = overhear("export", &run, &[file.to_str().unwrap(), "--to", "speedscope", "--no-cache"]);
    assert!(output.status.success(), "{output:?}");
    let exported: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let printed = said(&run, &["paths", "--no-cache"]);
    let exported = calls(&exported["shared"]["frames"], "name");
    assert_eq!(exported, calls(&printed["paths"], "function"));
    assert!(!exported.is_empty() && !exported.contains("Init"), "{exported:?}");
}

#[test]
fn a_window_does_not_bring_mpi_init_back() {
    let folder = ordinary();
    assert_eq!(report(&folder, &["--from", "0", "--to", "10us"]), (5_000, of(&[("MPI_Barrier", 1)])));
    let all = [("MPI_Barrier", 1), ("MPI_Init", 1), ("MPI_Initialized", 1)];
    assert_eq!(report(&folder, &["--from", "0", "--to", "10us", "--whole"]), (10_000, of(&all)));
}

#[test]
fn of_several_sessions_the_first_start_and_the_last_end_count() {
    let folder = Folder::new();
    Calls::default()
        .call(on_nobody(Call::Session_init), 0, 1_000)
        .call(on_nobody(Call::Session_finalize), 3_000, 1_000)
        .call(on_nobody(Call::Session_init), 5_000, 1_000)
        .call(on_nobody(Call::Barrier), 7_000, 100)
        .call(on_nobody(Call::Session_finalize), 9_000, 500)
        .write(&folder, 0, 1);
    let inner = [("MPI_Barrier", 1), ("MPI_Session_finalize", 1), ("MPI_Session_init", 1)];
    assert_eq!(report(&folder, &[]), (8_000, of(&inner)));
}

/// Writes a rank's file in a state, with calls of (function, begin, length).
fn write(folder: &Folder, rank: u32, state: u32, calls: &[(Call, u64, u64)]) {
    let mut header = header(rank, 2);
    header.state = state;
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.definitions(&definitions(2, rank as i32)).unwrap();
    let signatures: Vec<Signature> =
        (1..).zip(calls).map(|(number, (of, ..))| signature(number, *of, peer::NONE, 0, 0)).collect();
    file.signatures(0, 0, &signatures).unwrap();
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for (number, (_, begin, length)) in (1..).zip(calls) {
        last = call(&mut words, last, number, BEGIN + begin, *length);
    }
    file.events(0, 0, BEGIN, &words).unwrap();
    folder.write(&traces::folder::file_name(0, rank), &file.into_inner());
}

#[test]
fn a_rank_that_died_before_mpi_finalize_counts_until_its_last_sign_of_life() {
    let folder = Folder::new();
    write(&folder, 0, INITIALIZED, &[(Call::Init, 0, 1_000), (Call::Barrier, 5_000, 2_000)]);
    assert_eq!(report(&folder, &[]), (6_000, of(&[("MPI_Barrier", 1)])));
}

#[test]
fn where_a_rank_has_nothing_but_mpi_init_the_run_is_shown_whole() {
    let folder = Folder::new();
    let calls = [(Call::Init, 0, 1_000), (Call::Barrier, 5_000, 2_000), (Call::Finalize, 9_000, 1_000)];
    write(&folder, 0, INITIALIZED | FINALIZED, &calls);
    write(&folder, 1, 0, &[(Call::Init, 0, 3_000)]);
    let (wall, functions) = report(&folder, &[]);
    assert_eq!((wall, functions), (SECOND, of(&[("MPI_Barrier", 1), ("MPI_Finalize", 1), ("MPI_Init", 2)])));
    let warnings = said(&folder.0, &["report"])["warnings"].to_string();
    assert!(warnings.contains("did not get beyond MPI_Init: all figures include starting"), "{warnings}");
    assert_eq!(report(&folder, &["--rank", "0"]), (8_000, of(&[("MPI_Barrier", 1)])));
}

#[test]
fn a_profile_loses_mpi_init_and_mpi_finalize_and_nothing_else() {
    let folder = Folder::new();
    let mut header = header(0, 1);
    (header.mode, header.ready) = (Mode::Profile as u16, header.begin);
    header.ready.ticks += 300_000;
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    file.thread(0, &blank_block()).unwrap();
    let counted = |call: Call, count: u64, total: u64| {
        let mut entry = ProfileEntry::new_zeroed();
        (entry.signature, entry.call) = (ANY_SIGNATURE, u64::from(call.number()));
        (entry.count, entry.total) = (count, total);
        entry
    };
    let entries = [counted(Call::Init, 1, 300_000), counted(Call::Send, 9, 90), counted(Call::Finalize, 1, 200_000)];
    file.profile(0, 0, &entries).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    assert_eq!(report(&folder, &[]), (SECOND - 500_000, of(&[("MPI_Send", 9)])));
    let all = [("MPI_Finalize", 1), ("MPI_Init", 1), ("MPI_Send", 9)];
    assert_eq!(report(&folder, &["--whole"]), (SECOND, of(&all)));
}

#[test]
fn a_wait_in_mpi_finalize_is_no_wait_state_by_default_and_messages_still_match() {
    let folder = Folder::new();
    let rank = |mine: Signature, at: u64| {
        Calls::default().call(on_nobody(Call::Init), 0, 1_000).call(mine, 2_000 + at, 100).call(
            on_nobody(Call::Finalize),
            50_000,
            1_000,
        )
    };
    rank(send(Call::Send, 1, 8), 10_000).write(&folder, 0, 2);
    rank(signature(0, Call::Recv, 0, 0, 8), 0).write(&folder, 1, 2);
    let check = said(&folder.0, &["check"]);
    let whole = said(&folder.0, &["check", "--whole"]);
    assert_eq!(check["unmatched"], whole["unmatched"]);
    let late = |more: &[&str]| said(&folder.0, &[&["waits"], more].concat())["waits"].clone();
    assert_eq!(late(&[]), late(&["--whole"]), "the wait in MPI_Recv counts either way");
}

#[test]
fn a_rank_that_computes_since_its_last_call_does_so_until_the_end_of_the_time_that_is_asked_about() {
    let sleeper = Sleeper::new();
    let folder = asleep(vec![outside(&[collective(Call::Barrier)]); 2], &sleeper, 5);
    for to in [1, 3] {
        let choice = Choice { to: Some(to * SECOND as i64), no_cache: true, ..Choice::default() };
        let run = Run::select(&folder.0, &choice).unwrap();
        let useful = pop::efficiencies(&run, &account(&run, Follow::DEPENDENCIES)).0.useful;
        // The barrier took a microsecond.
        assert!(useful.iter().all(|useful| (useful - (to as f64 - 1e-6)).abs() < 1e-8), "{useful:?}");
    }
}
