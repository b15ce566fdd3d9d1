//! Collective calls move their bytes between the ranks that the MPI standard names.

use crate::common;
use std::collections::BTreeMap;

use crate::common::Folder;
use crate::common::made::{Calls, made};
use crate::common::recorded::{ask, recorded};
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{Signature, peer};

const RANKS: u32 = 3;

fn collective(call: Call, root: i32, sent: u64, received: u64) -> Signature {
    common::signature(0, call, root, sent, received)
}

/// Every rank makes each call once.
fn run(calls: impl Fn(u32) -> Vec<Signature>) -> Folder {
    let folder = Folder::new();
    for rank in 0..RANKS {
        let mut made = Calls::default();
        for (at, signature) in (1..).zip(calls(rank)) {
            made = made.call(signature, at * 1_000, 500);
        }
        made.write(&folder, rank, RANKS);
    }
    folder
}

/// Bytes of collective calls by sender and receiver, and the warnings.
fn matrix(folder: &Folder, more: &[&str]) -> (BTreeMap<(u64, u64), u64>, String) {
    let output = common::overhear("matrix", &folder.0, &[more, &["--format", "json"]].concat());
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let pairs = said["pairs"].as_array().unwrap().iter();
    let pairs = pairs.map(|row| ((number(row, "from_rank"), number(row, "to_rank")), number(row, "collective_bytes")));
    (pairs.collect(), said["warnings"].to_string())
}

#[test]
fn a_broadcast_goes_from_the_root_and_a_gather_to_it() {
    let at = |rank: u32, root: u32, bytes: u64| if rank == root { bytes } else { 0 };
    let folder = run(|rank| {
        vec![
            collective(Call::Bcast, 0, at(rank, 0, 100), 100 - at(rank, 0, 100)),
            collective(Call::Scatter, 2, at(rank, 2, 60), 20),
            collective(Call::Gather, 1, 7, at(rank, 1, 21)),
            collective(Call::Reduce, 1, 1_000, at(rank, 1, 1_000)),
        ]
    });
    let (pairs, _) = matrix(&folder, &[]);
    let expected = [((0, 1), 100 + 7 + 1_000), ((0, 2), 100), ((2, 0), 20), ((2, 1), 20 + 7 + 1_000)];
    assert_eq!(pairs, expected.into_iter().collect());
}

#[test]
fn an_exchange_between_all_goes_from_each_to_each_other() {
    let folder = run(|_| {
        vec![
            collective(Call::Alltoall, peer::NONE, 30, 30),
            collective(Call::Iallgather, peer::NONE, 5, 15),
            collective(Call::Allreduce, peer::NONE, 8, 8),
        ]
    });
    let (pairs, warnings) = matrix(&folder, &[]);
    assert_eq!(pairs.len(), 6);
    assert!(pairs.iter().all(|((from, to), bytes)| from != to && *bytes == 15), "{pairs:?}");
    assert!(warnings.contains("24 B of reductions to all ranks"), "{warnings}");
}

#[test]
fn parts_of_which_nothing_is_known_are_said_to_be_split_evenly() {
    let folder = run(|_| vec![collective(Call::Alltoallv, peer::NONE, 90, 90)]);
    let (pairs, warnings) = matrix(&folder, &[]);
    assert!(pairs.len() == 6 && pairs.values().all(|bytes| *bytes == 30), "{pairs:?}");
    assert!(warnings.contains("270 B of MPI_Alltoallv and the like are split evenly"), "{warnings}");
}

#[test]
fn messages_and_collective_calls_can_be_looked_at_apart() {
    let folder = run(|rank| {
        let to_next = common::signature(0, Call::Send, ((rank + 1) % RANKS) as i32, 50, 0);
        vec![to_next, collective(Call::Alltoall, peer::NONE, 30, 30)]
    });
    let totals = |more: &[&str]| {
        let output = common::overhear("matrix", &folder.0, &[more, &["--format", "json"]].concat());
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        ["message_bytes", "collective_bytes"].map(|key| said["run"][key].as_u64().unwrap())
    };
    assert_eq!(totals(&[]), [150, 60]);
    assert_eq!(totals(&["--only", "messages"]), [150, 0]);
    assert_eq!(totals(&["--only", "collectives"]), [0, 60]);
}

#[test]
fn the_matrix_of_one_communicator_has_its_messages_and_no_others() {
    // Each rank sends three integers to the one beside it, eight times.
    let run = &recorded("communicators")[0].run;
    let answer = ask(run, "matrix", &["--comm", "neighbours"]);
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let keys = ["from_rank", "to_rank", "messages", "bytes", "collective_bytes"];
    let mut pairs: Vec<[u64; 5]> = answer.rows("pairs").iter().map(|row| keys.map(|key| number(row, key))).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [[0, 1, 8, 96, 0], [1, 0, 8, 96, 0], [2, 3, 8, 96, 0], [3, 2, 8, 96, 0]]);
}

#[test]
fn as_many_ranks_as_fit_side_by_side_are_shown_as_a_square() {
    for (ranks, is_square) in [(6, true), (7, false)] {
        let folder = Folder::new();
        for rank in 0..ranks {
            let to_next = common::signature(0, Call::Send, ((rank + 1) % ranks) as i32, 50, 0);
            Calls::default().call(to_next, 1_000, 500).write(&folder, rank, ranks);
        }
        let said = common::stdout(&common::overhear("matrix", &folder.0, &[]));
        assert_eq!(said.contains("from \\ to"), is_square, "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    }
}

#[test]
fn exchanges_between_more_than_two_thousand_ranks_are_said_to_be_in_no_pair() {
    let rank = || {
        let all = Calls::default().call(collective(Call::Alltoallv, peer::NONE, 30_000, 30_000), 1_000, 500);
        all.call(collective(Call::Allgather, peer::NONE, 5, 15_000), 2_000, 500)
    };
    // Two of 3,000 ranks left a file, and each hands 10 and 5 bytes to all others.
    let of = |ranks| ask(&made(vec![rank(), rank()], ranks).0.0, "matrix", &[]);
    let said = of(3_000);
    assert_eq!(said.json["run"]["collective_bytes"], 2 * 2_999 * (10 + 5));
    assert!(said.rows("pairs").is_empty() && said.warnings().contains("more than 2,048 ranks are in no pair"));
    assert!(!said.warnings().contains("split evenly"), "{}", said.warnings());
    assert!(of(2_049).rows("pairs").is_empty());
    let pairs = of(2_048);
    assert_eq!(pairs.sum("pairs", "collective_bytes", &[]), 2 * (30_000 / 2_048 + 5));
    assert!(!pairs.warnings().contains("in no pair"), "{}", pairs.warnings());
}
