//! Numbers in a damaged file cost no more memory or time than the file itself.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{BEGIN, Folder, SECOND, definitions, header, overhear, rank, signature, stdout};
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::{Definition, Group, Members, Neighbors, Span};
use traces::file::{FileHeader, Stop};
use traces::record::{self, RecordKind};
use traces::signature::{STARTS, Signature};
use traces::write::{FileWriter, blank_block};

const ANALYSES: [&str; 9] = ["report", "progress", "why", "waits", "path", "pop", "matrix", "imbalance", "check"];

/// Runs an analysis within half a gigabyte and a minute.
fn bounded(analysis: &str, folder: &Path) -> Output {
    let script = "ulimit -v 500000; exec timeout 60 \"$0\" \"$@\"";
    let overhear = env!("CARGO_BIN_EXE_overhear");
    Command::new("sh").args(["-c", script, overhear, analysis]).arg(folder).output().unwrap()
}

fn file(header: FileHeader, more: Vec<Definition>, words: &[u64]) -> Vec<u8> {
    file_of(0, header, more, words)
}

/// A file with one thread.
fn file_of(thread: u32, header: FileHeader, more: Vec<Definition>, words: &[u64]) -> Vec<u8> {
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(thread, &blank_block()).unwrap();
    file.definitions(&[definitions(header.size, header.rank as i32), more].concat()).unwrap();
    let isend = Signature { flags: STARTS, ..signature(5, Call::Isend, 1, 8, 0) };
    let calls = [signature(1, Call::Send, 1, 8, 0), signature(3, Call::Neighbor_alltoall, i32::MIN, 8, 8), isend];
    file.signatures(thread, 0, &calls).unwrap();
    file.events(thread, 0, BEGIN, words).unwrap();
    file.into_inner()
}

#[test]
fn a_world_of_four_thousand_million_ranks_takes_no_room_and_its_missing_ones_are_a_range() {
    let folder = Folder::new();
    for number in [0, 1, 5] {
        folder.write(&format!("rank-{number:04}.ovh"), &rank(header(number, u32::MAX), &[], &[]));
    }
    for analysis in ANALYSES {
        let output = bounded(analysis, &folder.0);
        assert_eq!(output.status.code(), Some(4), "{analysis}: {output:?}");
        assert!(stdout(&output).contains("no file from ranks 2-4, 6-4294967294"), "{analysis}: {}", stdout(&output));
    }
}

#[test]
fn groups_of_four_thousand_million_processes_take_no_room() {
    let spans = || vec![Span { first: 0, count: u32::MAX, step: 1 }; 3];
    let members = Definition::Members(Members { communicator: 1, local: spans(), remote: spans() });
    let group = Definition::Group(Group { number: 1, members: spans() });
    let neighbors = Neighbors { communicator: 1, sources: spans(), destinations: spans() };
    let folder = Folder::new();
    let calls = [record::short(1, 10, 10).unwrap(), record::short(3, 10, 10).unwrap()];
    for number in 0..2 {
        let more = vec![members.clone(), group.clone(), Definition::Neighbors(neighbors.clone())];
        folder.write(&format!("rank-{number:04}.ovh"), &file(header(number, 2), more, &calls));
    }
    for analysis in ANALYSES {
        let output = bounded(analysis, &folder.0);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{analysis}: {output:?}");
    }
}

#[test]
fn numbers_of_threads_and_requests_take_no_room_and_time_may_run_backwards() {
    let words = [
        record::short(5, 10, 10).unwrap(),
        record::elsewhere(RecordKind::Started, 65_535, u32::MAX, u64::MAX)[0],
        u64::MAX,
        record::elsewhere(RecordKind::Completed, 65_535, u32::MAX, u64::MAX - 5)[0],
        u64::MAX - 5,
        // This call begins shortly before the largest possible tick, and the entries after it end past that.
        RecordKind::Long as u64 | 1 << 8,
        (BEGIN + 40).wrapping_neg(),
        0,
        RecordKind::Outside as u64 | 5 << 8,
        0,
        1_000,
        record::short(1, 10, 10).unwrap(),
    ];
    let folder = Folder::new();
    let members = Members { communicator: 1, local: vec![Span { first: 0, count: 2, step: 1 }], remote: Vec::new() };
    for number in 0..2 {
        let bytes = file_of(u32::MAX, header(number, 2), vec![Definition::Members(members.clone())], &words);
        folder.write(&format!("rank-{number:04}.ovh"), &bytes);
    }
    for analysis in ANALYSES {
        let output = bounded(analysis, &folder.0);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{analysis}: {output:?}");
    }
}

#[test]
fn calls_lost_to_a_full_disk_make_every_analysis_end_with_status_4() {
    for (stop, why) in [
        (Stop::NoSpace, "the disk was full"),
        (Stop::Io, "its file could not be written"),
        (Stop::NoMemory, "memory had run out"),
    ] {
        let folder = Folder::new();
        let end = ClockSample { ticks: BEGIN + SECOND, width: 1, monotonic: BEGIN + SECOND, realtime: BEGIN + SECOND };
        let stopped = FileHeader { stop: stop as u32, stopped_at: BEGIN + SECOND / 8, end, ..header(0, 1) };
        folder.write("rank-0000.ovh", &file(stopped, Vec::new(), &[]));
        for analysis in ANALYSES {
            let output = bounded(analysis, &folder.0);
            assert_eq!(output.status.code(), Some(4), "{analysis}: {output:?}");
            let said = stdout(&output).replace("\n  ", " ");
            let wanted = format!("because {why}; its later calls are only in the totals: 87.5 % of its time");
            assert!(said.contains(&wanted), "{analysis}: {said}");
        }
        let first = stdout(&overhear("diagnose", &folder.0, &[]));
        assert!(!first.contains("overhear hang"), "the run has finished: {first}");
    }
}
