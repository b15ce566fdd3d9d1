//! OTF2's own readers find in an exported archive the figures of `report` and of the data set.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

use examples::otf2::{PYTHON, install};
use serde_json::Value;
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, ThreadBlock};
use traces::record::{self, RecordKind};

use crate::common::named::named;
use crate::common::recorded::recorded;
use crate::common::sums::Sums;
use crate::common::tables::{list, table, whole};
use crate::common::{
    BEGIN, Folder, SECOND, header, in_call, overhear, rank_with, signature, stderr, stdout, two_ranks,
};

/// Prints an archive as lists, with names for numbers, and fails if it contradicts itself.
const SCRIPT: &str = include_str!("otf2/read.py");

fn sample(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples").join(of)
}

fn export(run: &Path, out: &Path, arguments: &[&str]) -> Output {
    overhear("export", run, &[&[out.to_str().unwrap(), "--no-cache", "--to", "otf2"], arguments].concat())
}

/// Exports a run, and reads the archive.
fn exported(run: &Path, arguments: &[&str]) -> Value {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| install().unwrap());
    let out = Folder::new();
    let archive = out.0.join("archive");
    let output = export(run, &archive, arguments);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{}", stderr(&output));
    let read = Command::new(PYTHON).args(["-c", SCRIPT]).arg(archive.join("traces.otf2")).output().unwrap();
    assert!(read.status.success(), "{}: {}", run.display(), stderr(&read));
    serde_json::from_slice(&read.stdout).unwrap()
}

fn process(rank: &Value, world: &Value) -> String {
    let spawned = if world == 0 { String::new() } else { format!(" of spawned world {world}") };
    format!("MPI Rank {rank}{spawned}")
}

fn text(of: &Value, key: &str) -> String {
    of[key].as_str().unwrap_or_else(|| panic!("{key}: {of}")).into()
}

/// Runs of these programs, and the sample.
fn runs(programs: &[&str]) -> Vec<(Option<examples::fixture::Fixture>, PathBuf)> {
    let fixtures = programs.iter().flat_map(|program| recorded(program));
    let fixtures = fixtures.map(|fixture| (fixture.run.clone(), Some(fixture)));
    let all = fixtures.chain([(sample("integer_sort-openmpi"), None), (sample("integer_sort-mpich"), None)]);
    all.map(|(run, fixture)| (fixture, run)).collect()
}

