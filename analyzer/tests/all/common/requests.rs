//! A rank with requests planted to the nanosecond.

use traces::calls::Call;
use traces::definitions::{CompletionTest, Component, Definition, Interception};
use traces::file::{FileHeader, ThreadBlock};
use traces::folder::file_name;
use traces::progress::{self, Depth, Entries, INSIDE};
use traces::record::{self, RecordKind};
use traces::signature::{Signature, peer};
use traces::write::{FileWriter, blank_block, call};

use super::{BEGIN, Folder, definitions, header, signature};

/// Successive calls of one rank, in nanoseconds.
#[derive(Default)]
pub struct Planted {
    pub signatures: Vec<Signature>,
    pub words: Vec<u64>,
    pub now: u64,
    pub last: u64,
    pub entries: u64,
    /// The recorder asked MPI which requests are complete.
    pub is_asked: bool,
    /// Bytes that system calls sent to sockets, if that is how the engine was observed.
    pub by_sockets: Option<u64>,
    /// Definitions in addition to those that every rank has.
    pub more: Vec<Definition>,
}

impl Planted {
    pub fn call(&mut self, signature: Signature, duration: u64) -> &mut Planted {
        let same = |known: &&Signature| Signature { number: 0, ..**known } == signature;
        let number = match self.signatures.iter().find(same) {
            Some(known) => known.number,
            None => {
                // The second number is for a request that is complete at once.
                let number = 1 + 2 * self.signatures.len() as u32;
                self.signatures.push(Signature { number, ..signature });
                number
            }
        };
        self.last = call(&mut self.words, self.last.max(BEGIN), number, BEGIN + self.now, duration);
        self.now += duration;
        self
    }

    /// The call entered the engine `entries` times.
    pub fn entered(&mut self, entries: u64) -> &mut Planted {
        self.entries += entries;
        self.words.push(progress::engine(&Entries { entries, productive: 1, ticks: 0 }).unwrap());
        self
    }

    /// MPI reports the request `age` begins back as complete.
    pub fn found(&mut self, age: u64) -> &mut Planted {
        self.words.push(record::found_complete(BEGIN + self.now - self.last, age));
        self.last = BEGIN + self.now;
        self
    }

    pub fn compute(&mut self, duration: u64) -> &mut Planted {
        self.now += duration;
        self
    }

    /// The call completed `count` requests, from the one `age` begins back on.
    pub fn completed(&mut self, count: u32, age: u64) -> &mut Planted {
        self.words.push(record::requests(RecordKind::Completed, count, age));
        self
    }

    /// Posts, computes, waits.
    pub fn request(&mut self, post: Signature, [posting, computing, waiting]: [u64; 3]) -> &mut Planted {
        self.call(post, posting)
            .compute(computing)
            .call(signature(0, Call::Wait, peer::NONE, 0, 0), waiting)
            .completed(1, 1)
            .compute(5_000)
    }

    /// Writes the rank's file, with an Open MPI engine if it was observed.
    pub fn write(&self, folder: &Folder, rank: u32, size: u32) {
        let header = FileHeader { wrapper_cost: 30_000, ..header(rank, size) };
        let mut file = FileWriter::begin(Vec::new(), header).unwrap();
        let mut block: ThreadBlock = blank_block();
        block.ledger[INSIDE].calls.entries = self.entries;
        // A byte takes a nanosecond.
        let sent = self.by_sockets.unwrap_or(0);
        block.ledger[progress::FIRST_COMPONENT].events = sent;
        block.ledger[progress::FIRST_COMPONENT].calls.ticks = sent;
        file.thread(0, &block).unwrap();
        let mut definitions = definitions(size, rank as i32);
        definitions.push(Definition::Progress(Depth::Events as u32));
        definitions.push(Definition::Component(Component {
            number: progress::FIRST_COMPONENT as u32,
            way: if self.by_sockets.is_some() { Interception::Send } else { Interception::Opal },
            name: "opal_progress".into(),
        }));
        definitions.extend(self.is_asked.then_some(Definition::Asked(CompletionTest::Word)));
        definitions.extend(self.more.iter().cloned());
        file.definitions(&definitions).unwrap();
        file.signatures(0, 0, &self.signatures).unwrap();
        file.events(0, 0, BEGIN, &self.words).unwrap();
        folder.write(&file_name(0, rank), &file.into_inner());
    }
}
