//! Compares two runs message by message, made by hand with known differences.

use crate::common::made::{Calls, made, on_nobody, receive, send};
use crate::common::signature;
use metrics::messages::{DifferenceKind, FirstDifferenceRow, RankComparison};
use metrics::messages::{compare, first_differences, order, warnings};
use model::messages::{Way, of_rank};
use traces::calls::Call;
use traces::definitions::{Definition, Origin};
use traces::record::Content;
use traces::signature::{CREATES, Signature, peer};

/// A message to or from rank 1 with this content.
fn held(mut calls: Calls, received: bool, part: i32, bytes: u64, checksum: u32) -> Calls {
    calls.words.extend(Content { received, part, bytes, checksum: Ok(checksum) }.words());
    calls
}

fn compared(a: Calls, b: Calls) -> RankComparison {
    compared_and_said(a, b).0
}

/// Returns the comparison, the first difference in words, and the warnings.
fn compared_and_said(a: Calls, b: Calls) -> (RankComparison, Option<String>, Vec<String>) {
    let ((_one, a), (_other, b)) = (made(vec![a], 3), made(vec![b], 3));
    let found = compare(&of_rank(&a.ranks[0]), &of_rank(&b.ranks[0]));
    let ranks = [(&a.ranks[0], found)];
    let first = first_differences([&a, &b], &ranks).rows.first().map(FirstDifferenceRow::in_words);
    let said = warnings(&ranks);
    let [(_, found)] = ranks;
    (found, first, said)
}

fn sends(checksums: &[u32]) -> Calls {
    let send = |calls: Calls, (at, checksum): (usize, &u32)| {
        held(calls.call(send(Call::Send, 1, 8), 1_000 * at as u64, 100), false, peer::NONE, 8, *checksum)
    };
    checksums.iter().enumerate().fold(Calls::default(), send)
}

#[test]
fn runs_with_the_same_messages_are_identical() {
    let found = compared(sends(&[1, 2, 3]), sends(&[1, 2, 3]));
    assert_eq!((found.differing, found.checked, found.unchecked, found.bytes), (0, 3, 0, [24, 24]));
    assert_eq!(found.counts, [[3, 0, 0]; 2]);
}

#[test]
fn the_first_message_with_another_content_is_named_by_its_ordinal() {
    let found = compared(sends(&[1, 2, 3, 4]), sends(&[1, 2, 9, 9]));
    let first = found.first.unwrap();
    assert_eq!((found.differing, first.kind), (2, DifferenceKind::Content));
    assert_eq!((found.checked, found.unequal, found.unchecked), (4, 2, 0));
    assert_eq!(first.messages.map(|message| message.unwrap().ordinal), [3, 3]);
    assert_eq!(first.parts.map(|part| part.unwrap().checksum), [Ok(3), Ok(9)]);
}

#[test]
fn a_message_more_and_a_message_of_another_size_are_told() {
    let found = compared(sends(&[1]), sends(&[1, 2]));
    assert_eq!((found.differing, found.first.unwrap().kind), (1, DifferenceKind::OnlyB));
    let of = |bytes| Calls::default().call(send(Call::Send, 1, bytes), 0, 100);
    let found = compared(of(8), of(16));
    assert_eq!((found.differing, found.first.unwrap().kind), (1, DifferenceKind::Size));
}

#[test]
fn without_checksums_on_both_sides_no_content_is_taken_for_compared() {
    let plain = Calls::default().call(send(Call::Send, 1, 8), 0, 100);
    let found = compared(plain, sends(&[1]));
    assert_eq!((found.differing, found.checked, found.unchecked), (0, 0, 1));
}

#[test]
fn what_has_a_checksum_on_one_side_only_is_counted_where_others_were_compared() {
    let (_, _, said) = compared_and_said(sends(&[1, 2]), sends(&[1, 2]));
    assert!(said.is_empty(), "{said:?}");
    let second_plain = sends(&[1]).call(send(Call::Send, 1, 8), 1_000, 100);
    let (_, first, said) = compared_and_said(second_plain, sends(&[1, 2]));
    assert_eq!(first, None);
    assert!(matches!(&said[..], [one] if one.starts_with("1 message or part has no checksum")), "{said:?}");
}

#[test]
fn a_message_that_was_received_is_told_by_the_bytes_that_came() {
    let of = |bytes| Calls::default().call(signature(0, Call::Recv, 1, 0, 999), 0, 100).got(1, bytes);
    let (_, first, _) = compared_and_said(of(8), of(16));
    let first = first.unwrap();
    assert!(first.contains("size differs, received 8 B in A, 16 B in B"), "{first}");
}

/// Two receives from any source, which complete with these sources, in order or not.
fn receives(first: (i32, u32), second: (i32, u32), completed_in_turn: bool) -> Calls {
    let mut calls = Calls::default().call(receive(peer::ANY), 0, 10).call(receive(peer::ANY), 100, 10);
    let mut order = [(2, first), (1, second)];
    if !completed_in_turn {
        order.reverse();
    }
    for (at, (age, (source, checksum))) in order.into_iter().enumerate() {
        calls = calls.call(on_nobody(Call::Wait), 1_000 * (1 + at as u64), 10).completed(age).got(source, 8);
        calls = held(calls, true, peer::NONE, 8, checksum);
    }
    calls
}

#[test]
fn what_completes_first_changes_nothing_where_messages_match_in_the_same_order() {
    let found = compared(receives((1, 7), (1, 8), true), receives((1, 7), (1, 8), false));
    assert_eq!((found.differing, found.checked, found.reordered.of_any), (0, 2, 0));
    let found = compared(receives((1, 7), (1, 8), true), receives((1, 8), (1, 7), true));
    assert_eq!((found.differing, found.first.unwrap().kind), (2, DifferenceKind::Content));
}

