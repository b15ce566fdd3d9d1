//! What the first screen advises where ranks wait for each other, on runs made by hand.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Communicator, Definition, Members, Origin, SourcePlace, Span};
use traces::signature::{Signature, peer};

use crate::common::made::{Calls, made, on_nobody, receive, send};
use crate::common::recorded::ask;
use crate::common::signature;

const MICROSECOND: u64 = 1_000;
const STEPS: u64 = 50;

/// The first finding, and its advice.
fn first(ranks: Vec<Calls>) -> Value {
    let size = ranks.len() as u32;
    let ranks = ranks.into_iter().map(|calls| calls.defines([1, 2, 3, 4].map(line).into()));
    let answer = ask(&made(ranks.collect(), size).0.0, "diagnose", &["--no-cache"]);
    answer.rows("findings").first().cloned().unwrap_or_default()
}

fn line(site: u32) -> Definition {
    Definition::Place(SourcePlace { site, file: "a.c".into(), line: site, function: "f".into() })
}

fn at_line(site: u32, call: Signature) -> Signature {
    Signature { site, ..call }
}

/// Adds a call from one microsecond of the run to another.
fn at(calls: Calls, call: Signature, [begin, end]: [u64; 2]) -> Calls {
    calls.call(call, (1_000 + begin) * MICROSECOND, (end - begin) * MICROSECOND)
}

fn says(found: &Value, key: &str, said: &str) {
    assert!(found[key].as_str().unwrap_or_default().contains(said), "{said}: {found:#?}");
}

/// Two ranks exchange messages in steps of 10 ms, of which one has 6 ms to compute before its send, and the other 100 us, by turns. Each
/// waits for its receive, and then computes so long.
fn exchanges(behind: u64) -> Vec<Calls> {
    let rank = |own: u64| {
        let other = 1 - own as i32;
        (0..STEPS).fold(Calls::default(), |calls, step| {
            let begin = 10_000 * step;
            let sent = begin + if step % 2 == own { 6_000 } else { 100 };
            let calls = at(calls, at_line(1, receive(other)), [begin, begin + 1]);
            let calls = at(calls, at_line(2, send(Call::Send, other, 8)), [sent, sent + 2]);
            let waits = at(calls, at_line(3, on_nobody(Call::Waitall)), [sent + 3, begin + 6_004]);
            let calls = waits.completed(1).got(other, 8);
            // Nothing but the next step's receive follows, or a barrier that none waits in.
            at(calls, at_line(4, on_nobody(Call::Wtime)), [begin + 6_004 + behind, begin + 6_005 + behind])
        })
    };
    vec![rank(0), rank(1)]
}

#[test]
fn ranks_that_wait_by_turns_are_told_to_do_the_work_behind_the_wait_first_if_there_is_enough() {
    let found = first(exchanges(3_500));
    assert_eq!(found["kind"], "sporadic_delay", "{found:#?}");
    says(&found, "advice", "do what does not need these messages before MPI_Waitall");
    says(&found, "sites", "a.c:3");
    says(&found, "advice", "Behind MPI_Waitall at a.c:3 a rank computes 3.500 ms on average");
}

/// Rank 0 receives a tile of each of three others in steps of 20 ms, and renders for 9 ms when it has all of them. The others send after 3, 6
/// and 9 ms, and wait for the frame.
fn tiles(waits: Call) -> Vec<Calls> {
    let frame = |calls, span| at(calls, at_line(4, signature(0, Call::Bcast, 0, 8, 8)), span);
    let root = (0..STEPS).map(|step| 20_000 * step).fold(Calls::default(), |calls, step| {
        let calls = (1..4).fold(calls, |calls, other| {
            at(calls, at_line(1, receive(other)), [step + other as u64, step + other as u64 + 1])
        });
        let calls = match waits {
            Call::Waitall => {
                let calls = at(calls, at_line(2, on_nobody(waits)), [step + 10, step + 9_003]);
                (1..4).fold(calls, |calls, other| calls.completed(4 - other as u64).got(other, 8))
            }
            _ => (1..4).fold(calls, |calls, other| {
                let begin = step + 10 + if other == 1 { 0 } else { 3_000 * (other as u64 - 1) };
                let calls = at(calls, at_line(2, on_nobody(waits)), [begin, step + 3 + 3_000 * other as u64]);
                calls.completed(4 - other as u64).got(other, 8)
            }),
        };
        frame(calls, [step + 18_003, step + 18_010])
    });
    let sender = |rank: u64| {
        (0..STEPS).map(|step| 20_000 * step).fold(Calls::default(), |calls, step| {
            let sent = step + 3_000 * rank;
            let calls = at(calls, at_line(3, send(Call::Send, 0, 8)), [sent, sent + 2]);
            frame(calls, [sent + 3, step + 18_010])
        })
    };
    vec![root, sender(1), sender(2), sender(3)]
}

#[test]
fn a_rank_that_works_when_all_messages_are_there_is_told_to_begin_with_the_first() {
    let found = first(tiles(Call::Waitall));
    says(&found, "headline", "Rank 0 works between MPI_Waitall at a.c:2");
    says(&found, "advice", "Rank 0 waits 449.");
    says(&found, "advice", "until all of its messages are there: with MPI_Waitany it begins when the first one is");
    let any = first(tiles(Call::Waitany));
    assert!(!any.to_string().contains("until all of its messages"), "{any:#?}");
}

/// Sums of four ranks, in steps of 10 ms. Ranks of a member come together, each member being late by turns; or else another rank is late each
/// time. Each member has a communicator.
fn sums(late: fn(u64, u64) -> bool) -> Vec<Calls> {
    let rank = |own: u64| {
        let sum = at_line(1, signature(0, Call::Allreduce, peer::NONE, 8, 8));
        let calls = (0..STEPS).map(|step| (step, 10_000 * step)).fold(Calls::default(), |calls, (step, begin)| {
            let comes = begin + if late(own, step) { 9_000 } else { 2_000 } + 5 * ((own + step) / 2 % 2);
            at(calls, sum, [comes, begin + 9_010])
        });
        let local = vec![Span { first: own as i32 % 2, count: 2, step: 2 }];
        let member = vec![
            Definition::Communicator(Communicator {
                number: 9,
                rank: own as i32 / 2,
                size: 2,
                inter: false,
                name: "member".into(),
            }),
            Definition::Members(Members { communicator: 9, local, remote: Vec::new() }),
            Definition::Origin(Origin { number: 9, parent: 1, ordinal: 0 }),
        ];
        (calls, member)
    };
    let ranks = (0..4).map(rank);
    ranks.map(|(calls, member)| calls.defines([vec![line(1)], member].concat())).collect()
}

#[test]
fn ranks_that_come_together_with_those_of_their_communicator_are_told_to_wait_for_these_alone() {
    let first = |ranks| {
        let answer = ask(&made(ranks, 4).0.0, "diagnose", &["--no-cache"]);
        answer.rows("findings").first().cloned().unwrap_or_default()
    };
    let said = "if they alone need the result of MPI_Allreduce, call it on theirs";
    says(&first(sums(|rank, step| rank % 2 == step % 2)), "advice", said);
    let each = first(sums(|rank, step| rank == step % 4));
    says(&each, "headline", "A different rank is late each time");
    assert!(!each["advice"].as_str().unwrap().contains(said), "{each:#?}");
}
