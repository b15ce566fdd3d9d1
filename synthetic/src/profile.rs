//! A rank's file of counts and times: calls are added up, and all is written at the end.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use traces::file::{FileHeader, ProfileEntry, ThreadBlock};
use traces::progress::Entries;
use traces::write::{FileWriter, blank_block};

use super::program::RankProgram;

pub struct ProfileOutput {
    path: PathBuf,
    begin: u64,
    /// By the number of the signature.
    counts: Vec<CallCount>,
}

#[derive(Clone, Copy, Default)]
struct CallCount {
    calls: u64,
    ticks: u64,
    least: u64,
    most: u64,
}

impl ProfileOutput {
    pub fn begin(path: PathBuf, begin: u64) -> ProfileOutput {
        ProfileOutput { path, begin, counts: Vec::new() }
    }

    pub fn call(&mut self, signature: u32, duration: u64) {
        let at = signature as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, CallCount::default());
        }
        let count = &mut self.counts[at];
        count.least = if count.calls == 0 { duration } else { count.least.min(duration) };
        count.most = count.most.max(duration);
        count.calls += 1;
        count.ticks += duration;
    }

    /// Writes the file.
    pub fn end(self, header: FileHeader, program: &RankProgram) -> io::Result<()> {
        let mut file = FileWriter::begin(File::create(&self.path)?, header)?;
        // A recorder has worked off the straight line by the first call.
        let block = ThreadBlock { tid: header.pid, begin: self.begin, off_line: 1, ..blank_block() };
        file.thread(0, &block)?;
        file.definitions(&program.definitions)?;
        file.signatures(0, 0, &program.signatures)?;
        let called = (0..).zip(&self.counts).filter(|(_, count)| count.calls > 0);
        let entries: Vec<ProfileEntry> = called.map(|(number, count)| count.entry(number, program)).collect();
        file.profile(0, 0, &entries)
    }
}

impl CallCount {
    fn entry(&self, number: u32, program: &RankProgram) -> ProfileEntry {
        let (sent, received) = program.bytes(number);
        ProfileEntry {
            signature: number,
            failed: 0,
            call: 0,
            count: self.calls,
            total: self.ticks,
            min: self.least,
            max: self.most,
            sent: self.calls * sent,
            received: self.calls * received,
            engine: Entries::default(),
        }
    }
}
