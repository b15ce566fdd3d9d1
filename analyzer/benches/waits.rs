//! Measures how fast, and in how much memory, the ranks' calls are put together from the page cache; prints the cost of
//! reading them beside it.
//!
//! `cargo bench -p overhear --bench waits`

mod common;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use model::Run;
use model::matching::{Follow, account};
use synthetic::{Shape, Topology};

const FEW: Shape = Shape { ranks: 4, calls: 2_000_000, topology: Topology::Torus, seed: 1 };
const MANY: Shape = Shape { ranks: 256, calls: 50_000, ..FEW };
const ROUNDS: usize = 5;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("waits-bench");
    println!("median of {ROUNDS} rounds");
    println!("{:22}{:>12}{:>9}{:>16}{:>14}", "", "calls", "seconds", "million calls/s", "MiB allocated");
    for shape in [FEW, MANY] {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the target folder can be written");
        let truth = synthetic::run(&folder, &shape).expect("there is room").total;
        let load = || Run::load(&folder).expect("what was written can be read");
        let run = load();
        let (mut reading, mut matching) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            reading.push(measure(|| drop(load())));
            matching.push(measure(|| {
                let account = account(&run, &run.common_clock(), Follow::empty());
                let matched: u64 = account.pairs.values().map(|pair| pair.messages).sum();
                assert_eq!(matched, truth.messages);
            }));
        }
        print(&format!("{} ranks, reading", shape.ranks), truth.calls, reading);
        print(&format!("{} ranks, matching", shape.ranks), truth.calls, matching);
    }
    let _ = fs::remove_dir_all(&folder);
}

/// Seconds, and the most bytes allocated meanwhile in addition to those held before.
fn measure(work: impl FnOnce()) -> (f64, usize) {
    common::forget_peak();
    let (before, begin) = (common::peak(), Instant::now());
    work();
    (begin.elapsed().as_secs_f64(), common::peak() - before)
}

fn print(name: &str, calls: u64, mut rounds: Vec<(f64, usize)>) {
    rounds.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (seconds, bytes) = rounds[ROUNDS / 2];
    let rate = calls as f64 / seconds / 1e6;
    println!("{name:22}{calls:12}{seconds:9.3}{rate:16.1}{:14.1}", bytes as f64 / (1 << 20) as f64);
}
