//! Behind a page that cannot be read, requests have the numbers that they had: what completes later is paired as if nothing were lost.

use crate::common::made::{Calls, account, made, on_nobody, receive, send, told};
use crate::common::{Folder, overhear, stdout};
use model::matching::{Follow, WaitState};
use model::messages::{Way, of_rank};
use serde_json::Value;
use traces::calls::Call;
use traces::signature::{STARTS, Signature};

/// Two receives are posted, two sends to nobody's file are begun in the next page, and behind that a third is posted and all are completed.
fn receiver(is_damaged: bool) -> Calls {
    let posted = Calls::default().call(receive(1), 0, 100).call(receive(1), 1_000, 100).page(2);
    let posted = if is_damaged { posted.damaged() } else { posted };
    let isend = || Signature { flags: STARTS, ..send(Call::Isend, 2, 8) };
    let lost = posted.call(isend(), 2_000, 100).call(isend(), 3_000, 100).page(4);
    let calls = lost.call(receive(1), 4_000, 100);
    // Of requests 0, 1 and 4: how many have begun since, its own beginning among them.
    [(5, 10, 10_000), (4, 20, 20_000), (1, 30, 30_000)].into_iter().fold(calls, |calls, (age, bytes, at)| {
        calls.call(on_nobody(Call::Wait), at, 5_000).completed(age).got(1, bytes)
    })
}

fn sender() -> Calls {
    [(10, 12_000), (20, 23_000), (30, 34_000)]
        .into_iter()
        .fold(Calls::default(), |calls, (bytes, at)| calls.call(send(Call::Send, 0, bytes), at, 500))
}

#[test]
fn waits_messages_and_overlap_pair_behind_a_damaged_page_as_without_the_damage() {
    let [whole, damaged] = [false, true].map(|is_damaged| made(vec![receiver(is_damaged), sender()], 3));

    let waits = [&whole.1, &damaged.1].map(|run| account(run, Follow::empty()));
    let late = [(WaitState::LateSender, 0, "MPI_Wait", 1, "MPI_Send", 2_000 + 3_000 + 4_000)];
    assert_eq!((told(&waits[0]), told(&waits[1])), (late.to_vec(), late.to_vec()));

    let received = |run: &model::Run| -> Vec<u64> {
        let messages = of_rank(&run.ranks[0]);
        let received = messages.channels.into_iter().filter(|(channel, _)| channel.way == Way::Received);
        received.flat_map(|(_, all)| all).map(|message| message.received).collect()
    };
    assert_eq!((received(&whole.1), received(&damaged.1)), (vec![10, 20, 30], vec![10, 20, 30]));

    // A request's size and life hold what its records say, and nothing of the lost page.
    let overlap = |run: &(Folder, _)| -> Vec<[Value; 3]> {
        let said: Value = serde_json::from_str(&stdout(&overhear("overlap", &run.0.0, &["--format", "json"]))).unwrap();
        let rows = said["messages"].as_array().unwrap().iter();
        rows.map(|row| ["size_bytes", "requests", "life_s"].map(|key| row[key].clone())).collect()
    };
    assert_eq!((overlap(&whole).len(), overlap(&damaged)), (3, overlap(&whole)));
}
