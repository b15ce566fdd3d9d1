//! Drops the oldest records of recorded files, as a recorder that keeps only the newest would have done.

use std::fs;
use std::ops::Range;
use std::path::Path;

use traces::drop_account::{CountedSignature, DropAccount};
use traces::file::{FIRST_PAGE, FileHeader, PageHeader, SHARED_TOTALS};
use traces::live::{LiveBlock, LiveWords};
use traces::progress::Polls;
use traces::read::{RankFile, ThreadPages, Visitor, Walk};
use traces::record::RecordKind;
use traces::signature::{CREATES, STARTS};
use traces::write::{FileWriter, blank_block, blank_page};

/// A piece of a page of records.
struct Piece {
    base: u64,
    requests: u64,
    words: Vec<u64>,
}

fn in_memory(words: &[u64]) -> LiveWords<'_> {
    // SAFETY: the words are borrowed, so they are not written.
    unsafe { LiveWords::at(words.as_ptr().cast(), size_of_val(words)) }
}

/// Writes the file at `from` to `to`, without the first `share` of each thread's records. Returns how many were dropped.
pub fn drop_oldest(from: &Path, to: &Path, share: f64) -> usize {
    let file = RankFile::open(from).unwrap();
    let contents = file.contents();
    let header = FileHeader { keep_bytes: 1, ..*file.header() };
    let mut writer = FileWriter::begin(Vec::new(), header).unwrap();
    writer.definitions(&contents.definitions).unwrap();
    let mut dropped = 0;
    let (mut accounts, mut completed) = (Vec::new(), Vec::new());
    for thread in &contents.threads {
        let block = thread.block.map_or_else(blank_block, LiveBlock::copy);
        writer.thread(thread.number, &block).unwrap();
        let signatures: Vec<_> = thread.signatures.iter().copied().collect();
        writer.signatures(thread.number, 0, &signatures).unwrap();
        if !thread.profile.is_empty() {
            writer.profile(thread.number, 0, &thread.profile).unwrap();
        }
        let records = Cut::records(thread);
        let until = (records as f64 * share) as usize;
        dropped += until;
        let (before, behind) = Cut::at(thread, until);
        let known = thread.signatures.by_number(CountedSignature::default(), CountedSignature::of);
        let mut account = DropAccount::default();
        for (sequence, piece) in (0..).zip(&before) {
            let (base, requests) = (piece.base, piece.requests);
            let page = PageHeader { base, requests, ..blank_page(thread.number, sequence) };
            let (others, walked) = account.add(&page, in_memory(&piece.words), &known);
            assert!(walked.is_ok());
            completed.extend(others);
        }
        for (sequence, piece) in (before.len() as u32..).zip(&behind) {
            writer.events_after((thread.number, sequence), piece.base, piece.requests, &piece.words).unwrap();
        }
        accounts.push((thread.number, account, known));
    }
    for (number, account, known) in &mut accounts {
        for other in completed.iter().filter(|other| other.thread == *number) {
            account.completed_elsewhere(other.first, other.count);
        }
        if dropped > 0 {
            writer.dropped(*number, account.pages(), &account.body(known)).unwrap();
        }
    }
    let mut bytes = writer.into_inner();
    let totals = SHARED_TOTALS..FIRST_PAGE;
    bytes[totals.clone()].copy_from_slice(&fs::read(from).unwrap()[totals]);
    fs::write(to, bytes).unwrap();
    dropped
}

/// Counts requests, as page headers do.
struct Cut {
    takes: Vec<bool>,
    requests: u64,
}

impl Cut {
    fn of(thread: &ThreadPages<'_>) -> Cut {
        let takes = thread.signatures.by_number(false, |signature, _| signature.flags & (STARTS | CREATES) != 0);
        Cut { takes, requests: 0 }
    }

    fn records(thread: &ThreadPages<'_>) -> usize {
        let mut cut = Cut::of(thread);
        let mut seen = 0;
        for page in &thread.pages {
            let mut walk = Walk::new(page);
            walk.step(&mut cut, usize::MAX).unwrap();
            seen += walk.place().seen as usize;
        }
        seen
    }

    /// A thread's pages before and after its record `until`.
    fn at(thread: &ThreadPages<'_>, until: usize) -> (Vec<Piece>, Vec<Piece>) {
        let mut cut = Cut::of(thread);
        let (mut before, mut behind, mut left) = (Vec::new(), Vec::new(), until);
        for page in &thread.pages {
            let mut walk = Walk::new(page);
            let begin = (page.base, cut.requests);
            walk.step(&mut cut, left).unwrap();
            left -= walk.place().seen as usize;
            let (words, middle) = (walk.words(), (walk.last(), cut.requests));
            walk.step(&mut cut, usize::MAX).unwrap();
            let piece = |(base, requests), words: Range<usize>| Piece {
                base,
                requests,
                words: words.filter_map(|at| page.words.get(at)).collect(),
            };
            if words > 0 {
                before.push(piece(begin, 0..words));
            }
            if walk.words() > words {
                behind.push(piece(middle, words..walk.words()));
            }
        }
        (before, behind)
    }
}

impl Visitor for Cut {
    fn call(&mut self, signature: u32, _: u64, _: u64) {
        self.requests += u64::from(self.takes.get(signature as usize).copied().unwrap_or(false));
    }

    fn polls(&mut self, _: &Polls) {}

    fn requests(&mut self, kind: RecordKind, count: u32, _: u64) {
        self.requests += if kind == RecordKind::Started { u64::from(count) } else { 0 };
    }

    fn elsewhere(&mut self, kind: RecordKind, count: u32, _: u32, _: u64) {
        self.requests += if kind == RecordKind::Started { u64::from(count) } else { 0 };
    }
}
