//! Messages find their receives, and nothing else finds one.

use crate::common::made::{Calls, account, command, is_whole, made, moved, on_nobody, receive, send, told};
use crate::common::{signature, stdout};
use model::common_clock::{CommonClock, Slack};
use model::matching::{self, Follow, WaitState, settled};
use traces::calls::Call;
use traces::definitions::{Occasion, Sync};
use traces::record;
use traces::signature::{STARTS, Signature, peer};

#[test]
fn a_wildcard_posted_first_gets_the_first_message_though_it_completes_last() {
    let sender =
        Calls::default().call(send(Call::Send, 1, 100), 10_000, 500).call(send(Call::Ssend, 1, 200), 50_000, 500);
    let receiver = Calls::default()
        .call(receive(peer::ANY), 0, 100)
        .call(receive(0), 200, 100)
        .call(on_nobody(Call::Wait), 1_000, 59_000)
        .completed(1)
        .got(0, 200)
        .call(on_nobody(Call::Waitall), 61_000, 500)
        .completed(2)
        .got(0, 100);
    let (_folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::empty());
    assert_eq!(moved(&account), [((0, 1), [2, 300, 300])]);
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 1, "MPI_Wait", 0, "MPI_Ssend", 49_000)]);
    assert!(is_whole(&account));
}

#[test]
fn a_wildcard_takes_nothing_from_the_receive_of_another_source() {
    let first = Calls::default().call(send(Call::Send, 2, 100), 20_000, 500);
    let second = Calls::default().call(send(Call::Ssend, 2, 200), 10_000, 500);
    let receiver = Calls::default()
        .call(receive(peer::ANY), 0, 100)
        .call(receive(0), 200, 100)
        .call(on_nobody(Call::Wait), 1_000, 29_000)
        .completed(1)
        .got(0, 100)
        .call(on_nobody(Call::Waitall), 31_000, 500)
        .completed(2)
        .got(1, 200);
    let (_folder, run) = made(vec![first, second, receiver], 3);
    let account = account(&run, Follow::empty());
    assert_eq!(moved(&account), [((0, 2), [1, 100, 100]), ((1, 2), [1, 200, 200])]);
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 2, "MPI_Wait", 0, "MPI_Send", 19_000)]);
    assert!(is_whole(&account));
}

#[test]
fn a_cancelled_receive_leaves_its_message_to_the_next() {
    let sender =
        Calls::default().call(send(Call::Send, 1, 100), 10_000, 500).call(send(Call::Ssend, 1, 200), 50_000, 500);
    // The receive in the middle is cancelled, and known to be so before the one ahead of it is complete.
    let receiver = Calls::default()
        .call(receive(0), 0, 100)
        .call(receive(0), 200, 100)
        .call(receive(0), 400, 100)
        .call(on_nobody(Call::Wait), 600, 100)
        .completed(2)
        .cancelled()
        .call(on_nobody(Call::Waitany), 1_000, 29_000)
        .completed(3)
        .got(0, 100)
        .call(on_nobody(Call::Waitall), 31_000, 29_000)
        .completed(1)
        .got(0, 200);
    let (_folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::empty());
    assert_eq!(moved(&account), [((0, 1), [2, 300, 300])]);
    let first = (WaitState::LateSender, 1, "MPI_Waitall", 0, "MPI_Ssend", 19_000);
    let second = (WaitState::LateSender, 1, "MPI_Waitany", 0, "MPI_Send", 9_000);
    assert_eq!(told(&run, &account), [first, second]);
    assert!(is_whole(&account));
}

