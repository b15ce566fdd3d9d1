//! Findings on ranks that receive from whoever comes first, on runs made by hand.

use serde_json::Value;
use traces::calls::Call;
use traces::signature::{Signature, peer, tag};

use crate::common::made::{Calls, made, send};
use crate::common::recorded::ask;
use crate::common::signature;

const MICROSECOND: u64 = 1_000;

fn receive(from: i32) -> Signature {
    let tag = if from == peer::ANY { tag::ANY } else { 5 };
    Signature { tag, ..signature(0, Call::Recv, from, 0, 8) }
}

/// The findings on a farm in which two workers compute so many microseconds for each of 400 pieces of work, half a piece apart, and wait
/// for the next one for so many.
fn farm(works: u64, waits: u64) -> Vec<Value> {
    let step = works + waits;
    let requests = |worker: u64| (1..=400).map(move |piece| (step * piece + worker * step / 2, worker));
    let worker = |worker: u64| {
        requests(worker).fold(Calls::default(), |calls, (at, _)| {
            let calls = calls.call(send(Call::Send, 0, 8), at * MICROSECOND, 500);
            calls.call(receive(0), at * MICROSECOND + 1_000, waits * MICROSECOND - 1_000)
        })
    };
    let mut all: Vec<(u64, u64)> = requests(0).chain(requests(1)).collect();
    all.sort_unstable();
    let mut master = (Calls::default(), step);
    for (at, from) in all {
        let (calls, free) = master;
        let calls = calls.call(receive(peer::ANY), free * MICROSECOND, (at - free) * MICROSECOND + 1_000);
        let answers = at + waits - 1;
        let calls =
            calls.got(1 + from as i32, 8).call(send(Call::Rsend, 1 + from as i32, 8), answers * MICROSECOND, 900);
        master = (calls, answers + 1);
    }
    let folder = made(vec![master.0, worker(0), worker(1)], 3).0;
    ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

#[test]
fn a_rank_that_waits_for_whoever_comes_first_blames_no_worker_of_those_that_work_as_much() {
    let found = farm(1_800, 600);
    let kinds: Vec<&str> = found.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["serial_work"], "{found:#?}");
    let headline = found[0]["headline"].as_str().unwrap();
    assert!(headline.starts_with("Rank 0 takes 598.00 µs for each of 800 answers"), "{headline}");
    let advice = found[0]["advice"].as_str().unwrap();
    assert!(advice.starts_with("Hand out several pieces with each answer"), "{advice}");
    assert!(farm(2_300, 20).iter().all(|row| row["kind"] != "late_rank" && row["kind"] != "serial_work"));
}

#[test]
fn of_two_ranks_the_one_that_answers_whoever_asks_keeps_the_other_waiting_and_is_not_kept() {
    // An answer takes 1.5 ms, what the other rank does with it 1 ms.
    let at = |piece: u64| (1 + piece) * 2_500 * MICROSECOND;
    let server = (0..200).fold(Calls::default(), |calls, piece| {
        let from = if piece == 0 { MICROSECOND } else { at(piece) - 990 * MICROSECOND };
        let calls = calls.call(receive(peer::ANY), from, at(piece) + 1_000 - from).got(1, 8);
        calls.call(send(Call::Send, 1, 8), at(piece) + 1_500 * MICROSECOND, 500)
    });
    let asker = (0..200).fold(Calls::default(), |calls, piece| {
        let calls = calls.call(send(Call::Rsend, 0, 8), at(piece), 500);
        calls.call(receive(0), at(piece) + 1_000, 1_500 * MICROSECOND)
    });
    let folder = made(vec![server, asker], 2).0;
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    let found: Vec<[&str; 3]> = answer
        .rows("findings")
        .iter()
        .map(|row| ["kind", "ranks", "headline"].map(|key| row[key].as_str().unwrap()))
        .collect();
    let [["serial_work", "0", headline]] = found[..] else { panic!("{found:#?}") };
    assert!(headline.starts_with("Rank 0 takes 1.499 ms for each of 200 answers between"), "{headline}");
}

#[test]
fn of_two_ranks_one_that_waits_nearly_always_for_whoever_asks_only_serves() {
    // The other computes for 2 ms for each answer.
    let at = |piece: u64| (1 + piece) * 2_000 * MICROSECOND;
    let server = (0..495).fold(Calls::default(), |calls, piece| {
        let from = if piece == 0 { MICROSECOND } else { at(piece) - 1_900 * MICROSECOND };
        let calls = calls.call(receive(peer::ANY), from, at(piece) + 1_000 - from).got(1, 8);
        calls.call(send(Call::Send, 1, 8), at(piece) + 2_000, 500)
    });
    let worker = (0..495).fold(Calls::default(), |calls, piece| {
        calls.call(send(Call::Rsend, 0, 8), at(piece), 500).call(receive(0), at(piece) + 1_000, 2_000)
    });
    let folder = made(vec![server, worker], 2).0;
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    let found = answer.rows("findings");
    assert_eq!([&found[0]["kind"], &found[0]["ranks"]], ["serving", "0"], "{found:#?}");
    let headline = found[0]["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("Rank 0 only serves: it waits 94 % of the time for messages in MPI_Recv"),
        "{headline}"
    );
}
