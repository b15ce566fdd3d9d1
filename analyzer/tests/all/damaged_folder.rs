//! A run's folder that somebody has copied, sorted or cut: each rank counts once, and what is missing is said.

use std::fs;
use std::path::Path;

use examples::fixture;
use serde_json::Value;
use traces::folder::claim;
use traces::write::NodeWriter;

use crate::common::{Folder, overhear, stderr, stdout};

/// A change to the folder of a run of 4 ranks, and what is said of it.
struct Change {
    make: fn(&Path),
    status: i32,
    /// A part of the one new warning; nothing where the figures are those of the whole run and nothing is said.
    said: &'static str,
    /// Calls of MPI_Alltoallv: twenty per rank.
    calls: u64,
}

fn copy(folder: &Path, from: &str, to: &str) {
    fs::copy(folder.join(from), folder.join(to)).unwrap();
}

fn cut(folder: &Path, name: &str, bytes: usize) {
    let whole = fs::read(folder.join(name)).unwrap();
    fs::write(folder.join(name), &whole[..bytes]).unwrap();
}

const CHANGES: [(&str, Change); 13] = [
    ("nothing", Change { make: |_| (), status: 0, said: "", calls: 80 }),
    (
        "a copy under a name of its own",
        Change {
            make: |run| copy(run, "rank-0001.ovh", "rank-0001.bak.ovh"),
            status: 0,
            said: "rank-0001.bak.ovh is left out: it is a copy of rank-0001.ovh",
            calls: 80,
        },
    ),
    (
        "a copy as file managers name it",
        Change {
            make: |run| copy(run, "rank-0001.ovh", "rank-0001 (copy).ovh"),
            status: 0,
            said: "rank-0001 (copy).ovh is left out: it is a copy of rank-0001.ovh",
            calls: 80,
        },
    ),
    (
        "a copy under another rank's name",
        Change {
            make: |run| copy(run, "rank-0001.ovh", "rank-0004.ovh"),
            status: 0,
            said: "rank-0004.ovh is left out: it is a copy of rank-0001.ovh",
            calls: 80,
        },
    ),
    (
        "a copy over another rank's file",
        Change {
            make: |run| copy(run, "rank-0001.ovh", "rank-0002.ovh"),
            status: 4,
            said: "no file from rank 2: no figure includes what they did",
            calls: 60,
        },
    ),
    (
        "two files with each other's name",
        Change {
            make: |run| {
                fs::rename(run.join("rank-0001.ovh"), run.join("x")).unwrap();
                fs::rename(run.join("rank-0002.ovh"), run.join("rank-0001.ovh")).unwrap();
                fs::rename(run.join("x"), run.join("rank-0002.ovh")).unwrap();
            },
            status: 0,
            said: "",
            calls: 80,
        },
    ),
    (
        "a file that is gone",
        Change {
            make: |run| fs::remove_file(run.join("rank-0002.ovh")).unwrap(),
            status: 4,
            said: "no file from rank 2: no figure includes what they did",
            calls: 60,
        },
    ),
    (
        "a file without a byte",
        Change {
            make: |run| cut(run, "rank-0002.ovh", 0),
            status: 4,
            said: "rank-0002.ovh: the file ends after 0 bytes, within its header",
            calls: 60,
        },
    ),
    (
        "a file of its header alone",
        Change {
            make: |run| cut(run, "rank-0002.ovh", 4096),
            status: 4,
            said: "rank-0002.ovh: the file ends behind its header",
            calls: 60,
        },
    ),
    (
        "a file that ends where its last page begins",
        Change {
            make: |run| cut(run, "rank-0002.ovh", 13_824),
            status: 4,
            said: "rank-0002.ovh: thread 0 made a call after its last record",
            calls: 79,
        },
    ),
    (
        "a file that ends where its page of signatures begins",
        Change {
            make: |run| cut(run, "rank-0002.ovh", 9_728),
            status: 4,
            said: "rank-0002.ovh: thread 0 made a call after its last record",
            calls: 60,
        },
    ),
    (
        "a file of a later format",
        Change {
            make: |run| {
                let mut bytes = fs::read(run.join("rank-0002.ovh")).unwrap();
                bytes[8] = 9;
                fs::write(run.join("rank-0002.ovh"), bytes).unwrap();
            },
            status: 4,
            said: "rank-0002.ovh: format version 9, but this overhear reads only up to 4",
            calls: 60,
        },
    ),
    (
        "a file of zeros",
        Change {
            make: |run| {
                let bytes = fs::metadata(run.join("rank-0002.ovh")).unwrap().len();
                fs::write(run.join("rank-0002.ovh"), vec![0; bytes as usize]).unwrap();
            },
            status: 4,
            said: "rank-0002.ovh: the header is damaged: it is zeros",
            calls: 60,
        },
    ),
];

