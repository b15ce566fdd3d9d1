//! Perfetto's own message classes find in an exported trace the figures of `report` and of the data set.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

use examples::wheel::PERFETTO;
use serde_json::Value;
use traces::calls::Call;
use traces::file::{FileHeader, INITIALIZED, ThreadBlock};

use crate::common::named::named;
use crate::common::recorded::recorded;
use crate::common::sums::Sums;
use crate::common::tables::{list, table, whole};
use crate::common::{
    BEGIN, Folder, SECOND, header, in_call, overhear, rank_with, signature, stderr, stdout, two_ranks,
};

/// Prints a trace as lists of the events on its tracks, with names for numbers.
const SCRIPT: &str = r#"
import json, sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
trace = Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
lists = ["event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values"]
names = {of: {} for of in lists}
functions, frames, callstacks = {}, {}, {}
tracks, slices, instants, open_slices = {}, [], [], {}
clocks = {clock.clock_id: clock.timestamp for packet in trace.packet for clock in packet.clock_snapshot.clocks}
for packet in trace.packet:
    assert packet.IsInitialized() and packet.trusted_packet_sequence_id == 1
    for of in lists:
        for name in getattr(packet.interned_data, of):
            assert name.iid not in names[of]
            names[of][name.iid] = name.str.decode() if of == lists[3] else name.name
    for function in packet.interned_data.function_names:
        functions[function.iid] = function.str.decode()
    for frame in packet.interned_data.frames:
        frames[frame.iid] = functions[frame.function_name_id]
    for callstack in packet.interned_data.callstacks:
        assert callstack.iid not in callstacks
        callstacks[callstack.iid] = ";".join(frames[frame] for frame in callstack.frame_ids)
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        assert track.uuid not in tracks and (track.parent_uuid == 0 or track.parent_uuid in tracks)
        above = tracks.get(track.parent_uuid)
        tracks[track.uuid] = {
            "name": track.thread.thread_name or track.process.process_name or track.name,
            "process": above["process"] if above else track.process.process_name,
            "ids": [track.process.pid, track.thread.tid] if not track.name else None,
            "until": 0,
        }
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    if event.type == TrackEvent.TYPE_SLICE_END:
        slice = open_slices.pop(event.track_uuid)
        slice["end"] = packet.timestamp
        tracks[event.track_uuid]["until"] = max(tracks[event.track_uuid]["until"], packet.timestamp)
        slices.append(slice)
        continue
    one = {
        "track": tracks[event.track_uuid]["name"],
        "process": tracks[event.track_uuid]["process"],
        "name": names["event_names"][event.name_iid],
        "category": names["event_categories"][event.category_iids[0]],
        "begin": packet.timestamp,
        "flows": list(event.flow_ids),
        "ended_flows": list(event.terminating_flow_ids),
        "callstack": callstacks[event.callstack_iid] if event.HasField("callstack_iid") else None,
    }
    for argument in event.debug_annotations:
        kind = argument.WhichOneof("value")
        value = getattr(argument, kind)
        one[names["debug_annotation_names"][argument.name_iid]] = names[lists[3]][value] if kind.endswith("_iid") else value
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        assert event.track_uuid not in open_slices and tracks[event.track_uuid]["until"] <= packet.timestamp, one
        open_slices[event.track_uuid] = one
    else:
        instants.append(one)
assert not open_slices
ids = [tuple(track["ids"]) for track in tracks.values() if track["ids"]]
assert len(set(ids)) == len(ids)
print(json.dumps({"clocks": clocks, "slices": slices, "instants": instants, "processes": sorted({track["process"] for track in tracks.values()})}))
"#;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi")
}

fn export(run: &Path, out: &Path, arguments: &[&str]) -> Output {
    overhear("export", run, &[&[out.to_str().unwrap(), "--no-cache", "--to", "perfetto"], arguments].concat())
}

/// Exports a run, and reads the trace.
fn exported(run: &Path, arguments: &[&str]) -> Value {
    let out = Folder::new();
    let file = out.0.join("run.pftrace");
    let output = export(run, &file, arguments);
    assert!(matches!(output.status.code(), Some(0 | 4)), "{}", stderr(&output));
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| PERFETTO.iter().for_each(|wheel| wheel.install().unwrap()));
    let path = env::join_paths(PERFETTO.iter().map(|wheel| wheel.folder())).unwrap();
    let read = Command::new("python3").env("PYTHONPATH", path).args(["-c", SCRIPT]).arg(&file).output().unwrap();
    assert!(read.status.success(), "{}: {}", run.display(), stderr(&read));
    serde_json::from_slice(&read.stdout).unwrap()
}

