//! Runs made by hand, and helpers that run the command on them.

#![allow(dead_code)]

pub mod call_paths;
pub mod drawn;
pub mod dropped;
pub mod exchanging;
pub mod golden;
pub mod growing;
pub mod made;
pub mod named;
pub mod parquet;
pub mod python;
pub mod recorded;
pub mod requests;
pub mod stories;
pub mod sums;
pub mod tables;
pub mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use serde_json::Value;
use traces::calls::Call;
use traces::clock::ClockSample;
use traces::definitions::{Communicator, Definition, Library, Process};
use traces::file::{FINALIZED, FileHeader, INITIALIZED, Level, ThreadBlock};
use traces::signature::Signature;
use traces::write::{FileWriter, blank_block, blank_header, call};

const PREFIX: &str = "overhear-analyzer-test-";

/// Removes the folders of test programs that have ended: those that several tests share are never dropped.
fn remove_left_behind() {
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((process, _)) = name.strip_prefix(PREFIX).and_then(|name| name.split_once('-')) else { continue };
        if !Path::new("/proc").join(process).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A temporary folder of a test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        if number == 0 {
            remove_left_behind();
        }
        let folder = std::env::temp_dir().join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A tick is a nanosecond; recording begins at tick 1000 and lasts a second.
pub const BEGIN: u64 = 1_000;
pub const SECOND: u64 = 1_000_000_000;

/// Header of a rank that finalized MPI.
pub fn header(rank: u32, size: u32) -> FileHeader {
    let sample = |ticks| ClockSample { ticks, width: 1, monotonic: ticks, realtime: ticks };
    FileHeader {
        rank,
        size,
        run: [7; 16],
        state: INITIALIZED | FINALIZED,
        begin: sample(BEGIN),
        end: sample(BEGIN + SECOND),
        ..blank_header()
    }
}

/// Signature of a call on the world with a peer and bytes each way.
pub fn signature(number: u32, call: Call, peer: i32, sent: u64, received: u64) -> Signature {
    Signature { number, call: call.number(), object: 1, peer, tag: 5, sent, received, ..Signature::EMPTY }
}

pub fn definitions(size: u32, rank: i32) -> Vec<Definition> {
    vec![
        Definition::Process(Process { host: "h1".into(), program: "/bin/app".into(), ..Process::default() }),
        Definition::Library(Library {
            version: "Open MPI v4.1.4, package: x".into(),
            path: "/lib/libmpi.so.40".into(),
        }),
        Definition::Communicator(Communicator { number: 1, rank, size, inter: false, name: "MPI_COMM_WORLD".into() }),
        Definition::Filter("-query".into()),
    ]
}

/// A rank's file: signatures, and calls (signature, start, duration) relative to the recording's begin.
pub fn rank(header: FileHeader, signatures: &[Signature], calls: &[(u32, u64, u64)]) -> Vec<u8> {
    rank_with(header, &blank_block(), signatures, |words| {
        let mut last = BEGIN;
        for (signature, start, duration) in calls {
            last = call(words, last, *signature, BEGIN + start, *duration);
        }
    })
}

/// A rank's file with this thread block and any records.
pub fn rank_with(
    header: FileHeader,
    block: &ThreadBlock,
    signatures: &[Signature],
    records: impl FnOnce(&mut Vec<u64>),
) -> Vec<u8> {
    let mut words = Vec::new();
    records(&mut words);
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, block).unwrap();
    file.definitions(&definitions(header.size, header.rank as i32)).unwrap();
    file.signatures(0, 0, signatures).unwrap();
    file.events(0, 0, BEGIN, &words).unwrap();
    file.into_inner()
}

/// Block of a thread inside a call.
pub fn in_call(signature: u64, start: u64) -> ThreadBlock {
    let mut block = blank_block();
    block.depth = 1;
    block.levels[0] = Level { start: BEGIN + start, signature };
    block
}

/// Two ranks: rank 0 sends 100 bytes three times, rank 1 receives them.
pub fn two_ranks() -> Folder {
    let folder = Folder::new();
    let send = [signature(1, Call::Send, 1, 100, 0)];
    let receive = [signature(1, Call::Recv, 0, 0, 100)];
    folder.write("rank-0000.ovh", &rank(header(0, 2), &send, &[(1, 10, 1_000), (1, 5_000, 2_000), (1, 9_000, 3_000)]));
    folder.write(
        "rank-0001.ovh",
        &rank(header(1, 2), &receive, &[(1, 10, 10_000), (1, 20_000, 20_000), (1, 50_000, 30_000)]),
    );
    folder
}

/// Runs an analysis of a folder with these arguments.
pub fn overhear(command: &str, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg(command).arg(folder).args(arguments).output().unwrap()
}

/// Runs `overhear report FOLDER` with these arguments.
pub fn report(folder: &Path, arguments: &[&str]) -> Output {
    overhear("report", folder, arguments)
}

/// The report as JSON.
pub fn json(folder: &Path, by: &str) -> Value {
    let output = report(folder, &["--whole", "--by", by, "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
