//! Exports of call paths: folded stacks, speedscope, pprof and the data set.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::common::call_paths::{planted, text};
use crate::common::{Folder, overhear};

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
