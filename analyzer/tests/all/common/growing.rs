//! Runs whose times grow with the number of ranks in a known way.

use traces::calls::Call;
use traces::signature::peer;

use super::{Folder, header, rank, signature};

/// A call, and its microseconds by number of ranks.
pub type Grows = (Call, fn(f64) -> f64);

const PLANTED: [Grows; 4] = [
    (Call::Barrier, |ranks| 200.0 + 50.0 * ranks.log2()),
    (Call::Alltoall, |ranks| 100.0 + 20.0 * ranks),
    (Call::Reduce, |_| 700.0),
    (Call::Allgather, |ranks| 30_000.0 / ranks),
];

/// Nanoseconds of computation between two calls.
const COMPUTED: u64 = 50_000_000;

/// A run of `ranks` ranks.
pub fn run(ranks: u32) -> Folder {
    run_of(ranks, &PLANTED)
}

/// A run of `ranks` ranks that make these calls.
pub fn run_of(ranks: u32, planted: &[Grows]) -> Folder {
    let folder = Folder::new();
    let signatures: Vec<_> =
        planted.iter().zip(1..).map(|((call, _), number)| signature(number, *call, peer::NONE, 8, 8)).collect();
    let mut start = 1_000;
    let mut calls = Vec::new();
    for ((_, time), number) in planted.iter().zip(1..) {
        let time = (1_000.0 * time(f64::from(ranks))).round() as u64;
        calls.push((number, start, time));
        start += time + COMPUTED;
    }
    for number in 0..ranks {
        folder.write(&format!("rank-{number:04}.ovh"), &rank(header(number, ranks), &signatures, &calls));
    }
    folder
}
