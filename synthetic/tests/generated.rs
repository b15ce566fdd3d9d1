//! The truth that a synthetic run reports agrees with its files.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use synthetic::{KnownTotals, KnownWaits, Shape, Topology, Truth, run};
use traces::calls::Call;
use traces::definitions::{Definition, Span};
use traces::file::{FINALIZED, INITIALIZED};
use traces::folder::file_name;
use traces::read::{RankFile, Signatures, Visitor, walk};
use traces::record::{Arrived, RecordKind};
use traces::signature::{STARTS, Signature, peer};

const SHAPE: Shape = Shape { ranks: 12, calls: 5_000, topology: Topology::Torus, seed: 1 };

/// A folder for one test, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("overhear-generated-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A call as read, with the requests that it completed.
struct Read {
    signature: Signature,
    start: u64,
    end: u64,
    completed: Vec<u64>,
    from: Option<Arrived>,
}

struct Reader<'a> {
    signatures: &'a Signatures<'a>,
    calls: Vec<Read>,
    requests: u64,
    /// The signature that began each request, with wildcards replaced by the actual source.
    begun: Vec<Signature>,
    arrived: HashMap<u64, Arrived>,
}

impl Visitor for Reader<'_> {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        let signature = *self.signatures.get(signature).unwrap().0;
        if signature.flags & STARTS != 0 {
            self.begun.push(signature);
            self.requests += 1;
        }
        self.calls.push(Read { signature, start, end: start + duration, completed: Vec::new(), from: None });
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        assert_eq!(kind, RecordKind::Completed);
        let first = self.requests - age;
        self.calls.last_mut().unwrap().completed.extend(first..first + u64::from(count));
    }

    fn arrived(&mut self, arrived: Arrived) {
        let call = self.calls.last_mut().unwrap();
        match call.completed.last() {
            Some(request) => drop(self.arrived.insert(*request, arrived)),
            None => call.from = Some(arrived),
        }
    }
}

/// A rank's calls, and for each request the signature that began it, with wildcards replaced by what arrived.
fn read(file: &RankFile) -> (Vec<Read>, Vec<Signature>) {
    let contents = file.contents();
    assert!(contents.damage.is_empty());
    let thread = &contents.threads[0];
    let mut reader = Reader {
        signatures: &thread.signatures,
        calls: Vec::new(),
        requests: 0,
        begun: Vec::new(),
        arrived: HashMap::new(),
    };
    for page in &thread.pages {
        assert_eq!(page.header.requests, reader.requests);
        assert_eq!(page.base, reader.calls.last().map_or(file.header().begin.ticks, |call| call.end));
        walk(page, &mut reader).unwrap();
    }
    for (request, arrived) in reader.arrived {
        let begun = &mut reader.begun[request as usize];
        assert_eq!((begun.peer, begun.tag, begun.received), (peer::ANY, arrived.tag, arrived.bytes));
        begun.peer = arrived.source;
    }
    (reader.calls, reader.begun)
}

fn files(folder: &Path, ranks: u32) -> Vec<RankFile> {
    (0..ranks).map(|rank| RankFile::open(&folder.join(file_name(0, rank))).unwrap()).collect()
}

/// The calls of a run, side by side.
struct Calls {
    /// The calls of each rank, and the signatures that began its requests.
    ranks: Vec<(Vec<Read>, Vec<Signature>)>,
    /// The world ranks in each rank's communicators, by number.
    members: Vec<HashMap<u32, Vec<i32>>>,
    /// Times at which messages were sent, by source, destination and tag, in order.
    sent: HashMap<(i32, i32, i32), VecDeque<u64>>,
    /// Times at which ranks entered collectives, by members, communicator, function and the number of earlier calls of
    /// it.
    entered: HashMap<Collective, BTreeMap<i32, u64>>,
}

type Collective = (Vec<i32>, u32, u16, usize);

const SENDS: [Call; 2] = [Call::Send, Call::Isend];
const COLLECTIVES: [Call; 3] = [Call::Allreduce, Call::Bcast, Call::Barrier];

