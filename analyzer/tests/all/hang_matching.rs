//! One message serves one receive: `overhear hang` on runs made by hand with fewer messages than receives, or as many.

use traces::calls::Call;
use traces::record::Fate;
use traces::signature::{Signature, peer, tag};

use crate::common::recorded::ask;
use crate::common::stories::{
    Story, asking, begun, collective, completing, created, inside, on_halo, outside, receive, receiving, run, to,
};
use crate::common::{overhear, stdout};
use crate::hang::{goes_on, hangs, hangs_if_it_waited, is_unknown, judged, large};

/// Rank 0 has sent this many messages with tag 1 to rank 1, and waits for it in a barrier.
fn sender(messages: usize) -> Story {
    inside(&vec![to(Call::Send, 1, 1); messages], collective(Call::Barrier))
}

/// This receiver hangs with one message, and not with two.
#[track_caller]
fn needs_two(receiver: &Story) {
    hangs_as("taken", vec![sender(1), receiver.clone()]);
    goes_on(vec![sender(2), receiver.clone()]);
}

/// The ranks hang for certain, and this is among the reasons.
#[track_caller]
fn hangs_as(reason: &str, stories: Vec<Story>) {
    let (verdict, reasons) = judged(stories);
    assert_eq!(verdict, "certain", "{reasons:?}");
    assert!(reasons.iter().any(|(found, _)| found == reason), "{reasons:?}");
}

#[test]
fn two_receives_of_one_rank_and_tag_need_two_messages() {
    needs_two(&inside(&[receiving(0, 1); 2], completing(Call::Waitall, 2)));
    needs_two(&inside(&[receiving(0, 1)], receive(0, 1)));
}

#[test]
fn a_receive_from_any_rank_takes_the_message_of_one_that_names_it() {
    needs_two(&inside(&[receiving(peer::ANY, 1)], receive(0, 1)));
    needs_two(&inside(&[receiving(peer::ANY, 1); 2], completing(Call::Waitall, 2)));
    needs_two(&inside(&[receiving(0, tag::ANY)], receive(0, 1)));
    // If the receive that names the rank comes first, both get a message.
    let both = inside(&[receiving(0, 1)], receive(peer::ANY, 1));
    let other = inside(&[to(Call::Send, 1, 1)], collective(Call::Barrier));
    goes_on(vec![sender(1), both, other]);
}

/// The program's statements on messages that earlier receives take.
#[track_caller]
fn taken(stories: Vec<Story>) -> String {
    detail("taken", stories)
}

#[track_caller]
fn detail(reason: &str, stories: Vec<Story>) -> String {
    let folder = run(stories);
    let said = ask(&folder.0, "hang", &["--no-cache"]);
    let found = said.rows("reasons").iter().find(|row| row["reason"] == reason);
    found.unwrap_or_else(|| panic!("{:#}", said.json))["detail"].as_str().unwrap().to_string()
}

#[test]
fn the_detail_names_the_receive_that_takes_the_message() {
    let detail = taken(vec![sender(1), inside(&[receiving(0, 1)], receive(0, 1))]);
    assert!(detail.starts_with("Rank 1 waits for tag 1 from rank 0"), "{detail}");
    assert!(detail.contains("posted before by MPI_Irecv at"), "{detail}");
}

#[test]
fn the_detail_does_not_name_a_receive_of_other_messages() {
    let other = Signature { call: Call::Irecv.large().number(), ..receiving(0, 9) };
    let sender = inside(&[to(Call::Send, 1, 1), to(Call::Send, 1, 9)], collective(Call::Barrier));
    let detail = taken(vec![sender, inside(&[receiving(0, 1), other], receive(0, 1))]);
    assert!(detail.contains("posted before by MPI_Irecv at"), "{detail}");
}

#[test]
fn the_detail_names_no_receive_if_all_that_take_the_messages_were_given_up() {
    let free = completing(Call::Request_free, 1);
    let receiver = outside(&[receiving(0, 1); 2]).then(free).gave_up(2).then(free).gave_up(1);
    let detail = taken(vec![sender(2), receiver.entering(receive(0, 1))]);
    assert!(detail.ends_with("the 2 that came are for receives that were posted before."), "{detail}");
}

#[test]
fn a_message_that_was_received_is_gone() {
    let receiver = outside(&[receiving(0, 1), receiving(0, 1)]).then(completing(Call::Wait, 1)).completed(2);
    let receiver = |open| receiver.clone().entering(open);
    hangs_as("missing", vec![sender(1), receiver(completing(Call::Wait, 1))]);
    goes_on(vec![sender(2), receiver(completing(Call::Wait, 1))]);
}

