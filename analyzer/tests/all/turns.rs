//! Findings on ranks that are late by turns because of a lock or of polls, on runs made by hand.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Definition, Object, ObjectKind, Origin};
use traces::signature::{Signature, lock, peer, tag};

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::recorded::ask;
use crate::common::signature;
use crate::common::stories::{on_object, to};

const MICROSECOND: u64 = 1_000;

fn at(calls: Calls, call: Signature, begin: u64, end: u64) -> Calls {
    calls.call(call, (1_000 + begin) * MICROSECOND, (end - begin) * MICROSECOND)
}

fn found(ranks: Vec<Calls>) -> Vec<Value> {
    let size = ranks.len() as u32;
    ask(&made(ranks, size).0.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

#[test]
fn work_under_the_lock_of_a_window_by_turns_is_told_as_that_though_the_waits_are_elsewhere() {
    let of_window = |call| on_object(Signature { source_tag: lock::EXCLUSIVE, ..to(call, 0, tag::NONE) });
    let rank = |own: u64| {
        let object = Definition::Object(Object { number: 2, kind: ObjectKind::Window });
        let origin = Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 });
        (0..90).fold(Calls::default().defines(vec![object, origin]), |calls, step| {
            let begin = 10_000 * step;
            let end = begin + if step % 2 == own { 9_000 } else { 100 };
            let calls = at(calls, of_window(Call::Win_lock), begin + 10, begin + 11);
            let calls = at(calls, of_window(Call::Win_unlock), end, end + 1);
            at(calls, on_nobody(Call::Barrier), end + 2, begin + 9_005)
        })
    };
    let found = found(vec![rank(0), rank(1)]);
    assert_eq!(found[0]["kind"], "lock_contention", "{found:#?}");
    assert!(found[0]["headline"].as_str().unwrap().contains("where each holds the lock of a window"), "{found:#?}");
    assert!(found[0]["advice"].as_str().unwrap().starts_with("Compute before MPI_Win_lock"), "{found:#?}");
}

#[test]
fn a_rank_that_polls_between_long_pieces_of_work_is_told_to_poll_more_often() {
    // Rank 0 computes for 3 ms and sends; rank 1 polls each 2 ms, and answers after half a millisecond of work.
    let steps = || (0..200).map(|step| 4_600 * step);
    let receive = |from| signature(0, Call::Recv, from, 0, 8);
    let asks = steps().fold(Calls::default(), |calls, step| {
        at(at(calls, send(Call::Send, 1, 8), step + 3_000, step + 3_001), receive(1), step + 3_002, step + 4_502)
    });
    let probe = signature(0, Call::Iprobe, peer::ANY, 0, 0);
    let answers = steps().fold(Calls::default(), |calls, step| {
        let calls = [0, 2_000].into_iter().fold(calls, |calls, poll| at(calls, probe, step + poll, step + poll + 1));
        let calls = at(calls, probe, step + 4_000, step + 4_001).got(0, 8);
        at(at(calls, receive(0), step + 4_002, step + 4_003), send(Call::Send, 0, 8), step + 4_500, step + 4_501)
    });
    let found = found(vec![asks, answers]);
    assert!(found.iter().all(|row| row["kind"] != "chain"), "{found:#?}");
    let late = found.iter().find(|row| row["ranks"] == "1").unwrap_or_else(|| panic!("{found:#?}"));
    let advice = late["advice"].as_str().unwrap();
    assert!(advice.starts_with("Rank 1 notices what comes only when that work is done: call MPI_Iprobe"), "{advice}");
}