#[test]
fn receives_of_any_sender_may_take_several_senders_messages_in_another_order() {
    let found = compared(receives((1, 7), (2, 8), true), receives((2, 8), (1, 7), true));
    assert_eq!((found.differing, found.checked, found.reordered.of_any), (0, 2, 2));
}

#[test]
fn a_program_that_receives_from_its_partners_in_another_order_is_told_so_with_the_call() {
    let in_order = |senders: &[i32]| {
        let mut calls = Calls::default();
        for (sender, at) in senders.iter().zip(0..) {
            calls = calls.call(signature(0, Call::Recv, *sender, 0, 8), 1_000 * at, 100).got(*sender, 8);
        }
        calls
    };
    let told = |a: &[i32], b: &[i32]| {
        let ((_one, a), (_other, b)) = (made(vec![in_order(a)], 3), made(vec![in_order(b)], 3));
        let ranks = [(&a.ranks[0], compare(&of_rank(&a.ranks[0]), &of_rank(&b.ranks[0])))];
        let reordered = &ranks[0].1.reordered;
        let said = order(&a, &ranks).map(|fact| fact.value.to_string());
        (said, (reordered.of_any, reordered.by_name), warnings(&ranks))
    };
    let (said, counts, warned) = told(&[1, 2, 1, 2, 1], &[1, 1, 2, 2, 1]);
    let said = said.unwrap();
    assert!(said.starts_with("rank 0 posts 2 receives in another order, first by MPI_Recv at "), "{said}");
    assert!(said.ends_with(": A from 2, 1, B from 1, 2"), "{said}");
    assert_eq!(counts, (0, 2));
    assert!(warned.iter().all(|warning| !warning.contains("any sender")), "{warned:?}");
    assert_eq!(told(&[1, 2, 1], &[1, 2, 1]).0, None);
}

/// Sends and receives by persistent requests, started together once for each pair of checksums.
fn restarted(checksums: &[[u32; 2]]) -> Calls {
    let create = |function: Call, of: Signature| Signature { call: function.number(), flags: CREATES, ..of };
    let mut calls = Calls::default().call(create(Call::Send_init, send(Call::Send, 1, 8)), 0, 10);
    calls = calls.call(create(Call::Recv_init, receive(peer::ANY)), 20, 10);
    for (round, [sent, received]) in (0..).zip(checksums) {
        // Both requests are as many begins back, since each start begins one.
        let (at, age) = (1_000 * (1 + round), 2 + 2 * round);
        calls = held(calls.call(on_nobody(Call::Startall), at, 10).started(age), false, peer::NONE, 8, *sent);
        calls = calls.started(age).call(on_nobody(Call::Waitall), at + 500, 10).completed(2).completed(1).got(1, 8);
        calls = held(calls, true, peer::NONE, 8, *received);
    }
    calls
}

#[test]
fn each_start_of_a_persistent_request_is_a_message() {
    let found = compared(restarted(&[[1, 7], [2, 8]]), restarted(&[[1, 7], [2, 8]]));
    assert_eq!((found.differing, found.checked, found.unchecked), (0, 4, 0));
    assert_eq!(found.counts, [[2, 2, 0]; 2]);
    for (other, way) in [([9, 8], Way::Sent), ([2, 9], Way::Received)] {
        let first = compared(restarted(&[[1, 7], [2, 8]]), restarted(&[[1, 7], other])).first.unwrap();
        assert_eq!((first.channel.way, first.kind), (way, DifferenceKind::Content));
        assert_eq!(first.messages.map(|message| message.unwrap().ordinal), [2, 2]);
    }
}

#[test]
fn of_a_collective_call_the_part_that_differs_is_told() {
    let all = |second| {
        let calls = Calls::default().call(on_nobody(Call::Barrier), 0, 10).call(on_nobody(Call::Alltoall), 100, 10);
        held(held(calls, false, 0, 4, 5), false, 1, 4, second)
    };
    let found = compared(all(6), all(7));
    let first = found.first.unwrap();
    assert_eq!((first.channel.way, first.parts[0].unwrap().part), (Way::Collective, 1));
    assert_eq!(first.messages[1].as_ref().unwrap().ordinal, 2);
}

#[test]
fn communicators_are_named_by_what_they_were_made_from_and_a_circle_of_them_ends() {
    let made_from = |number, parent, ordinal| Definition::Origin(Origin { number, parent, ordinal });
    let all = [(2, 1, 0), (3, 2, 5), (4, 1, u32::MAX), (5, 6, 0), (6, 5, 0)];
    let origins = all.map(|(number, parent, ordinal)| made_from(number, parent, ordinal));
    let on = |calls: Calls, object: u32| {
        calls.call(Signature { object, ..send(Call::Send, 1, 8) }, 1_000 * u64::from(object), 100)
    };
    let (_folder, run) = made(vec![(1..=5).fold(Calls::default().defines(origins.to_vec()), on)], 2);
    let mut names: Vec<String> =
        of_rank(&run.ranks[0]).channels.into_keys().map(|channel| channel.communicator).collect();
    names.sort();
    let circle = format!("6{}", "/0".repeat(64));
    assert_eq!(
        names,
        [
            circle.replacen('6', "5", 1),
            "MPI_COMM_WORLD".into(),
            "MPI_COMM_WORLD/0".into(),
            "MPI_COMM_WORLD/0/5".into(),
            "alone/0".into()
        ]
    );
}