#[test]
fn calls_and_their_times_by_rank_and_function_are_those_of_report() {
    let mut ran = 0;
    for (_fixture, run) in
        runs(&["exchange", "regions", "wildcard", "one_sided", "threads", "probing", "spawns", "errors", "jumps"])
    {
        let mut read = Sums::default();
        let archive = exported(&run, &[]);
        for call in list(&archive, "calls").filter(|call| call["never_returned"].is_null()) {
            read.add(text(call, "process"), text(call, "name"), call);
        }
        ran += read.compare(&run, process);
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn every_message_is_a_send_and_a_receive_that_readers_pair() {
    let mut ran = 0;
    for (_fixture, run) in runs(&[
        "exchange",
        "wildcard",
        "persistent",
        "isendrecv",
        "sendrecv",
        "mprobe",
        "threads",
        "short_threads",
        "probing",
        "communicators",
        "connects",
        "spawns",
        "spawns_twice",
        "large_counts",
        "truncated",
        "partitioned",
        "ring",
        "killed_between",
    ]) {
        let archive = exported(&run, &[]);
        assert_eq!(archive["unmatched_receives"], 0, "{}", run.display());
        let bytes = |of: &Value| (of["tag"].as_i64(), whole(of, "sent_bytes"), whole(of, "received_bytes"));
        // A partitioned message begins with its request, and is sent with its last part.
        let by = |of: &Value| (text(of, "sent_by").replace("Pready_range", "Start"), text(of, "received_by"));
        let mut read: Vec<_> = list(&archive, "messages")
            .map(|message| (text(message, "from"), text(message, "to"), bytes(message), by(message)))
            .collect();
        let mut said: Vec<_> = table(&run, "messages", &[])
            .iter()
            .map(|row| {
                let from = process(&row["from_rank"], &row["from_world"]);
                (from, process(&row["rank"], &row["world"]), bytes(row), by(row))
            })
            .collect();
        read.sort();
        said.sort();
        assert_eq!(read, said, "{}", run.display());
        ran += read.len();
    }
    assert!(ran > 1000, "{ran}");
}

#[test]
fn messages_are_sent_before_they_are_received_and_requests_end_once() {
    let mut ran = 0;
    for (_fixture, run) in runs(&["exchange", "late_sender", "overlapped", "persistent_halo"]) {
        let archive = exported(&run, &[]);
        assert_eq!(archive["pending"].as_array().unwrap().len(), 0, "{}", run.display());
        for message in list(&archive, "messages") {
            assert!(whole(message, "begin") <= whole(message, "end"), "{}: {message}", run.display());
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn ranks_parts_in_collective_operations_are_those_of_the_table() {
    let mut ran = 0;
    for (_fixture, run) in runs(&[
        "collectives",
        "nonblocking_collectives",
        "persistent_collectives",
        "in_place",
        "neighborhood",
        "communicators",
        "spawns",
        "one_sided",
        "uneven_parts",
    ]) {
        let archive = exported(&run, &[]);
        let mut read: BTreeMap<(String, String, u64), u64> = BTreeMap::new();
        let mut said = read.clone();
        for part in list(&archive, "collectives") {
            let bytes = whole(part, "sent").max(whole(part, "received"));
            *read.entry((text(part, "process"), text(part, "operation"), bytes)).or_default() += 1;
        }
        for row in table(&run, "collectives", &[]) {
            let Some(operation) = operation(&text(&row, "function")) else { continue };
            *said.entry((process(&row["rank"], &row["world"]), operation, whole(&row, "bytes"))).or_default() += 1;
        }
        assert_eq!(read, said, "{}", run.display());
        ran += read.len();
    }
    assert!(ran > 50, "{ran}");
}

/// OTF2's name of a function's operation.
fn operation(function: &str) -> Option<String> {
    let name = function.trim_start_matches("MPI_").trim_end_matches("_c").trim_end_matches("_init").to_uppercase();
    let made = ["COMM_", "CART_", "GRAPH_", "DIST_", "WIN_", "FILE_", "INTERCOMM_"];
    if name.contains("NEIGHBOR") || ["WIN_FENCE", "WIN_FREE"].contains(&name.as_str()) {
        return None;
    }
    if made.iter().any(|made| name.starts_with(made)) {
        return Some("CREATE_HANDLE".into());
    }
    Some(if Call::named(&function[4..]).unwrap().has(traces::calls::ArgumentKind::NewRequest) {
        name[1..].into()
    } else {
        name
    })
}

#[test]
fn the_root_of_an_operation_is_a_rank_of_its_communicator() {
    let archive = exported(&recorded("late_broadcast")[0].run, &[]);
    let broadcasts: Vec<&Value> = list(&archive, "collectives").filter(|part| part["operation"] == "BCAST").collect();
    assert!(!broadcasts.is_empty() && broadcasts.iter().all(|part| part["root"] == 1), "{broadcasts:?}");
    let all = list(&archive, "collectives").filter(|part| part["operation"] == "BARRIER");
    assert!(all.map(|part| whole(part, "root")).all(|root| root == u64::from(u32::MAX)));
}

#[test]
fn regions_are_those_of_the_table_and_calls_have_roles_and_places() {
    let mut ran = 0;
    for fixture in recorded("regions") {
        let archive = exported(&fixture.run, &[]);
        let mut read: Vec<String> = list(&archive, "regions").map(|region| text(region, "name")).collect();
        let mut said: Vec<String> = table(&fixture.run, "regions", &[]).iter().map(|row| text(row, "region")).collect();
        read.sort();
        said.sort();
        assert_eq!(read, said);
        ran += read.len();
    }
    assert!(ran > 5, "{ran}");
    let archive = exported(&sample("integer_sort-openmpi"), &[]);
    let call = |name| list(&archive, "calls").find(|call| call["name"] == name).unwrap();
    let roles = [
        ("MPI_Barrier", "BARRIER"),
        ("MPI_Alltoallv", "COLL_ALL2ALL"),
        ("MPI_Reduce", "COLL_ALL2ONE"),
        ("MPI_Send", "POINT2POINT"),
    ];
    roles.into_iter().for_each(|(name, role)| assert_eq!(call(name)["role"], role));
    assert!(call("MPI_Barrier")["file"] == "lib.rs" && whole(call("MPI_Barrier"), "line") == 86);
}

#[test]
fn a_part_of_the_run_is_what_the_tables_have_of_it() {
    let run = sample("integer_sort-openmpi");
    let part = ["--rank", "1-2", "--from", "160ms", "--to", "200ms"];
    let archive = exported(&run, &part);
    let rows = table(&run, "calls", &part);
    assert!(!rows.is_empty() && rows.len() == list(&archive, "calls").count());
    // The other ranks remain members of communicators.
    assert_eq!(list(&archive, "processes").count(), 4);
    let part = ["--from", "235ms"];
    let archive = exported(&run, &part);
    assert_eq!(list(&archive, "messages").count(), table(&run, "messages", &part).len());
    assert!(archive["unmatched_sends"] == 0 && archive["unmatched_receives"] == 0, "{archive}");
}

#[test]
fn a_call_that_has_not_returned_lasts_until_its_rank_was_last_known_to_live() {
    let folder = two_ranks();
    let header = FileHeader { state: INITIALIZED, ..header(1, 2) };
    let receive = [signature(1, Call::Recv, 0, 0, 100)];
    let block = ThreadBlock { last_entry: BEGIN + SECOND / 2, ..in_call(1, 20_000) };
    let file = rank_with(header, &block, &receive, |words| {
        traces::write::call(words, BEGIN, 1, BEGIN + 10, 10_000);
    });
    folder.write("rank-0001.ovh", &file);
    let archive = exported(&folder.0, &[]);
    let open: Vec<&Value> = list(&archive, "calls").filter(|call| call["open"] == 1).collect();
    let [open] = open[..] else { panic!("{archive}") };
    assert!(open["name"] == "MPI_Recv" && whole(open, "begin") == 20_000, "{open}");
    assert_eq!(whole(open, "end"), SECOND / 2);
}

#[test]
fn names_with_markup_and_escapes_stay_names() {
    let name = "<b>\u{1b}[2J\"=1+1\u{202e}&amp;";
    let archive = exported(&named(name).0, &[]);
    assert!(list(&archive, "nodes").any(|node| node == name), "{archive}");
    assert!(list(&archive, "regions").all(|region| region["name"] == name));
    assert!(list(&archive, "calls").all(|call| call["file"] == name && call["line"] == 7));
}

#[test]
fn otf2_print_reads_an_archive_without_complaint() {
    install().unwrap();
    let out = Folder::new();
    assert_eq!(export(&sample("integer_sort-mpich"), &out.0, &[]).status.code(), Some(0));
    for what in ["--show-global-defs", "--show-all"] {
        let read = Command::new("otf2-print").arg(what).arg(out.0.join("traces.otf2")).output().unwrap();
        assert!(read.status.success() && read.stderr.is_empty(), "{}", stderr(&read));
        assert!(stdout(&read).contains("MPI_Alltoallv"), "{what}");
    }
}

#[test]
fn an_archive_is_replaced_only_with_force_and_nothing_else_is() {
    let (run, out) = (two_ranks(), Folder::new());
    out.write("mine", b"mine");
    let refused = export(&run.0, &out.0, &[]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--force"), "{refused:?}");
    for _ in 0..2 {
        let written = export(&run.0, &out.0, &["--force"]);
        assert!(written.status.code() == Some(0) && out.0.join("traces.otf2").exists(), "{written:?}");
    }
    assert_eq!(fs::read(out.0.join("mine")).unwrap(), b"mine");
    let refused = export(&run.0, &out.0, &["--force", "--tables", "calls"]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--tables"), "{refused:?}");
    let refused = export(&crate::bad_input::profile().0, &out.0.join("profile"), &[]);
    assert!(stderr(&refused).contains("profile") && !out.0.join("profile").exists(), "{refused:?}");
    let refused = export(&run.0, &out.0.join("mine"), &[]);
    assert!(refused.status.code() == Some(3) && stderr(&refused).contains("mine: Not a directory"), "{refused:?}");
}

#[test]
fn a_library_that_is_missing_or_another_is_said_with_how_to_get_it_and_nothing_is_written() {
    let (run, out) = (two_ranks(), Folder::new());
    let archive = out.0.join("archive");
    out.write("library.so", b"mine");
    let cases = [
        (out.0.join("library.so"), "OVERHEAR_OTF2"),
        (out.0.join("nowhere.so"), "nowhere.so"),
        (PathBuf::from("libm.so.6"), "not OTF2's library of version 3.0 or later"),
    ];
    for (library, said) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.arg("export").arg(&run.0).arg(&archive).args(["--to", "otf2"]).env("OVERHEAR_OTF2", &library);
        let refused = command.output().unwrap();
        assert!(refused.status.code() == Some(3) && stderr(&refused).contains(said), "{refused:?}");
        assert!(!archive.exists());
    }
}

#[test]
fn regions_that_overlap_keep_their_times_and_are_said() {
    let folder = Folder::new();
    for rank in 0..2 {
        let send = [signature(1, Call::Barrier, traces::signature::peer::NONE, 0, 0)];
        let file = rank_with(header(rank, 2), &traces::write::blank_block(), &send, |words| {
            // Region 1 lasts from 10 to 30, region 2 from 20 to 40.
            let events = [
                (RecordKind::RegionBegin, 1),
                (RecordKind::RegionBegin, 2),
                (RecordKind::RegionEnd, 1),
                (RecordKind::RegionEnd, 2),
            ];
            words.extend(events.into_iter().map(|(kind, number)| record::region(kind, 10, number)));
            traces::write::call(words, BEGIN + 40, 1, BEGIN + 50, 10_000);
        });
        folder.write(&format!("rank-000{rank}.ovh"), &file);
    }
    let archive = exported(&folder.0, &[]);
    let mut times: BTreeMap<(String, String), u64> = BTreeMap::new();
    for region in list(&archive, "regions") {
        *times.entry((text(region, "process"), text(region, "name"))).or_default() +=
            whole(region, "end") - whole(region, "begin");
    }
    assert!(times.len() == 4 && times.values().all(|time| *time == 20), "{times:?}");
    assert_eq!(list(&archive, "regions").count(), 6);
    let output = export(&folder.0, &folder.0.join("archive"), &[]);
    assert!(stderr(&output).contains("2 times a region ended inside another"), "{}", stderr(&output));
}

#[test]
fn ranks_of_several_worlds_reduce_to_one_root_and_a_rank_without_a_file_is_a_process() {
    // The spawned ranks come first, so the root, rank 0 of the others, is the third; rank 1 does not know it.
    let archive = exported(&recorded("spawns")[0].run, &[]);
    let reduced = list(&archive, "collectives").filter(|part| part["operation"] == "REDUCE");
    let mut roots: Vec<u64> = reduced.map(|part| whole(part, "root")).collect();
    roots.sort_unstable();
    assert_eq!(roots, [2, 2, 2, u32::MAX.into()]);
    let folder = two_ranks();
    fs::remove_file(folder.0.join("rank-0001.ovh")).unwrap();
    let archive = exported(&folder.0, &[]);
    assert!(list(&archive, "processes").next().is_some_and(|process| process == "MPI Rank 0"), "{archive}");
}

#[test]
fn calls_have_the_functions_on_their_paths_as_calling_contexts() {
    let run = sample("solver");
    let archive = exported(&run, &[]);
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    for call in list(&archive, "calls") {
        let path = list(call, "path").map(|function| function[0].as_str().unwrap().to_string());
        *calls.entry(path.collect::<Vec<_>>().join(";")).or_default() += 1;
    }
    let mut said = BTreeMap::new();
    for row in table(&run, "calls", &[]) {
        *said.entry(text(&row, "function")).or_insert(0) += 1;
    }
    let of_waits = calls.get("main;checkpoint;comm_sum;MPI_Allreduce").copied();
    assert_eq!(of_waits, Some(8), "{calls:?}");
    // Each function has as many calls, whatever path leads to it.
    let mut of_function = BTreeMap::new();
    for (path, count) in calls {
        *of_function.entry(path.rsplit(';').next().unwrap().to_string()).or_insert(0) += count;
    }
    assert_eq!(of_function, said);
    let mut places = list(&archive, "calls").flat_map(|call| list(call, "path"));
    assert!(places.any(|function| *function == serde_json::json!(["comm_sum", "solver.c:53"])));
}

#[test]
fn samples_have_the_calling_contexts_that_they_were_taken_in() {
    let run = sample("solver");
    let archive = exported(&run, &[]);
    let mut read: BTreeMap<(String, String), u64> = BTreeMap::new();
    for one in list(&archive, "samples") {
        let function = list(one, "path").last().unwrap()[0].as_str().unwrap().to_string();
        *read.entry((text(one, "process"), function)).or_default() += 1;
        assert_eq!(one["period"], 1_000_000);
    }
    let mut said = BTreeMap::new();
    for row in table(&run, "samples", &[]).iter().filter(|row| row["function"] == "compute") {
        *said.entry((process(&row["rank"], &row["world"]), "compute".to_string())).or_insert(0) += 1;
    }
    read.retain(|(_, function), _| function == "compute");
    assert!(!said.is_empty());
    assert_eq!(read, said);
}
