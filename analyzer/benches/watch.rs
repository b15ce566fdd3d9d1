//! Measures the looks of `overhear top`: the first one at a run that has gone on for a while, and later ones.
//!
//! `cargo bench -p overhear --bench watch [-- CALLS]`: CALLS thousand calls in each of 64 ranks, default 500.

use std::fs;
use std::path::PathBuf;

use model::watch::Watch;
use synthetic::{Shape, Topology};

const RANKS: u32 = 64;
/// Looks at a run in which nothing moves.
const LOOKS: u32 = 100;

fn main() {
    let thousands: u64 = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(500);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("watch-bench");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let shape = Shape { ranks: RANKS, calls: thousands * 1_000, topology: Topology::Torus, seed: 1 };
    synthetic::run(&folder, &shape).expect("the target folder can be written");
    let mut watch = Watch::new(&folder);
    let first = seconds_of(|| watch.look().expect("what was written can be read"));
    let more = seconds_of(|| (0..LOOKS).for_each(|_| watch.look().expect("what was written can be read")));
    println!(
        "{RANKS} ranks of {thousands} thousand calls, processor time: first look {:.0} ms ({:.0} ns a call), others {:.2} ms each",
        1e3 * first,
        1e9 * first / (f64::from(RANKS) * thousands as f64 * 1e3),
        1e3 * more / f64::from(LOOKS)
    );
    let _ = fs::remove_dir_all(&folder);
}

/// Processor time, all threads: others may want the processors, too.
fn seconds_of(work: impl FnOnce()) -> f64 {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let began = now();
    work();
    now() - began
}
