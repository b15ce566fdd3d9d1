//! The runs to damage: those in `traces/samples`, generated ones, and one with a record of every kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use synthetic::{Shape, Topology};
use traces::accesses::{Accesses, Operation};
use traces::calls::Call;
use traces::definitions::{
    AccessedFile, Component, Definition, EqualParts, Group, Interception, Members, Neighbors, Origin, Parts, Region,
    Span,
};
use traces::file::{FileHeader, WITH_ACCESSES};
use traces::progress::{self, Entries};
use traces::record::{self, Arrived, Fate, RecordKind};
use traces::signature::{CREATES, STARTS, Signature};
use traces::teams::{OpenTeam, Teams};
use traces::write::{FileWriter, blank_block};

use crate::common::{BEGIN, Folder, definitions, header, signature};

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

pub fn all() -> Vec<Files> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples");
    let generated = |topology, ranks| {
        let folder = Folder::new();
        synthetic::run(&folder.0, &Shape { ranks, calls: 60, topology, seed: 1 }).unwrap();
        read(&folder.0)
    };
    vec![
        read(&samples.join("integer_sort-openmpi")),
        read(&samples.join("integer_sort-mpich")),
        generated(Topology::Ring, 2),
        generated(Topology::Torus, 4),
        of_all_kinds(),
        of_all_kinds(),
    ]
}

fn read(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(&path).unwrap())).collect()
}

/// Two ranks with a record of every kind, and a definition of every kind that analyses read.
fn of_all_kinds() -> Files {
    let one = |rank: u32| {
        let mut file = FileWriter::begin(Vec::new(), FileHeader { version: WITH_ACCESSES, ..header(rank, 2) }).unwrap();
        file.thread(0, &blank_block()).unwrap();
        file.definitions(&[definitions(2, rank as i32), objects()].concat()).unwrap();
        file.signatures(0, 0, &signatures(1 - rank as i32)).unwrap();
        file.events(0, 0, BEGIN, &records(rank)).unwrap();
        file.thread(1, &blank_block()).unwrap();
        file.signatures(1, 0, &signatures(1 - rank as i32)).unwrap();
        file.events(1, 0, BEGIN, &records(rank)).unwrap();
        (format!("rank-{rank:04}.ovh"), file.into_inner())
    };
    (0..2).map(one).collect()
}

fn objects() -> Vec<Definition> {
    let both = || vec![Span { first: 0, count: 2, step: 1 }];
    vec![
        Definition::Members(Members { communicator: 1, local: both(), remote: Vec::new() }),
        Definition::Group(Group { number: 1, members: both() }),
        Definition::Neighbors(Neighbors { communicator: 1, sources: both(), destinations: both() }),
        Definition::Object(traces::definitions::Object { number: 3, kind: traces::definitions::ObjectKind::Window }),
        Definition::Origin(Origin { number: 3, parent: 1, ordinal: 0 }),
        Definition::AccessedFile(AccessedFile { number: 1, name: "/scratch/state".into() }),
        Definition::Region(Region { number: 1, name: "solve".into() }),
        Definition::Component(Component { number: 2, way: Interception::Opal, name: "opal_progress".into() }),
        Definition::Progress(3),
        Definition::Parts(Parts { number: 1, runs: vec![EqualParts { bytes: 8, count: 2 }] }),
    ]
}

/// One signature each: call, flags, and the number of its object.
const CALLS: [(Call, u16, u32); 21] = [
    (Call::Init, 0, 1),
    (Call::Isend, STARTS, 1),
    (Call::Irecv, STARTS, 1),
    (Call::Waitall, 0, 1),
    (Call::Send_init, CREATES, 1),
    (Call::Recv_init, CREATES, 1),
    (Call::Startall, 0, 1),
    (Call::Psend_init, CREATES, 1),
    (Call::Pready, 0, 1),
    (Call::Iprobe, 0, 1),
    (Call::Sendrecv, 0, 1),
    (Call::Neighbor_alltoall, 0, 1),
    (Call::Alltoallv, 0, 1),
    (Call::Pcontrol, 0, 0),
    (Call::Win_start, 0, 3),
    (Call::Win_post, 0, 3),
    (Call::Win_complete, 0, 3),
    (Call::Win_wait, 0, 3),
    (Call::Win_lock, 0, 3),
    (Call::Win_unlock, 0, 3),
    (Call::Finalize, 0, 1),
];