#[test]
fn a_send_that_was_cancelled_is_no_message_and_the_next_one_finds_the_receive() {
    let isend = Signature { flags: STARTS, ..send(Call::Isend, 1, 100) };
    let sender = Calls::default()
        .call(isend, 1_000, 100)
        .call(on_nobody(Call::Wait), 2_000, 100)
        .completed(1)
        .cancelled()
        .call(send(Call::Send, 1, 200), 30_000, 500);
    let receiver = Calls::default().call(signature(0, Call::Recv, 0, 0, 200), 10_000, 25_000);
    let (folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::empty());
    assert_eq!(moved(&account), [((0, 1), [1, 200, 200])]);
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 20_000)]);
    assert!(is_whole(&account));
    let output = command(&folder.0, "check");
    let said = stdout(&output).replace("\n  ", " ");
    assert!(said.contains("1 send cancelled, most: rank 0 in MPI_Isend"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn a_call_that_never_returned_has_no_part_in_a_message() {
    let sender = Calls::default().call(send(Call::Send, 1, 100), 30_000, 500);
    let mut receiver = Calls::default().call(signature(0, Call::Recv, 0, 0, 100), 1_000, 2_000);
    receiver.words.push(record::failed(record::LEFT, 0));
    let receiver = receiver.call(signature(0, Call::Recv, 0, 0, 100), 10_000, 25_000);
    let (folder, run) = made(vec![sender, receiver], 2);
    let account = account(&run, Follow::empty());
    assert_eq!(told(&run, &account), [(WaitState::LateSender, 1, "MPI_Recv", 0, "MPI_Send", 20_000)]);
    assert!(is_whole(&account));
    let said = stdout(&command(&folder.0, "check")).replace("\n  ", " ");
    assert!(
        said.contains(
            "1 call that never returned (an exception, a longjmp, the end of a thread), most: rank 1 in MPI_Recv"
        ),
        "{said}"
    );
}

#[test]
fn a_message_that_is_there_when_its_send_begins_came_no_earlier_than_that() {
    for (received_by, backwards) in [(10_000, 0), (9_999, 1)] {
        let sender = Calls::default().call(send(Call::Send, 1, 100), 10_000, 500);
        let receiver = Calls::default().call(signature(0, Call::Recv, 0, 0, 100), 0, received_by);
        let (_folder, run) = made(vec![sender, receiver], 2);
        let account = account(&run, Follow::empty());
        assert_eq!((moved(&account), account.backwards()), (vec![((0, 1), [1, 100, 100])], backwards));
    }
}

#[test]
fn messages_that_run_backwards_adjust_the_clocks_and_then_everything_is_matched_anew() {
    let (mut sender, mut receiver) = (Calls::default(), Calls::default());
    for message in 0..900 {
        let begin = 20_000 * (message + 1);
        // Two messages arrive too early, one of them when nothing but the clocks is looked at any more.
        let arrives = match message {
            0 => begin - 500,
            800 => begin - 900,
            _ => begin + 2_000,
        };
        sender = sender.call(send(Call::Send, 1, 100), begin, 500);
        receiver = receiver.call(signature(0, Call::Recv, 0, 0, 100), begin - 9_000, arrives - (begin - 9_000));
    }
    let (_folder, mut run) = made(vec![sender, receiver], 2);
    // Two clocks, which may be off by 5 µs.
    run.ranks[1].same_clocks.clear();
    let (before, there, after) = (1_000_000, 1_005_000, 1_010_000);
    run.ranks[1].syncs = vec![Sync { when: Occasion::Init, peer: 0, before, there, after, exchanges: 10 }];
    let follow = Follow::DEPENDENCIES | Follow::TRANSFERS | Follow::QUEUES;
    let settled = settled(&run, follow);
    assert_eq!((settled.backwards_before, settled.account.backwards()), (2, 0));
    let mut clock = run.common_clock();
    assert!(clock.respect(&[Slack { from: 0, to: 1, least: -900 }]));
    let begins = |clock: &CommonClock| [0, 1].map(|rank| clock.lines[rank].at);
    assert_eq!(begins(&clock), begins(&settled.common_clock));
    let at_once = matching::account(&run, &clock, follow);
    assert_eq!(told(&run, &settled.account), told(&run, &at_once));
    assert_eq!(settled.account.queued, at_once.queued);
    assert_eq!(settled.account.phases, at_once.phases);
    assert!(!at_once.waits.sums.is_empty() && !at_once.queued.is_empty());
}
