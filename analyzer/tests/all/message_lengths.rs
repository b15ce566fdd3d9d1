//! `overhear progress` prints typical message lengths: per call, and per pair of processes in all-to-all calls.

use crate::common::made::Calls;
use crate::common::{Folder, overhear, signature};
use serde_json::{Value, json};
use traces::calls::Call;
use traces::signature::{Signature, peer};

const RANKS: u64 = 4;

/// A run of four ranks; the closure gives each one's calls and their numbers.
fn run(calls: impl Fn(i32) -> Vec<(Signature, u64)>) -> Folder {
    let folder = Folder::new();
    for rank in 0..RANKS as i32 {
        let repeated = calls(rank).into_iter().flat_map(|(of, times)| (0..times).map(move |_| of));
        let add = |made: Calls, (at, of): (u64, Signature)| made.call(of, 1_000 * at, 500);
        (1..).zip(repeated).fold(Calls::default(), add).write(&folder, rank as u32, RANKS as u32);
    }
    folder
}

fn lengths(folder: &Folder) -> Vec<Value> {
    let output = overhear("progress", &folder.0, &["--format", "json"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    said["message_lengths"].as_array().unwrap_or_else(|| panic!("{said:#}")).clone()
}

fn row<'a>(rows: &'a [Value], function: &str) -> &'a Value {
    rows.iter().find(|row| row["function"] == function).unwrap_or_else(|| panic!("no {function} in {rows:#?}"))
}

fn of(call: Call, sent: u64, received: u64) -> Signature {
    signature(0, call, peer::NONE, sent, received)
}

#[test]
fn an_integer_sort_has_the_lengths_that_the_document_gives() {
    // 8 bytes in each MPI_Allreduce; between 27 and 37 KiB for each pair in MPI_Alltoallv.
    let folder = run(|rank| {
        let parts = (27..=37).map(|kib| (of(Call::Alltoallv, RANKS * kib * 1024, (64 + rank as u64) << 10), 1));
        [(of(Call::Allreduce, 8, 8), 11)].into_iter().chain(parts).collect()
    });
    let rows = lengths(&folder);
    let figures = |function: &str, keys: [&str; 6]| keys.map(|key| row(&rows, function)[key].clone());
    let of_call = ["length_of", "calls", "median_bytes", "most_frequent_bytes", "most_frequent_percent", "lengths"];
    let expected = [json!("call"), json!(44), json!(8), json!(8), json!(100.0), json!(1)];
    assert_eq!(figures("MPI_Allreduce", of_call), expected);
    let of_pair = ["length_of", "calls", "percentile_5_bytes", "median_bytes", "percentile_95_bytes", "lengths"];
    let kib = |kib: u64| json!(kib * 1024);
    assert_eq!(figures("MPI_Alltoallv", of_pair), [json!("pair"), json!(44), kib(27), kib(32), kib(37), json!(11)]);
    assert_eq!(rows.len(), 2, "{rows:#?}");
}

#[test]
fn every_rank_of_a_rooted_call_counts_one_part_and_calls_without_messages_are_left_out() {
    let rooted = |rank: i32, call: Call, of_root: (u64, u64), of_other: (u64, u64)| {
        let (sent, received) = if rank == 0 { of_root } else { of_other };
        (Signature { peer: 0, ..of(call, sent, received) }, 3)
    };
    let folder = run(|rank| {
        vec![
            rooted(rank, Call::Bcast, (640, 0), (0, 640)),
            rooted(rank, Call::Reduce, (72, 72), (72, 0)),
            rooted(rank, Call::Gather, (0, RANKS * 96), (96, 0)),
            rooted(rank, Call::Scatter, (RANKS * 48, 0), (0, 48)),
            (of(Call::Allgather, 16, RANKS * 16), 2),
            (of(Call::Barrier, 0, 0), 5),
            (of(Call::Wtime, 0, 0), 5),
        ]
    });
    let rows = lengths(&folder);
    let expected =
        [("MPI_Bcast", 640), ("MPI_Gather", 96), ("MPI_Reduce", 72), ("MPI_Scatter", 48), ("MPI_Allgather", 16)];
    for (function, bytes) in expected {
        let row = row(&rows, function);
        assert_eq!((&row["median_bytes"], &row["most_frequent_percent"]), (&json!(bytes), &json!(100.0)), "{row:#}");
    }
    assert_eq!(rows.len(), expected.len(), "{rows:#?}");
}