fn signatures(peer: i32) -> Vec<Signature> {
    let one = |(at, (call, flags, object)): (usize, &(Call, u16, u32))| Signature {
        flags: *flags,
        object: *object,
        source: peer,
        source_tag: 1,
        requests: 2,
        parts: 1,
        ..signature(number(at), *call, peer, 64, 64)
    };
    CALLS.iter().enumerate().map(one).collect()
}

fn number(at: usize) -> u32 {
    at as u32 * 2 + 1
}

fn records(rank: u32) -> Vec<u64> {
    let mut words = Vec::new();
    for (at, (call, ..)) in CALLS.iter().enumerate() {
        words.push(record::short(number(at), 100 + u64::from(rank), 900).unwrap());
        match *call {
            Call::Waitall => {
                words.push(record::requests(RecordKind::Completed, 2, 2));
                words.extend(Arrived { source: 1 - rank as i32, tag: 5, bytes: 32, fate: Fate::Whole }.words());
                words.push(record::failed(3, 77));
            }
            Call::Startall => words.push(record::requests(RecordKind::Started, 2, 2)),
            Call::Psend_init => words.push(record::requests(RecordKind::Freed, 1, 2)),
            Call::Pready => words.push(record::requests(RecordKind::Ready, 1, 1)),
            Call::Iprobe => words.extend(record::elsewhere(RecordKind::Completed, 1, 1, 0)),
            Call::Pcontrol => {
                words.push(record::region(RecordKind::RegionBegin, 10, 1));
                words.extend(record::wide(number(10), 50, 1_000).unwrap());
                words.extend(record::long(number(11), -20, 1 << 30));
                words.push(record::region(RecordKind::RegionEnd, 10, 1));
            }
            Call::Sendrecv => {
                let region =
                    Teams { count: 3, site: 1, threads: 4, end: 900, inside: 800, work: 2_000, ..Teams::default() };
                words.extend(OpenTeam { start: 20, site: 1 }.words(10));
                words.push(record::short(number(10), 20, 30).unwrap());
                words.extend(region.words(10));
                words.extend(Accesses::one(Operation::Write, 1, 1, [20, 90]).words(10));
                words.extend(Accesses::one(Operation::Poll, 1, 0, [90, 95]).words(10));
            }
            _ => words.extend(of_engine(at)),
        }
    }
    words
}

fn of_engine(at: usize) -> Vec<u64> {
    let word = |kind: RecordKind, rest: u64| kind as u64 | rest << 8;
    match at % 8 {
        0 => vec![word(RecordKind::Engine, 3 | 9 << 6 | 400 << 26)],
        1 => vec![word(RecordKind::EngineLong, 90), 3, 400],
        2 => vec![word(RecordKind::Productive, 20 | 30 << 28)],
        3 => vec![word(RecordKind::ProductiveRun, 12), 20, 900],
        4 => vec![word(RecordKind::Outside, 5), 300, 200],
        5 => vec![word(RecordKind::EngineOne, 9 | 400 << 13 | 90 << 33 | 20 << 46)],
        6 => progress::call(1, 5, 600, &Entries { entries: 7, productive: 2, ticks: 300 }).into_iter().collect(),
        _ => vec![word(RecordKind::Polls, u64::from(number(9)) | 4 << 16), 10, 400, 200, 5 | 9 << 32, 2 | 80 << 32],
    }
}