impl Calls {
    fn read(folder: &Path, ranks: u32) -> Calls {
        let files = files(folder, ranks);
        let ranks = files.iter().map(read).collect();
        let members = files.iter().map(members).collect();
        let mut calls = Calls { ranks, members, sent: HashMap::new(), entered: HashMap::new() };
        for rank in 0..calls.ranks.len() {
            for call in calls.ranks[rank].0.iter().filter(|call| call.is_one_of(&SENDS)) {
                let message = (rank as i32, call.signature.peer, call.signature.tag);
                calls.sent.entry(message).or_default().push_back(call.start);
            }
            let begun = calls.collectives(rank).into_iter().map(|(collective, call)| (collective, call.start));
            for (collective, start) in begun.collect::<Vec<_>>() {
                calls.entered.entry(collective).or_default().insert(rank as i32, start);
            }
        }
        calls
    }

    /// A rank's collective calls, in order.
    fn collectives(&self, rank: usize) -> Vec<(Collective, &Read)> {
        let mut ordinals: HashMap<(u32, u16), usize> = HashMap::new();
        let calls = self.ranks[rank].0.iter().filter(|call| call.is_one_of(&COLLECTIVES));
        let named = calls.map(|read| {
            let Signature { object, call, .. } = read.signature;
            let ordinal = ordinals.entry((object, call)).or_default();
            *ordinal += 1;
            ((self.members[rank][&object].clone(), object, call, *ordinal), read)
        });
        named.collect()
    }

    /// The time at which the latest of the messages was sent that a call waited for.
    fn awaited(&mut self, rank: usize, call: usize) -> Option<u64> {
        let (calls, begun) = &self.ranks[rank];
        let call = &calls[call];
        let messages: Vec<(i32, i32)> = if call.is_one_of(&[Call::Recv]) {
            let posted = (call.signature.peer, call.signature.tag);
            vec![call.from.map_or(posted, |from| (from.source, from.tag))]
        } else {
            let requests = call.completed.iter().map(|request| &begun[*request as usize]);
            requests.filter(|begun| begun.call == Call::Irecv.number()).map(|begun| (begun.peer, begun.tag)).collect()
        };
        let sent = |(source, tag)| self.sent.get_mut(&(source, rank as i32, tag)).unwrap().pop_front().unwrap();
        messages.into_iter().map(sent).max()
    }

    /// The totals that an analysis finds from the files alone.
    fn totals(&mut self, rank: usize) -> KnownTotals {
        let mut totals = KnownTotals::default();
        for at in 0..self.ranks[rank].0.len() {
            let awaited = self.awaited(rank, at);
            let call = &self.ranks[rank].0[at];
            totals.calls += 1;
            totals.in_mpi += call.end - call.start;
            if call.is_one_of(&SENDS) {
                totals.messages += 1;
                totals.bytes += call.signature.sent;
            }
            if let Some(sent) = awaited {
                waits(&mut totals.late_sender, call, sent);
            }
        }
        for (collective, call) in self.collectives(rank) {
            let entered = &self.entered[&collective];
            assert_eq!(entered.len(), collective.0.len());
            let last = *entered.values().max().unwrap();
            match Call::from_number(collective.2).unwrap() {
                Call::Allreduce => waits(&mut totals.wait_at_nxn, call, last),
                Call::Bcast => waits(&mut totals.late_broadcast, call, entered[&0]),
                _ => waits(&mut totals.wait_at_barrier, call, last),
            }
        }
        totals
    }
}

impl Read {
    fn is_one_of(&self, calls: &[Call]) -> bool {
        calls.iter().any(|call| call.number() == self.signature.call)
    }
}

fn waits(waiting: &mut KnownWaits, call: &Read, until: u64) {
    assert!(until <= call.end, "a call ends after what it waits for has begun");
    if until > call.start {
        waiting.calls += 1;
        waiting.ticks += until - call.start;
    }
}