#[test]
fn a_probe_takes_no_message_and_a_matched_probe_does() {
    let probe = |call| Signature { sent: 0, ..to(call, 0, 1) };
    goes_on(vec![sender(1), outside(&[probe(Call::Probe)]).entering(receive(0, 1))]);
    hangs_as("missing", vec![sender(1), outside(&[probe(Call::Mprobe)]).entering(receive(0, 1))]);
    goes_on(vec![sender(2), outside(&[probe(Call::Mprobe)]).entering(receive(0, 1))]);
    // A probed message can be received.
    let received = Signature { call: Call::Mrecv.number(), ..receive(0, 1) };
    goes_on(vec![sender(1), outside(&[probe(Call::Mprobe)]).entering(received)]);
    // A probe finds no message that a receive has taken.
    needs_two(&inside(&[receiving(0, 1)], probe(Call::Probe)));
}

#[test]
fn a_receive_that_was_given_up_still_takes_a_message_and_one_that_was_cancelled_may_not() {
    let free = completing(Call::Request_free, 1);
    needs_two(&outside(&[receiving(0, 1)]).then(free).gave_up(1).entering(receive(0, 1)));
    let cancel = completing(Call::Cancel, 1);
    goes_on(vec![sender(1), outside(&[receiving(0, 1)]).then(cancel).entering(receive(0, 1))]);
    // The trace tells that it was cancelled.
    let cancelled = outside(&[receiving(0, 1)]).then(cancel).then(completing(Call::Wait, 1)).completed(1);
    let cancelled = cancelled.got(peer::NONE, tag::NONE, Fate::Cancelled);
    goes_on(vec![sender(1), cancelled.clone().entering(receive(0, 1))]);
    hangs_as("missing", vec![sender(0), cancelled.entering(receive(0, 1))]);
}

#[test]
fn a_send_that_was_cancelled_sends_nothing() {
    let sender = outside(&[begun(Call::Isend, 1, 1)]).then(completing(Call::Cancel, 1));
    let sender = sender.then(completing(Call::Wait, 1)).completed(1).got(peer::NONE, tag::NONE, Fate::Cancelled);
    hangs_as("missing", vec![sender.entering(collective(Call::Barrier)), inside(&[], receive(0, 1))]);
}

#[test]
fn a_persistent_receive_takes_a_message_each_time_it_is_started() {
    let create = Signature { call: Call::Recv_init.number(), flags: traces::signature::CREATES, ..receive(0, 1) };
    let start = completing(Call::Start, 1);
    let once = outside(&[create]).then(start).started(1);
    needs_two(&once.clone().entering(receive(0, 1)));
    goes_on(vec![sender(1), once.clone().entering(completing(Call::Wait, 1))]);
    let twice = once.then(completing(Call::Wait, 1)).completed(1).then(start).started(2);
    goes_on(vec![sender(2), twice.clone().entering(completing(Call::Wait, 1))]);
    hangs_as("missing", vec![sender(1), twice.entering(completing(Call::Wait, 1))]);
}

/// A rank that waits for a receive, and by a copy of its handle for a persistent one that it freed.
fn waits_for_freed(call: Call, requests: u32) -> Story {
    let create = Signature { call: Call::Recv_init.number(), flags: traces::signature::CREATES, ..receive(0, 2) };
    let freed = outside(&[receiving(0, 1), create]).then(completing(Call::Start, 1)).started(1);
    freed.then(completing(Call::Request_free, 1)).gave_up(1).entering(completing(call, requests))
}

#[test]
fn a_wait_for_a_persistent_request_that_was_freed_cannot_be_told() {
    for (call, requests) in [(Call::Waitall, 2), (Call::Waitany, 2), (Call::Wait, 1)] {
        is_unknown(vec![sender(1), waits_for_freed(call, requests)]);
    }
}

#[test]
fn what_arrived_is_told_where_it_was_not_asked_for() {
    // A receive with any tag got the only message with the awaited tag.
    let any = outside(&[Signature { tag: tag::ANY, ..receive(0, 1) }]).got(0, 1, Fate::Whole);
    hangs_as("missing", vec![sender(1), any.entering(receive(0, 1))]);
}

#[test]
fn a_send_needs_a_receive_of_its_own() {
    let twice = |open| inside(&[to(Call::Send, 1, 1)], open);
    let receiver = |posted| inside(&vec![receiving(0, 1); posted], receive(0, 7));
    hangs(vec![twice(large(to(Call::Send, 1, 1))), receiver(1)], "cycle", "ranks 0-1");
    assert_eq!(judged(vec![twice(to(Call::Ssend, 1, 1)), receiver(1)]).0, "certain");
    goes_on_after(vec![twice(to(Call::Ssend, 1, 1)), receiver(2)]);
}

/// Rank 0 proceeds, whatever rank 1 waits for.
#[track_caller]
fn goes_on_after(stories: Vec<Story>) {
    let folder = run(stories);
    let said = ask(&folder.0, "hang", &["--no-cache"]);
    assert_eq!(said.rows("standing")[0]["waits_for_ever"], "no", "{:#}", said.json);
}