/// Status, warnings, and calls of MPI_Alltoallv.
fn reported(run: &Path) -> (i32, Vec<String>, u64) {
    let output = overhear("report", run, &["--no-cache", "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let calls = json["functions"].as_array().unwrap().iter().find(|row| row["function"] == "MPI_Alltoallv");
    let warnings = json["warnings"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().into()).collect();
    (output.status.code().unwrap(), warnings, calls.unwrap()["calls"].as_u64().unwrap())
}

#[test]
fn whatever_became_of_a_runs_files_each_rank_counts_once_and_what_is_lost_is_said() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    let before = reported(&sample).1;
    for (name, change) in CHANGES {
        let folder = Folder::new();
        for entry in fs::read_dir(&sample).unwrap().map(|entry| entry.unwrap().path()) {
            folder.write(&entry.file_name().unwrap().to_string_lossy(), &fs::read(&entry).unwrap());
        }
        (change.make)(&folder.0);
        let (status, warnings, calls) = reported(&folder.0);
        assert_eq!((status, calls), (change.status, change.calls), "{name}: {warnings:#?}");
        let new: Vec<_> = warnings.iter().filter(|line| !before.contains(line)).collect();
        assert_eq!(new.is_empty(), change.said.is_empty(), "{name}: {new:#?}");
        assert!(change.said.is_empty() || new.iter().any(|line| line.contains(change.said)), "{name}: {new:#?}");
        // The ranks that are watched are the same.
        let top = stdout(&overhear("top", &folder.0, &["--once"]));
        assert!(top.contains("4 ranks") || change.calls < 80, "{name}: {top}");
    }
}

#[test]
fn the_file_of_a_spawned_rank_that_is_gone_is_missed() {
    let folder = Folder::new();
    let run = fixture::unpack("spawns-ompi5", &folder.0.join("unpacked")).run;
    assert_eq!(overhear("report", &run, &[]).status.code(), Some(0));
    fs::remove_file(run.join("world-1-rank-0001.ovh")).unwrap();
    let output = overhear("report", &run, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("no file from rank 1 of spawned world 1: no figure includes what they did"));
}

#[test]
fn a_copy_of_a_node_file_adds_no_rank_and_one_of_another_run_says_so() {
    let folder = Folder::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples/integer_sort-openmpi");
    let node = NodeWriter::begin(&folder.0.join("node-vm.ovh"), "vm").unwrap();
    for rank in 0..4 {
        let bytes = fs::read(sample.join(format!("rank-{rank:04}.ovh"))).unwrap();
        std::io::Write::write_all(&mut node.member(100 + rank, 0, rank).unwrap(), &bytes).unwrap();
    }
    copy(&folder.0, "node-vm.ovh", "node-vm-2.ovh");
    let (status, warnings, calls) = reported(&folder.0);
    assert_eq!((status, calls), (0, 80), "{warnings:#?}");
    assert!(warnings.contains(&"node-vm-2.ovh is left out: it is a copy of node-vm.ovh".into()), "{warnings:#?}");

    let other = Folder::new();
    fs::remove_dir(&other.0).unwrap();
    claim(&other.0, &[9; 16]).unwrap();
    fs::copy(folder.0.join("node-vm.ovh"), other.0.join("node-vm.ovh")).unwrap();
    let output = overhear("report", &other.0, &[]);
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert!(said.contains("all processes are of another run than this folder is (.run)"), "{said}");
}

#[test]
fn an_empty_file_of_a_process_that_is_starting_is_no_damage_for_a_second() {
    let folder = Folder::new();
    let run = fixture::unpack("spawns-ompi5", &folder.0.join("unpacked")).run;
    let starting = run.join("starting-node1-7.ovh");
    let made = |age: u64| {
        let file = fs::File::create(&starting).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        overhear("report", &run, &["--no-cache"])
    };
    assert_eq!((made(0).status.code(), made(5).status.code()), (Some(0), Some(4)));
}
