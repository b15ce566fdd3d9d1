//! A small file to read back, and its expected content.

use traces::accesses::Accesses;
use traces::calls::Call;
use traces::file::FileHeader;
use traces::progress::{Entries, EntryRun, Polls};
use traces::read::{RankFile, Visitor, walk};
use traces::record::{Arrived, Content, RecordKind, Sample, Unsampled};
use traces::signature::{STARTS, Signature};
use traces::teams::{OpenTeam, Teams};
use traces::write::{FileWriter, blank_block, blank_header, call};

/// Everything that a page contains, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Said {
    Call(u32, u64, u64),
    Arrived(Arrived),
    Content(Content),
    Requests(RecordKind, u32, u64),
    Elsewhere(RecordKind, u32, u32, u64),
    Failed(u16, i32),
    Engine(Entries),
    Productive(EntryRun),
    Outside(EntryRun),
    Polls(Polls),
    Region(RecordKind, u64, u32),
    FoundComplete(u64, u64),
    Sample(u64, Sample),
    Sampled(u64),
    Unsampled(Unsampled),
    OnProcessor(u64),
    Teams(Teams),
    OpenTeam(OpenTeam),
    Accesses(Accesses),
}

#[derive(Default)]
pub struct Listener(pub Vec<Said>);

impl Visitor for Listener {
    fn call(&mut self, signature: u32, start: u64, duration: u64) {
        self.0.push(Said::Call(signature, start, duration));
    }

    fn arrived(&mut self, arrived: Arrived) {
        self.0.push(Said::Arrived(arrived));
    }

    fn content(&mut self, content: Content) {
        self.0.push(Said::Content(content));
    }

    fn requests(&mut self, kind: RecordKind, count: u32, age: u64) {
        self.0.push(Said::Requests(kind, count, age));
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, thread: u32, number: u64) {
        self.0.push(Said::Elsewhere(kind, count, thread, number));
    }

    fn failed(&mut self, class: u16, code: i32) {
        self.0.push(Said::Failed(class, code));
    }

    fn engine(&mut self, during: Entries) {
        self.0.push(Said::Engine(during));
    }

    fn productive(&mut self, run: &EntryRun) {
        self.0.push(Said::Productive(*run));
    }

    fn outside(&mut self, run: &EntryRun) {
        self.0.push(Said::Outside(*run));
    }

    fn polls(&mut self, polls: &Polls) {
        self.0.push(Said::Polls(*polls));
    }

    fn region(&mut self, kind: RecordKind, at: u64, number: u32) {
        self.0.push(Said::Region(kind, at, number));
    }

    fn found_complete(&mut self, at: u64, age: u64) {
        self.0.push(Said::FoundComplete(at, age));
    }

    fn sample(&mut self, at: u64, sample: Sample) {
        self.0.push(Said::Sample(at, sample));
    }

    fn sampled(&mut self, periods: u64) {
        self.0.push(Said::Sampled(periods));
    }

    fn unsampled(&mut self, periods: Unsampled) {
        self.0.push(Said::Unsampled(periods));
    }

    fn on_processor(&mut self, nanoseconds: u64) {
        self.0.push(Said::OnProcessor(nanoseconds));
    }

    fn teams(&mut self, teams: &Teams) {
        self.0.push(Said::Teams(*teams));
    }

    fn open_team(&mut self, team: OpenTeam) {
        self.0.push(Said::OpenTeam(team));
    }

    fn accesses(&mut self, accesses: &Accesses) {
        self.0.push(Said::Accesses(*accesses));
    }
}

pub fn signature(number: u32, call: Call) -> Signature {
    Signature {
        number,
        call: call.number(),
        flags: if call.name().starts_with('I') { STARTS } else { 0 },
        site: 1,
        object: 1,
        peer: 1,
        tag: 7,
        sent: 100,
        address: 0x1234,
        ..Signature::EMPTY
    }
}

pub fn header(rank: u32) -> FileHeader {
    FileHeader { rank, size: 2, run: [7; 16], ..blank_header() }
}

/// Calls that take one, two and three words.
pub const CALLS: [(u32, u64, u64); 3] = [(1, 1_000, 500), (2, 20_000_000, 30_000_000_000), (1, 1 << 60, 5)];

/// A file with the block of its first thread.
pub fn begun(header: FileHeader) -> FileWriter<Vec<u8>> {
    let mut file = FileWriter::begin(Vec::new(), header).unwrap();
    file.thread(0, &blank_block()).unwrap();
    file
}

/// The block of the first thread, a page of signatures, and three pages with one call each.
pub fn three_pages() -> Vec<u8> {
    let mut file = begun(header(3));
    file.signatures(0, 0, &[signature(1, Call::Send), signature(2, Call::Isend)]).unwrap();
    let mut last = 900;
    for (sequence, (number, start, duration)) in CALLS.into_iter().enumerate() {
        let (mut words, base) = (Vec::new(), last);
        last = call(&mut words, last, number, start, duration);
        file.events(0, sequence as u32, base, &words).unwrap();
    }
    file.into_inner()
}

/// Writes the bytes to a file and opens that.
pub fn open(bytes: &[u8]) -> Result<RankFile, traces::error::Error> {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("overhear-test-{}-{}.ovh", std::process::id(), NEXT.fetch_add(1, Relaxed));
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    let file = RankFile::open(&path);
    std::fs::remove_file(&path).unwrap();
    file
}

/// The contents of all pages of the file's first thread.
pub fn all_said(file: &RankFile) -> Vec<Said> {
    let contents = file.contents();
    let mut listener = Listener::default();
    for page in contents.threads.iter().flat_map(|thread| &thread.pages) {
        walk(page, &mut listener).unwrap();
    }
    listener.0
}