#[test]
fn threads_that_receive_at_once_may_each_get_the_message() {
    let threads = inside(&[], receive(0, 1)).beside(inside(&[], receive(0, 1)));
    goes_on(vec![sender(1), threads.clone()]);
    hangs_as("missing", vec![sender(0), threads]);
}

#[test]
fn a_rank_is_stuck_only_if_each_of_its_threads_is() {
    // Of each rank, the thread in its first call waits for messages, and the main thread is outside MPI.
    let service = |other| outside(&[collective(Call::Barrier)]).beside(inside(&[], receive(other, 9)));
    is_unknown(vec![service(1), service(0)]);
    let stuck = |other| inside(&[collective(Call::Barrier)], receive(other, 1)).beside(inside(&[], receive(other, 9)));
    hangs(vec![stuck(1), stuck(0)], "knot", "ranks 0-1");
}

#[test]
fn a_rank_may_send_to_itself_by_another_thread() {
    let own = inside(&[], receive(0, 1));
    hangs(vec![own.clone()], "cycle", "rank 0");
    is_unknown(vec![own.clone().beside(outside(&[to(Call::Send, 0, 2)]))]);
    goes_on(vec![own.beside(inside(&[], to(Call::Send, 0, 1)))]);
}

#[test]
fn a_rank_between_two_calls_may_yet_post_a_persistent_send() {
    let create = created(Call::Send_init, 1, 1);
    hangs_as("missing", vec![inside(&[create], collective(Call::Barrier)), inside(&[], receive(0, 1))]);
    let started = outside(&[create]).then(completing(Call::Start, 1)).started(1);
    goes_on(vec![started.entering(collective(Call::Barrier)), inside(&[], receive(0, 1))]);
}

#[test]
fn the_message_that_no_receive_asks_for_comes_before_the_collective_call_for_which_its_receiver_is_late() {
    let sender = inside(&[to(Call::Send, 1, 7)], collective(Call::Allreduce));
    let (verdict, reasons) = judged(vec![sender, inside(&[], receive(0, 8)), inside(&[], collective(Call::Allreduce))]);
    let expected = ["tag", "missing"].map(|reason| (reason.to_string(), "rank 1".to_string()));
    assert_eq!((verdict.as_str(), reasons.as_slice()), ("certain", &expected[..]));
}

#[test]
fn of_messages_that_no_receive_asks_for_one_on_the_communicator_of_the_receive_is_named() {
    let said =
        |sent: &[Signature]| detail("tag", vec![inside(sent, receive(1, 9)), inside(&[], on_halo(receive(0, 7)))]);
    let [own, other] = [on_halo(to(Call::Send, 1, 5)), to(Call::Send, 1, 3)];
    let both = said(&[other, own]);
    assert!(both.contains("rank 0 has sent it tag 5 by MPI_Send"), "{both}");
    let alone = said(&[other]);
    assert!(alone.contains("rank 0 has sent it tag 3 on MPI_COMM_WORLD by MPI_Send"), "{alone}");
}

/// Rank 2 receives from any rank, then from rank 1; ranks 0 and 1 have sent it one message each.
fn behind_a_wildcard() -> Vec<Story> {
    let sender = || inside(&[to(Call::Send, 2, 1)], collective(Call::Barrier));
    vec![sender(), sender(), inside(&[receiving(peer::ANY, 1)], receive(1, 1))]
}

#[test]
fn a_message_that_a_wildcard_may_have_taken_is_not_said_to_come() {
    let reasons = hangs_if_it_waited(behind_a_wildcard());
    assert_eq!(reasons[0], ("taken".into(), "rank 2".into()));
    let detail = |stories: Vec<Story>| detail("taken", stories);
    let said = detail(behind_a_wildcard().into_iter().map(Story::waited).collect());
    assert!(said.contains("posted before by MPI_Irecv at"), "{said}");
}

#[test]
fn a_circle_comes_before_those_who_wait_for_it_elsewhere() {
    let circle = |other| inside(&[], receive(other, 1));
    let barrier = inside(&[], collective(Call::Barrier));
    let (verdict, reasons) = judged(vec![circle(1), circle(2), circle(0), barrier]);
    let expected = [("cycle", "ranks 0-2"), ("missing", "ranks 0-2")];
    assert_eq!((&*verdict, reasons), ("certain", expected.map(|(reason, who)| (reason.into(), who.into())).to_vec()));
}

#[test]
fn a_poll_is_told_of_the_message_that_nobody_asks_for() {
    let polls = |from, tag| asking(Signature { call: Call::Iprobe.number(), ..receive(from, tag) });
    let sender = polls(1, 9).then(to(Call::Send, 1, 8));
    let said = stdout(&overhear("hang", &run(vec![sender, polls(0, 7)]).0, &["--no-cache"]));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Rank 1 asks for tag 7 from rank 0 so far; rank 0 has sent it tag 8 by MPI_Send"), "{said}");
}