#[test]
fn the_time_of_the_systems_clock_at_zero_is_in_the_trace() {
    let run = two_ranks();
    let trace = exported(&run.0, &[]);
    // By their headers, the ranks' own ticks are nanoseconds of the system's clock.
    assert_eq!(trace["clocks"]["6"], 0, "{}", trace["clocks"]);
    let zero = whole(&trace["clocks"], "1");
    let first = list(&trace, "slices").filter(is_call).map(|slice| whole(slice, "begin")).min().unwrap();
    let said = table(&run.0, "calls", &[]).iter().map(|call| whole(call, "start_ticks")).min().unwrap();
    assert_eq!((zero + first, zero), (said, BEGIN));
}

fn is_call(slice: &&Value) -> bool {
    slice["name"].as_str().unwrap().starts_with("MPI_")
}

#[test]
fn calls_and_their_times_by_rank_and_function_are_those_of_report() {
    let programs = ["exchange", "regions", "wildcard", "one_sided", "threads", "probing", "spawns", "errors"];
    let fixtures: Vec<_> = programs.iter().flat_map(|program| recorded(program)).collect();
    let runs = fixtures.iter().map(|fixture| fixture.run.clone()).chain([sample()]);
    let mut ran = 0;
    for run in runs {
        let mut read = Sums::default();
        let trace = exported(&run, &[]);
        for slice in list(&trace, "slices").filter(is_call).filter(|slice| slice["never_returned"].is_null()) {
            let text = |key: &str| slice[key].as_str().unwrap().to_string();
            read.add(text("process").split(" (").next().unwrap().into(), text("name"), slice);
        }
        ran += read.compare(&run, |rank, world| match world.as_u64() {
            Some(0) => format!("rank {rank}"),
            _ => format!("rank {rank} of spawned world {world}"),
        });
    }
    assert!(ran > 100, "{ran}");
}

#[test]
fn every_message_is_one_arrow_from_where_it_was_sent_to_where_it_was_received() {
    let fixtures: Vec<_> =
        ["exchange", "wildcard", "persistent"].iter().flat_map(|program| recorded(program)).collect();
    let mut ran = 0;
    for run in fixtures.iter().map(|fixture| fixture.run.clone()).chain([sample()]) {
        let trace = exported(&run, &[]);
        let mut ends: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
        for end in list(&trace, "instants").filter(|instant| instant["category"] != "sample") {
            assert_eq!(end["track"], "messages");
            let flows: Vec<u64> =
                list(end, "flows").chain(list(end, "ended_flows")).map(|flow| flow.as_u64().unwrap()).collect();
            assert_eq!(flows.len(), 1, "{end}");
            ends.entry(flows[0]).or_default().push(end);
        }
        let mut read: Vec<_> = ends
            .values()
            .map(|ends| {
                let [sent, received] = ends[..] else { panic!("{ends:?}") };
                assert!(whole(sent, "begin") <= whole(received, "begin"), "{ends:?}");
                assert!(sent["process"].as_str().unwrap().contains(received["name"].as_str().unwrap().split_at(5).1));
                let text = |end: &Value, key: &str| end[key].as_str().unwrap().to_string();
                (
                    text(sent, "name"),
                    text(received, "name"),
                    text(sent, "sent_at"),
                    whole(received, "bytes"),
                    sent["tag"].clone().as_i64(),
                )
            })
            .collect();
        let mut said: Vec<_> = table(&run, "messages", &[])
            .iter()
            .map(|row| {
                let rank = |way: &str, key: &str| format!("{way} rank {}", row[key]);
                let at = row["sent_at"].as_str().unwrap().to_string();
                (rank("to", "rank"), rank("from", "from_rank"), at, whole(row, "received_bytes"), row["tag"].as_i64())
            })
            .collect();
        read.sort();
        said.sort();
        assert_eq!(read, said, "{}", run.display());
        ran += read.len();
    }
    assert!(ran > 20, "{ran}");
}

