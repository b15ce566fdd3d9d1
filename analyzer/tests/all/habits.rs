//! Repeated behavior of ranks at each call site, on runs made by hand.

use std::collections::BTreeMap;

use model::habits::{FanTimes, SiteHabits};
use model::matching::{Follow, settled};
use model::shared_walk::SharedWalk;
use traces::calls::Call;
use traces::signature::{STARTS, Signature};

use crate::common::made::{Calls, made, on_nobody, receive, send};
use crate::common::signature;

/// The habits of rank 0, by function.
fn habits(ranks: Vec<Calls>) -> BTreeMap<String, SiteHabits> {
    let size = ranks.len() as u32;
    let (_folder, run) = made(ranks, size);
    let walk = SharedWalk::of(&run, &mut settled(&run, Follow::ORIGINS | Follow::JUMPS));
    let of_first = walk.habits.into_iter().filter(|((rank, _), _)| *rank == 0);
    of_first.map(|((_, site), habits)| (run.call_sites()[site as usize].function.clone(), habits)).collect()
}

#[test]
fn what_completes_a_fan_of_requests_is_part_of_it_and_what_completes_others_is_not() {
    let mut ranks: Vec<Calls> = (0..4).map(|_| Calls::default()).collect();
    let mut on = |rank: usize, calls: &dyn Fn(Calls) -> Calls| ranks[rank] = calls(std::mem::take(&mut ranks[rank]));
    let from_all =
        |calls, at| (1..4).fold(calls, |calls: Calls, rank| calls.call(receive(rank), at + 200 * rank as u64, 100));
    for at in [10_000, 20_000] {
        // It waits 1000 ns until the others send.
        on(0, &|calls| {
            from_all(calls, at).call(on_nobody(Call::Waitall), at + 800, 1_200).completed(3).completed(2).completed(1)
        });
        for rank in 1..4 {
            on(rank, &|calls| calls.call(send(Call::Send, 0, 8), at + 1_800, 100));
        }
    }
    // One more receive, which its own wait completes; and one that is completed behind blocking sends to all.
    on(0, &|calls| calls.call(receive(1), 30_000, 100).call(on_nobody(Call::Wait), 30_200, 300).completed(1));
    on(0, &|calls| {
        let calls = calls.call(receive(1), 40_000, 100);
        let sent =
            (1..4).fold(calls, |calls, rank| calls.call(send(Call::Send, rank, 8), 40_000 + 200 * rank as u64, 100));
        sent.call(on_nobody(Call::Wait), 40_800, 500).completed(1)
    });
    on(1, &|calls| calls.call(send(Call::Send, 0, 8), 30_000, 100).call(send(Call::Send, 0, 8), 40_000, 100));
    for rank in 1..4 {
        on(rank, &|calls| calls.call(signature(0, Call::Recv, 0, 0, 8), 40_150, 800));
    }
    let found = habits(ranks);
    let received = FanTimes { count: 2, others: 3, bytes: 999, time: 2 * (500 + 1_200), waited: 2 * 1_000 };
    let sent = FanTimes { count: 1, others: 3, bytes: 8, time: 500, waited: 0 };
    assert_eq!((found["MPI_Irecv"].fans, found["MPI_Send"].fans), (received, sent));
}

/// Two ranks that send each other this number of messages, posted, sent and waited for by these calls, directly one after
/// another.
fn exchanges(number: u64, each: impl Fn(Calls, i32, u64) -> Calls) -> u64 {
    let rank = |other| (0..number).fold(Calls::default(), |calls, at| each(calls, other, 1_000 + 5_000 * at));
    habits(vec![rank(1), rank(0)])["MPI_Isend"].repeated
}

#[test]
fn messages_between_which_a_posted_receive_is_completed_are_no_row() {
    let isend = |to| Signature { flags: STARTS, ..send(Call::Isend, to, 8) };
    let wait = |requests: u64, calls: Calls, at| {
        let waited = calls.call(on_nobody(Call::Waitall), at + 400, 1_000);
        (1..=requests).rev().fold(waited, Calls::completed)
    };
    let posted = |calls: Calls, other, at| calls.call(receive(other), at, 100).call(isend(other), at + 200, 100);
    assert_eq!(exchanges(20, |calls, other, at| wait(2, posted(calls, other, at), at)), 0);
    // Sends alone are completed here.
    assert_eq!(exchanges(20, |calls, other, at| wait(1, calls.call(isend(other), at, 100), at)), 19);
}