fn found(folder: &Path, ranks: u32) -> Truth {
    let mut calls = Calls::read(folder, ranks);
    let ranks: Vec<KnownTotals> = (0..ranks as usize).map(|rank| calls.totals(rank)).collect();
    assert!(calls.sent.values().all(VecDeque::is_empty), "every message is received");
    let mut total = KnownTotals::default();
    for rank in &ranks {
        total += *rank;
    }
    Truth { total, ranks }
}

/// The world ranks in each communicator of a rank, by its number.
fn members(file: &RankFile) -> HashMap<u32, Vec<i32>> {
    let mut all = HashMap::new();
    for definition in file.contents().definitions {
        if let Definition::Members(members) = definition {
            let ranks = (0..).map_while(|place| Span::rank(&members.local, place)).collect();
            all.insert(members.communicator, ranks);
        }
    }
    all
}

#[test]
fn what_is_read_back_is_what_was_said_on_grids_and_rings() {
    for (ranks, topology) in [(12, Topology::Torus), (7, Topology::Ring), (5, Topology::Torus), (2, Topology::Torus)] {
        let shape = Shape { ranks, topology, ..SHAPE };
        let folder = Folder::new(&format!("{ranks}"));
        let truth = run(&folder.0, &shape).unwrap();
        assert_eq!(found(&folder.0, ranks), truth, "{shape:?}");
        let KnownTotals { late_sender, wait_at_nxn, late_broadcast, wait_at_barrier, .. } = truth.total;
        for waiting in [late_sender, wait_at_nxn, late_broadcast, wait_at_barrier] {
            assert!(waiting.calls > 0 && waiting.ticks > 0, "{shape:?}: {truth:?}");
        }
    }
}

#[test]
fn a_rank_alone_waits_for_nobody() {
    let folder = Folder::new("alone");
    let truth = run(&folder.0, &Shape { ranks: 1, ..SHAPE }).unwrap();
    assert_eq!(found(&folder.0, 1), truth);
    let KnownTotals { late_sender, wait_at_nxn, late_broadcast, wait_at_barrier, .. } = truth.total;
    assert_eq!([late_sender, wait_at_nxn, late_broadcast, wait_at_barrier], [KnownWaits::default(); 4]);
}

#[test]
fn ranks_make_about_as_many_calls_as_were_asked_for() {
    let folder = Folder::new("calls");
    let truth = run(&folder.0, &SHAPE).unwrap();
    assert!(truth.ranks.iter().all(|rank| rank.calls.abs_diff(SHAPE.calls) < 15), "{truth:?}");
}

#[test]
fn the_same_seed_makes_the_same_files() {
    let (one, same, other) = (Folder::new("one"), Folder::new("same"), Folder::new("other"));
    run(&one.0, &SHAPE).unwrap();
    run(&same.0, &SHAPE).unwrap();
    run(&other.0, &Shape { seed: 2, ..SHAPE }).unwrap();
    let bytes = |folder: &Folder| fs::read(folder.0.join(file_name(0, 3))).unwrap();
    assert!(bytes(&one) == bytes(&same));
    assert!(bytes(&one) != bytes(&other));
}

#[test]
fn a_file_is_as_the_recorder_leaves_it() {
    let folder = Folder::new("file");
    run(&folder.0, &Shape { calls: 100_000, ranks: 2, ..SHAPE }).unwrap();
    for file in files(&folder.0, 2) {
        let header = file.header();
        assert_eq!(header.state, INITIALIZED | FINALIZED);
        assert!(header.begin.ticks < header.ready.ticks && header.ready.ticks < header.end.ticks);
        let contents = file.contents();
        let pages: Vec<u32> = contents.threads[0].pages.iter().map(|page| page.header.units).collect();
        assert_eq!(pages, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        let calls = read(&file).0;
        assert_eq!(calls.first().unwrap().signature.call, Call::Init.number());
        assert_eq!(calls.last().unwrap().signature.call, Call::Finalize.number());
        assert!(calls.windows(2).all(|calls| calls[0].end <= calls[1].start));
        assert!(calls.last().unwrap().end <= header.end.ticks);
    }
}
