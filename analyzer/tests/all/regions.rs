//! Regions and MPI_Pcontrol in runs made by hand select to the tick.

use crate::common;
use std::path::Path;
use std::process::Command;

use model::Run;
use model::levels;

use crate::common::{BEGIN, Folder, SECOND, definitions, header, signature};
use serde_json::{Value, json};
use traces::calls::Call;
use traces::definitions::{Definition, Region};
use traces::file::{FileHeader, Mode, ProfileEntry};
use traces::record::{self, RecordKind};
use traces::signature::{Signature, peer};
use traces::write::{FileWriter, blank_block};
use zerocopy::FromZeros;

/// A thread's actions, with times from the beginning.
enum Did {
    /// A call of a signature, with begin and length.
    Call(u32, u64, u64),
    Begin(u64, u32),
    End(u64, u32),
}
use Did::{Begin, Call as Called, End};

const OUTER: u32 = 1;
const INNER: u32 = 2;

/// A rank's file with its threads' actions.
fn file(header: FileHeader, signatures: &[Signature], threads: &[&[Did]]) -> Vec<u8> {
    let mut all = definitions(header.size, header.rank as i32);
    for (number, name) in [(OUTER, "outer"), (INNER, "inner")] {
        all.push(Definition::Region(Region { number, name: name.into() }));
    }
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.definitions(&all).unwrap();
    for (thread, did) in (0..).zip(threads) {
        file.thread(thread, &blank_block()).unwrap();
        file.signatures(thread, 0, signatures).unwrap();
        file.events(thread, 0, BEGIN, &words(did)).unwrap();
    }
    file.into_inner()
}

fn words(did: &[Did]) -> Vec<u64> {
    let (mut words, mut last) = (Vec::new(), BEGIN);
    for did in did {
        let (at, kind, number) = match did {
            Called(signature, start, duration) => {
                last = traces::write::call(&mut words, last, *signature, BEGIN + start, *duration);
                continue;
            }
            Begin(at, number) => (BEGIN + at, RecordKind::RegionBegin, *number),
            End(at, number) => (BEGIN + at, RecordKind::RegionEnd, *number),
        };
        words.push(record::region(kind, at - last, number));
        last = at;
    }
    words
}

