//! Measures how fast, and in how much memory, a run is read for the breakdown by function from the page cache, and how often each page is
//! decoded.
//!
//! `cargo bench -p overhear --bench read [-- CALLS]`: CALLS million calls in each of two ranks, default 50.

mod common;

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use analyzer::commands::all_analyses::AllAnalyses;
use model::Run;
use traces::calls::Call;
use traces::file::{FINALIZED, FileHeader, INITIALIZED};
use traces::record;
use traces::signature::Signature;
use traces::write::{FileWriter, blank_block, blank_header};

const RANKS: u32 = 2;
const ROUNDS: usize = 5;
/// Words of a page of 256 KiB.
const PAGE: usize = (256 << 10) / 8 - 8;
/// Signatures of each rank: as many as a program of some size has.
const SIGNATURES: u32 = 200;

fn main() {
    let millions = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(50);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("read-bench");
    for millions in [millions / 10, millions] {
        let calls = millions * 1_000_000;
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the target folder can be written");
        (0..RANKS).for_each(|rank| write(&folder, rank, calls));
        let mut rates: Vec<f64> = (0..ROUNDS).map(|_| read(&folder, calls)).collect();
        rates.sort_by(f64::total_cmp);
        println!(
            "{RANKS} ranks of {millions} million calls: {:.0} million calls a second (median of {ROUNDS}), {} KiB allocated at most",
            rates[ROUNDS / 2] / 1e6,
            common::peak() >> 10
        );
        print_passes(&folder);
    }
    let _ = fs::remove_dir_all(&folder);
}

/// Prints how often each page of records is decoded, on average.
fn print_passes(folder: &Path) {
    let run = Run::load(folder).expect("what was written can be read");
    let pages: usize = run.ranks.iter().flat_map(|rank| rank.contents().threads).map(|thread| thread.pages.len()).sum();
    let passes = || run.ranks.iter().map(|rank| rank.trace.pages_decoded()).sum::<u64>() as f64 / pages as f64;
    let report = passes();
    drop(AllAnalyses::of(&run));
    println!("each page is decoded {report:.1} times for report, {:.1} times for the first screen", passes());
}

/// Calls a second.
fn read(folder: &Path, calls: u64) -> f64 {
    common::forget_peak();
    let begin = Instant::now();
    let run = Run::load(folder).expect("what was written can be read");
    let seconds = begin.elapsed().as_secs_f64();
    let counted: u64 = run.ranks.iter().flat_map(|rank| rank.entries()).map(|entry| entry.count).sum();
    assert_eq!(counted, calls * RANKS as u64);
    counted as f64 / seconds
}

fn write(folder: &Path, rank: u32, calls: u64) {
    let file = File::create(folder.join(format!("rank-{rank:04}.ovh"))).expect("the folder can be written");
    let header = FileHeader { rank, size: RANKS, run: [1; 16], state: INITIALIZED | FINALIZED, ..blank_header() };
    let mut file = FileWriter::begin(BufWriter::new(file), header).expect("there is room");
    file.thread(0, &blank_block()).expect("there is room");
    let signatures: Vec<Signature> = (1..=SIGNATURES).map(signature).collect();
    file.signatures(0, 0, &signatures).expect("there is room");
    let (mut left, mut sequence, mut state) = (calls, 0, 88_172_645_463_325_252u64 + rank as u64);
    let mut base = 0;
    while left > 0 {
        let count = left.min(PAGE as u64);
        let words: Vec<u64> = (0..count).map(|_| word(&mut state)).collect();
        file.events(0, sequence, base, &words).expect("there is room");
        base +=
            words.iter().map(|word| record::from_short(*word)).map(|(_, gap, duration)| gap + duration).sum::<u64>();
        left -= count;
        sequence += 1;
    }
}

/// A call of some signature, gap and duration.
fn word(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let number = 1 + (*state % SIGNATURES as u64) as u32;
    record::short(number, *state >> 44, *state >> 24 & 0xfffff).expect("20 bits are short")
}

fn signature(number: u32) -> Signature {
    let (peer, sent) = (number as i32, 8 * number as u64);
    Signature { number, call: Call::Send.number(), peer, tag: 0, sent, ..Signature::EMPTY }
}
