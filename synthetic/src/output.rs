//! A rank's file: begun with its definitions and continued record by record.
//!
//! Records go to the file in pieces, each of which opens it again: a page of 256 KiB for each of many ranks would take
//! much memory, and the files would be more than a process may open.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use traces::definitions::Definition;
use traces::file::{FileHeader, PageHeader, PageKind};
use traces::record::{self, Arrived, RecordKind};
use traces::write::{FileWriter, UNIT, blank_block, blank_page, call};
use zerocopy::IntoBytes;

use super::program::{RankProgram, sample};

/// Words in a piece.
const PIECE: usize = (16 << 10) / 8;
/// The bytes of the largest page of records, as in the recorder.
const LARGEST: usize = 256 << 10;
/// Words in the longest record written here.
const LONGEST: usize = 3;

pub struct TraceOutput {
    path: PathBuf,
    /// Records that are not in the file yet.
    words: Vec<u64>,
    /// Words left in the page.
    room: usize,
    pages: u32,
    /// End of the last call.
    last: u64,
    /// Requests begun so far.
    requests: u64,
    /// Calls so far.
    calls: u64,
    /// Signatures of a path, and paths.
    numbers: u32,
    paths: u32,
}

impl TraceOutput {
    /// Begins a file. Its first gap counts from `begin`.
    pub fn begin(path: PathBuf, header: FileHeader, begin: u64, program: &RankProgram) -> io::Result<TraceOutput> {
        let mut file = FileWriter::begin(File::create(&path)?, header)?;
        // A recorder has worked off the straight line by the first record.
        let block = traces::file::ThreadBlock { tid: header.pid, begin, off_line: 1, ..blank_block() };
        file.thread(0, &block)?;
        file.definitions(&program.definitions)?;
        file.signatures(0, 0, &program.signatures)?;
        let RankProgram { numbers, paths, .. } = *program;
        let words = Vec::with_capacity(2 * PIECE);
        Ok(TraceOutput { path, words, room: 0, pages: 0, last: begin, requests: 0, calls: 0, numbers, paths })
    }

    pub fn call(&mut self, signature: u32, start: u64, duration: u64) -> io::Result<()> {
        self.make_room()?;
        let before = self.words.len();
        let path = (self.calls % u64::from(self.paths)) as u32;
        self.calls += 1;
        self.last = call(&mut self.words, self.last, signature + path * self.numbers, start, duration);
        self.room -= self.words.len() - before;
        Ok(())
    }

    pub fn starts(&mut self, signature: u32, start: u64, duration: u64) -> io::Result<()> {
        self.call(signature, start, duration)?;
        self.requests += 1;
        Ok(())
    }

    /// Records that the last call completed `count` requests, beginning with the one `age` before the next.
    pub fn completed(&mut self, count: u32, age: u64) -> io::Result<()> {
        self.behind(&[record::requests(RecordKind::Completed, count, age)])
    }

    /// Records the result of the last call, or of the request completed last.
    pub fn arrived(&mut self, arrived: Arrived) -> io::Result<()> {
        self.behind(&arrived.words())
    }

    /// Writes the remaining records, the definitions that only the end tells, and the final header.
    pub fn end(mut self, header: FileHeader, definitions: &[Definition]) -> io::Result<()> {
        self.fill()?;
        self.flush()?;
        if !definitions.is_empty() {
            FileWriter::go_on(File::options().append(true).open(&self.path)?).definitions(definitions)?;
        }
        FileWriter::begin(File::options().write(true).open(&self.path)?, header).map(drop)
    }

    fn behind(&mut self, words: &[u64]) -> io::Result<()> {
        self.make_room()?;
        self.words.extend(words);
        self.room -= words.len();
        Ok(())
    }

    fn make_room(&mut self) -> io::Result<()> {
        if self.words.len() >= PIECE {
            self.flush()?;
        }
        if self.room < LONGEST { self.turn() } else { Ok(()) }
    }

    /// Begins the next page. Pages grow as the recorder's do.
    #[cold]
    fn turn(&mut self) -> io::Result<()> {
        self.fill()?;
        let bytes = (UNIT << self.pages.min(16)).min(LARGEST);
        let header = PageHeader {
            kind: PageKind::Events as u32,
            units: (bytes / UNIT) as u32,
            base: self.last,
            requests: self.requests,
            sample: sample(self.last),
            ..blank_page(0, self.pages)
        };
        let words: [u64; size_of::<PageHeader>() / 8] = zerocopy::transmute!(header);
        self.words.extend(words);
        self.room = bytes / 8 - words.len();
        self.pages += 1;
        Ok(())
    }

    /// Fills the page up with zeros.
    fn fill(&mut self) -> io::Result<()> {
        while self.room > 0 {
            let zeros = self.room.min(PIECE);
            self.words.resize(self.words.len() + zeros, 0);
            self.room -= zeros;
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        File::options().append(true).open(&self.path)?.write_all(self.words.as_bytes())?;
        self.words.clear();
        Ok(())
    }
}