fn said(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = command.args(arguments).arg(folder).args(["--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Nanoseconds of wall time, and calls of a rank.
fn wall_and_calls(said: &Value) -> (u64, u64) {
    let row = &said["ranks"][0];
    let calls = said["rank_functions"].as_array().into_iter().flatten().filter_map(|row| row["calls"].as_u64()).sum();
    ((row["wall_time_s"].as_f64().unwrap() * 1e9).round() as u64, calls)
}

fn by_rank(folder: &Folder, region: Option<&str>) -> (u64, u64) {
    let mut arguments = vec!["report", "--by", "rank"];
    arguments.extend(region.into_iter().flat_map(|region| ["--region", region]));
    wall_and_calls(&said(&folder.0, &arguments))
}

fn one(did: &[&[Did]]) -> Folder {
    let folder = Folder::new();
    let pcontrol =
        |number, level| Signature { source_tag: level, ..signature(number, Call::Pcontrol, peer::NONE, 0, 0) };
    let signatures =
        [signature(1, Call::Barrier, peer::NONE, 0, 0), pcontrol(2, 0), pcontrol(3, 1), pcontrol(4, 2), pcontrol(5, 3)];
    folder.write("rank-0000.ovh", &file(header(0, 1), &signatures, did));
    folder
}

#[test]
fn a_call_is_in_the_regions_in_which_it_begins() {
    let folder = one(&[&[
        Called(1, 100, 50),
        Begin(1_000, OUTER),
        Called(1, 1_000, 10),
        Begin(2_000, INNER),
        Called(1, 2_500, 10),
        End(3_000, INNER),
        Called(1, 3_000, 10),
        Begin(3_500, OUTER),
        End(4_000, OUTER),
        Called(1, 4_100, 100),
        End(5_000, OUTER),
        Called(1, 6_000, 10),
        End(7_000, OUTER),
    ]]);
    assert_eq!(by_rank(&folder, Some("outer")), (4_000, 4));
    assert_eq!(by_rank(&folder, Some("inner")), (1_000, 1));
    assert_eq!(by_rank(&folder, None), (SECOND, 6));
    let regions = said(&folder.0, &["report", "--by", "region"])["regions"].clone();
    let of = |name: &str| regions.as_array().unwrap().iter().find(|row| row["region"] == name).unwrap().clone();
    let ticks = |row: &Value| (row["time_max_s"].as_f64().unwrap() * 1e9).round() as u64;
    let rows = ["outer", "inner", "(none)"].map(of);
    assert_eq!(rows.each_ref().map(ticks), [3_000, 1_000, SECOND - 4_000]);
    assert_eq!(rows.map(|row| row["calls"].clone()), [json!(3), json!(1), json!(2)]);
    let inside = said(&folder.0, &["report", "--by", "region", "--region", "outer"])["regions"].clone();
    assert_eq!(inside.as_array().unwrap().len(), 2, "{inside}");
}

#[test]
fn a_thread_without_regions_is_in_those_of_the_first_one_and_may_leave_them() {
    let worker = [Called(1, 500, 10), Called(1, 1_500, 10), End(2_000, OUTER), Called(1, 2_500, 10)];
    let folder = one(&[&[Begin(1_000, OUTER), Called(1, 1_200, 10), Called(1, 2_600, 10)], &worker]);
    let report = said(&folder.0, &["report", "--by", "rank", "--region", "outer"]);
    assert_eq!(wall_and_calls(&report), (1_000, 2));
    let own = one(&[&[Begin(1_000, OUTER), Called(1, 1_200, 10)], &[Begin(100, INNER), Called(1, 1_500, 10)]]);
    assert_eq!(by_rank(&own, Some("outer")).1, 1);
    assert_eq!(by_rank(&own, Some("inner")).1, 1);
}

#[test]
fn nothing_counts_from_level_0_to_level_1_nor_before_the_last_level_2() {
    let out = |folder: &Folder| said(&folder.0, &["report"])["run"]["taken_out_max_s"].as_f64();
    let nanoseconds = |seconds: Option<f64>| seconds.map(|seconds| (seconds * 1e9).round() as u64);
    let stopped = one(&[
        &[Called(1, 100, 10), Called(2, 1_000, 10), Called(1, 1_500, 10), Called(2, 1_600, 10), Called(3, 2_000, 10)],
        &[Called(1, 1_700, 10), Called(1, 2_010, 10)],
    ]);
    assert_eq!((by_rank(&stopped, None), nanoseconds(out(&stopped))), ((SECOND - 1_010, 2), Some(1_010)));
    let forgotten = one(&[&[
        Called(4, 50, 10),
        Called(1, 100, 10),
        Called(2, 150, 10),
        Called(4, 1_000, 10),
        Called(1, 1_020, 10),
    ]]);
    assert_eq!((by_rank(&forgotten, None), nanoseconds(out(&forgotten))), ((0, 0), Some(SECOND)));
    let went_on = one(&[&[
        Called(1, 100, 10),
        Called(4, 1_000, 10),
        Called(1, 1_010, 10),
        Called(5, 1_100, 10),
        Called(3, 1_200, 10),
    ]]);
    assert_eq!((by_rank(&went_on, None), nanoseconds(out(&went_on))), ((SECOND - 1_010, 3), Some(1_010)));
    let nothing = one(&[&[Called(3, 100, 10), Called(5, 200, 10), Called(1, 300, 10)]]);
    assert_eq!((by_rank(&nothing, None), out(&nothing)), ((SECOND, 3), None));
}

#[test]
fn of_a_profile_the_header_says_what_was_taken_out_and_no_region_has_its_calls() {
    let folder = Folder::new();
    let header = FileHeader {
        mode: Mode::Profile as u16,
        profile_begin: BEGIN + 1_000,
        profile_stopped: 200,
        profile_stopped_at: BEGIN + SECOND - 50,
        ..header(0, 1)
    };
    let signatures = [signature(1, Call::Barrier, peer::NONE, 0, 0), signature(2, Call::Pcontrol, peer::NONE, 0, 0)];
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    file.definitions(&[Definition::Region(Region { number: OUTER, name: "outer".into() })]).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.signatures(0, 0, &signatures).unwrap();
    file.profile(0, 0, &[ProfileEntry { signature: 1, count: 7, total: 70, ..ProfileEntry::new_zeroed() }]).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    assert_eq!(by_rank(&folder, None), (SECOND - 1_250, 7));
    let report = said(&folder.0, &["report", "--by", "rank", "--region", "outer"]);
    assert_eq!(wall_and_calls(&report), (0, 0));
    assert!(report["warnings"].to_string().contains("whose calls belong to no region"), "{}", report["warnings"]);
}

#[test]
fn a_region_that_no_rank_has_is_an_error_that_names_the_nearest() {
    let folder = one(&[&[Begin(100, OUTER), Called(1, 200, 10)]]);
    for command in ["report", "why", "waits", "path", "pop", "check", "imbalance", "matrix", "progress"] {
        let mut overhear = Command::new(env!("CARGO_BIN_EXE_overhear"));
        let output = overhear.arg(command).arg(&folder.0).args(["--region", "otter"]).output().unwrap();
        let stderr = common::stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(
            stderr.contains("no region is called otter. The nearest one is outer; there are inner, outer."),
            "{stderr}"
        );
    }
}

#[test]
fn a_persistent_request_counts_where_it_is_started() {
    let folder = Folder::new();
    let init = Signature { flags: traces::signature::CREATES, ..signature(1, Call::Send_init, 0, 100, 0) };
    let start = Signature { requests: 1, ..signature(2, Call::Start, peer::NONE, 0, 0) };
    let (mut words, mut last) = (Vec::new(), traces::write::call(&mut Vec::new(), BEGIN, 1, BEGIN + 10, 5));
    traces::write::call(&mut words, BEGIN, 1, BEGIN + 10, 5);
    for (at, region) in [(100, OUTER), (200, OUTER), (300, INNER)] {
        words.push(record::region(RecordKind::RegionBegin, BEGIN + at - last, region));
        last = traces::write::call(&mut words, BEGIN + at, 2, BEGIN + at + 10, 5);
        words.push(record::requests(RecordKind::Started, 1, 1 + (at - 100) / 100));
        words.push(record::region(RecordKind::RegionEnd, 5, region));
        last += 5;
    }
    let mut file = FileWriter::begin(Vec::new(), header(0, 1)).unwrap();
    file.definitions(&definitions(1, 0)).unwrap();
    let region = |number, name: &str| Definition::Region(Region { number, name: name.into() });
    let world = traces::definitions::Span { first: 0, count: 1, step: 1 };
    let members = traces::definitions::Members { communicator: 1, local: vec![world], remote: Vec::new() };
    file.definitions(&[region(OUTER, "outer"), region(INNER, "inner"), Definition::Members(members)]).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file.signatures(0, 0, &[init, start]).unwrap();
    file.events(0, 0, BEGIN, &words).unwrap();
    folder.write("rank-0000.ovh", &file.into_inner());
    let of = |region: &str| {
        let matrix = said(&folder.0, &["matrix", "--region", region]);
        (matrix["run"]["messages"].as_u64(), matrix["run"]["message_bytes"].as_u64())
    };
    assert_eq!([of("outer"), of("inner")], [(Some(2), Some(200)), (Some(1), Some(100))]);
}

/// Ticks between the begins of many regions.
const STEP: u64 = 100;
const MANY: u64 = 100_000;

/// A rank with these actions.
fn did_by(threads: &[&[Did]]) -> Folder {
    let folder = Folder::new();
    let barrier = signature(1, Call::Barrier, peer::NONE, 0, 0);
    folder.write("rank-0000.ovh", &file(header(0, 1), &[barrier], threads));
    folder
}

#[test]
fn of_very_many_regions_each_is_found_however_they_begin_and_end() {
    let calls = |at: u64| Called(1, at * STEP + 10, 5);
    let one_after_another: Vec<Did> =
        (1..=MANY).flat_map(|at| [Begin(at * STEP, INNER), calls(at), End(at * STEP + 50, INNER)]).collect();
    assert_eq!(by_rank(&did_by(&[&one_after_another]), Some("inner")), (MANY * 50, MANY));
    // None of them ends.
    let inside_each_other: Vec<Did> = (1..=MANY).flat_map(|at| [Begin(at * STEP, OUTER), calls(at)]).collect();
    let all = SECOND - STEP;
    assert_eq!(by_rank(&did_by(&[&inside_each_other]), Some("outer")), (all, MANY));
    assert_eq!(by_rank(&did_by(&[&inside_each_other]), Some("inner")).1, 0);
    // Another thread leaves each, in the order in which they began.
    let begins: Vec<Did> = (1..=MANY).map(|at| Begin(at * STEP, INNER)).collect();
    let ends: Vec<Did> = (1..=MANY).map(|at| End((MANY + at) * STEP, INNER)).collect();
    assert_eq!(by_rank(&did_by(&[&begins, &ends]), Some("inner")), (2 * MANY * STEP - STEP, 0));
}

#[test]
fn of_more_regions_than_are_shown_the_longest_are_and_all_are_counted() {
    let of = |regions: u64| {
        // The regions in the middle are the shortest.
        let length = |at: u64| 1 + at.abs_diff(regions / 2);
        let did: Vec<Did> =
            (1..=regions).flat_map(|at| [Begin(at * 10_000, INNER), End(at * 10_000 + length(at), INNER)]).collect();
        let folder = did_by(&[&did]);
        let run = Run::load(&folder.0).unwrap();
        levels::regions(&run.ranks[0], &run.common_clock().lines[0], i64::MAX, (0, i64::MAX))
    };
    let (spans, count) = of(1_999);
    assert_eq!((spans.len(), count), (1_999, 1_999));
    let (spans, count) = of(2_100);
    assert_eq!((spans.len(), count), (2_000, 2_100));
    assert!(spans.iter().all(|span| span.to - span.from > 50) && spans.is_sorted_by_key(|span| span.from));
}