#[test]
fn waits_add_up_to_what_waits_says_and_regions_are_those_of_the_table() {
    let (mut waits, mut regions) = (0, 0);
    let fixtures: Vec<_> = ["late_sender", "regions", "nxn"].iter().flat_map(|program| recorded(program)).collect();
    for run in fixtures.iter().map(|fixture| &fixture.run) {
        let trace = exported(run, &[]);
        let of = |category: &'static str| list(&trace, "slices").filter(move |slice| slice["category"] == category);
        let read: u64 = of("wait state").map(|slice| whole(slice, "end") - whole(slice, "begin")).sum();
        let output = overhear("waits", run, &["--no-cache", "--format", "json"]);
        let said: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let said: f64 = list(&said, "waits").map(|row| row["wait_s"].as_f64().unwrap()).sum();
        assert!((read as f64 / 1e9 - said).abs() < 1e-6 + 1e-6 * said, "{}: {read} {said}", run.display());
        waits += of("wait state").count();
        assert_eq!(of("region").count(), table(run, "regions", &[]).len());
        regions += of("region").count();
    }
    assert!(waits > 5 && regions > 5, "{waits} {regions}");
}

#[test]
fn calls_and_samples_have_the_functions_that_led_to_them_as_call_stacks() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/solver");
    let trace = exported(&run, &[]);
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for call in list(&trace, "slices").filter(is_call) {
        let callstack = call["callstack"].as_str().unwrap();
        assert_eq!(callstack.rsplit(';').next(), call["name"].as_str());
        *calls.entry(callstack).or_default() += 1;
    }
    assert_eq!(calls.get("main;checkpoint;comm_sum;MPI_Allreduce"), Some(&8), "{calls:?}");

    let (mut all, mut in_compute) = (0, 0);
    for sample in list(&trace, "instants").filter(|instant| instant["category"] == "sample") {
        let time = sample["processor_time_ns"].as_i64().unwrap();
        all += time;
        in_compute += if sample["callstack"].as_str().unwrap().ends_with(";compute") { time } else { 0 };
    }
    let rows = table(&run, "samples", &[]);
    let nanoseconds = |row: &Value| (row["time_s"].as_f64().unwrap() * 1e9).round() as i64;
    let said: i64 = rows.iter().filter(|row| row["function"] == "compute").map(nanoseconds).sum();
    assert!(said > 400_000_000, "{said}");
    assert_eq!((all, in_compute), (rows.iter().map(nanoseconds).sum(), said));
}

#[test]
fn a_part_of_the_run_is_what_the_tables_have_of_it() {
    let run = sample();
    let part = ["--rank", "1-2", "--from", "160ms", "--to", "200ms"];
    let trace = exported(&run, &part);
    let rows = table(&run, "calls", &part);
    assert!(!rows.is_empty() && rows.len() == list(&trace, "slices").filter(is_call).count());
    assert_eq!(list(&trace, "processes").count(), 2);
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
    let trace = exported(&folder.0, &[]);
    let open: Vec<&Value> = list(&trace, "slices").filter(|slice| slice["open"] == true).collect();
    let [open] = open[..] else { panic!("{trace}") };
    assert!(open["name"] == "MPI_Recv" && whole(open, "begin") == 20_000, "{open}");
    assert_eq!(whole(open, "end"), SECOND / 2);
}

#[test]
fn names_with_markup_and_escapes_stay_names() {
    let name = "<b>\u{1b}[2J\"=1+1\u{202e}&amp;";
    let trace = exported(&named(name).0, &[]);
    assert!(list(&trace, "processes").all(|process| process.as_str().unwrap().ends_with(&format!(" ({name})"))));
    let call = list(&trace, "slices").find(is_call).unwrap();
    assert!(call["object"] == name && call["call_site"] == format!("{name} ({name}:7)").as_str(), "{call}");
    assert!(list(&trace, "slices").any(|slice| slice["category"] == "region" && slice["name"] == name));
}

#[test]
fn a_file_that_is_there_is_replaced_only_with_force_and_tables_are_refused() {
    let (run, out) = (two_ranks(), Folder::new());
    out.write("mine", b"mine");
    let file = out.0.join("mine");
    let refused = export(&run.0, &file, &[]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--force"), "{refused:?}");
    let refused = export(&run.0, &file, &["--force", "--tables", "calls"]);
    assert!(refused.status.code() == Some(2) && stderr(&refused).contains("--tables"), "{refused:?}");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    let replaced = export(&run.0, &file, &["--force"]);
    assert!(replaced.status.code() == Some(0) && fs::read(&file).unwrap() != b"mine", "{replaced:?}");
    let refused = export(&crate::bad_input::profile().0, &out.0.join("profile"), &[]);
    assert!(stderr(&refused).contains("profile") && !out.0.join("profile").exists(), "{refused:?}");
}
