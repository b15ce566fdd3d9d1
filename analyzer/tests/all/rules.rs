//! Rules of `overhear diagnose` on runs made by hand: each finds its case with the cost, and does not find a near miss.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Communicator, Definition, Members, Object, ObjectKind, Origin, SourcePlace, Span};
use traces::signature::{Signature, lock, peer, tag};

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::recorded::ask;
use crate::common::stories::{collective, inside, on_object, outside, run, to};
use crate::common::{Folder, overhear, signature, stdout};

const MILLISECOND: u64 = 1_000_000;

/// The finding of a rule, if it has one.
fn finding(folder: &Folder, kind: &str) -> Option<Value> {
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    answer.rows("findings").iter().find(|row| row["kind"] == kind).cloned()
}

pub fn finding_of(ranks: Vec<Calls>, kind: &str) -> Option<Value> {
    let size = ranks.len() as u32;
    finding(&made(ranks, size).0, kind)
}

/// Asserts that a text of a finding contains these words.
fn says(found: &Option<Value>, key: &str, said: &str) {
    let text = found.as_ref().map_or("", |found| found[key].as_str().unwrap());
    assert!(text.contains(said), "{said}: {found:#?}");
}

/// Calls one after the other, each this many milliseconds long, from the first millisecond on.
fn in_a_row(all: impl IntoIterator<Item = Signature>, milliseconds: u64) -> Calls {
    let one = |calls: Calls, (at, call)| {
        calls.call(call, MILLISECOND * (1 + milliseconds * at), milliseconds * MILLISECOND - 100)
    };
    (0..).zip(all).fold(Calls::default(), one)
}

fn receive(from: i32, bytes: u64) -> Signature {
    signature(0, Call::Recv, from, 0, bytes)
}

fn write() -> Signature {
    signature(0, Call::File_write, peer::NONE, 8, 0)
}

fn both(bytes: u64) -> Signature {
    signature(0, Call::Allreduce, peer::NONE, bytes, bytes)
}

#[test]
fn the_rank_that_called_mpi_abort_ended_the_run() {
    let aborts = inside(&[collective(Call::Barrier)], to(Call::Abort, peer::NONE, tag::NONE));
    let found = finding(&run(vec![outside(&[collective(Call::Barrier)]), aborts]), "aborted");
    says(&found, "headline", "Rank 1 ended the run in MPI_Abort");
}

#[test]
fn small_messages_in_a_row_to_one_rank_are_found_with_what_their_calls_cost_and_large_ones_are_not() {
    let ranks = |bytes| {
        let sends = in_a_row((0..200).map(|_| send(Call::Send, 1, bytes)), 1).call(
            on_nobody(Call::Barrier),
            900 * MILLISECOND,
            100,
        );
        // Rank 0 waits for the other one at a barrier, which has nothing to do with the messages.
        let sends = sends.call(on_nobody(Call::Barrier), 901 * MILLISECOND, 50 * MILLISECOND);
        let receives =
            in_a_row((0..200).map(|_| receive(0, bytes)), 1).call(on_nobody(Call::Barrier), 900 * MILLISECOND, 100);
        vec![sends, receives.call(on_nobody(Call::Barrier), 950 * MILLISECOND, MILLISECOND)]
    };
    let found = finding_of(ranks(8), "small_messages");
    says(&found, "headline", "200 messages of 8 B");
    // All but one of 200 sends on one rank and of 200 receives on the other.
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.199).abs() < 1e-3, "{cost}");
    says(&finding_of(ranks(4_096), "small_messages"), "headline", "200 messages of 4.0 KiB");
    assert_eq!(finding_of(ranks(4_097), "small_messages"), None);
}

#[test]
fn a_row_ends_where_the_program_pauses() {
    let at = |message: u64| (1 + message + 5 * (message / 50)) * MILLISECOND;
    let calls = |of: fn() -> Signature| {
        (0..200).fold(Calls::default(), |calls, message| calls.call(of(), at(message), MILLISECOND - 100))
    };
    let found = finding_of(vec![calls(|| send(Call::Send, 1, 8)), calls(|| receive(0, 8))], "small_messages");
    says(&found, "headline", "50 in a row to the same rank");
}

#[test]
fn a_call_that_comes_a_little_later_begins_another_row() {
    // Of 100 calls of 40 us, three come later than after another 40 us.
    let at = |row: u64, call: u64| (10 * row + 1) * MILLISECOND + 50_000 * call + 35_000 * (call / 30);
    let calls = |other: i32| {
        let exchange = Signature { source: other, source_tag: 5, received: 8, ..send(Call::Sendrecv, other, 8) };
        (0..20).fold(Calls::default(), |calls, row| {
            let calls = (0..100).fold(calls, |calls, call| calls.call(exchange, at(row, call), 40_000));
            calls.call(on_nobody(Call::Barrier), at(row, 101), 1_000)
        })
    };
    says(&finding_of(vec![calls(1), calls(0)], "small_messages"), "headline", "25 in a row to the same rank");
}

#[test]
fn sends_that_wait_for_a_slow_receiver_are_charged_to_it_and_not_to_the_price_of_a_call() {
    // Rank 0 takes 50 us for each receive, and computes for 950 us between two; rank 1's sends last until their message is taken.
    let ranks = |bytes| {
        let receives = (0..200).fold(Calls::default(), |calls, message| {
            calls.call(receive(1, bytes), (1 + message) * MILLISECOND + 900_000, 50_000)
        });
        vec![receives, in_a_row((0..200).map(|_| send(Call::Send, 0, bytes)), 1)]
    };
    let folder = made(ranks(512), 2).0;
    let found = finding(&folder, "slow_receiver");
    says(&found, "headline", "Rank 0 takes messages more slowly than rank 1 sends them in MPI_Send");
    says(&found, "headline", "which waits 200 times");
    says(&found, "detail", "Rank 0 spends 189.05 ms of its");
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.1).abs() < 1e-3, "200 ms on one of two ranks: {cost}");
    assert_eq!(finding(&folder, "small_messages"), None);
    assert_eq!(finding(&folder, "late_receiver"), None);
    // Larger messages may need their receive, unless one was sent at once.
    assert_eq!(finding_of(ranks(100_000), "slow_receiver"), None);
    let mut at_once = ranks(100_000);
    let calls = at_once.pop().unwrap().call(send(Call::Send, 0, 200_000), 300 * MILLISECOND, 1000);
    let receives = at_once.pop().unwrap().call(receive(1, 200_000), 301 * MILLISECOND, 1000);
    says(&finding_of(vec![receives, calls], "slow_receiver"), "headline", "Rank 0 takes messages more slowly");
}

#[test]
fn a_rank_that_waits_for_messages_nearly_always_serves_unless_others_wait_for_it_or_there_are_but_two() {
    // All but the last rank compute 10 ms before each message to it.
    let sender = |to| {
        (1..=98).fold(Calls::default(), |calls, at| calls.call(send(Call::Send, to, 8), 10 * at * MILLISECOND, 1000))
    };
    let receiver = |senders: i32| {
        let mut calls = Calls::default();
        for at in 0..98 {
            let from = 10 * at * MILLISECOND + 100_000;
            calls = calls.call(receive(0, 8), from, 10 * MILLISECOND - 90_000);
            for other in 1..senders {
                calls = calls.call(receive(other, 8), from + 10 * MILLISECOND - 90_000 + 1000 * other as u64, 500);
            }
        }
        calls
    };
    let found = finding_of(vec![sender(3), sender(3), sender(3), receiver(3)], "serving");
    says(&found, "headline", "Rank 3 only serves: it waits 9");
    assert_eq!(found.unwrap()["at_most_s"], Value::Null);
    assert_eq!(finding_of(vec![sender(1), receiver(1)], "serving"), None);
    // Rank 2 passes each message on to rank 3, which waits for rank 2 as long as that does for rank 0.
    let passes_on = (0..98).fold(Calls::default(), |calls, at| {
        let from = 10 * at * MILLISECOND + 100_000;
        let calls = calls.call(receive(0, 8), from, 10 * MILLISECOND - 90_000);
        calls.call(send(Call::Send, 3, 8), from + 10 * MILLISECOND - 80_000, 1000)
    });
    let last = (0..98).fold(Calls::default(), |calls, at| {
        calls.call(receive(2, 8), 10 * at * MILLISECOND + 130_000, 10 * MILLISECOND - 100_000)
    });
    let found = finding_of(vec![sender(2), sender(0), passes_on, last], "serving");
    assert!(found.as_ref().is_none_or(|found| found["ranks"] != "2"), "{found:#?}");
}

/// Rank 0 sends 1,001 messages, 300 us each, which rank 1 takes later, 500 us each, in the order of these tags.
fn taken_later(tag: fn(i32) -> i32) -> Folder {
    let calls = |of: &dyn Fn(i32) -> Signature, from: u64, duration: u64| {
        let at = |message: i32| from + duration * message as u64;
        let calls =
            (0..1001).fold(Calls::default(), |calls, message| calls.call(of(message), at(message), duration - 100));
        let place =
            |site| Definition::Place(SourcePlace { site, file: "a.c".into(), line: site, function: "f".into() });
        calls.defines(vec![place(1), place(2)])
    };
    let sends = calls(&|message| Signature { tag: message, site: 1, ..send(Call::Send, 1, 8) }, MILLISECOND, 300_000);
    let receives =
        calls(&|message| Signature { tag: tag(message), site: 2, ..receive(0, 8) }, 310 * MILLISECOND, 500_000);
    made(vec![sends, receives], 2).0
}

#[test]
fn messages_taken_last_first_are_counted_with_all_that_each_passes() {
    says(
        &finding(&taken_later(|message| 1000 - message), "wrong_order"),
        "headline",
        "each past 500 others on average",
    );
}

#[test]
fn sends_that_wait_for_a_rank_in_its_receives_are_a_price_of_many_messages_unless_it_looks_for_each() {
    let found = finding(&taken_later(|message| message), "small_messages");
    says(&found, "detail", "It also waits in 1,001 calls until rank 1 takes what was sent, in MPI_Recv at a.c:2: 150.");
    assert_eq!(finding(&taken_later(|message| 1000 - message), "small_messages"), None);
}

#[test]
fn small_collective_calls_in_a_row_are_found_by_the_bytes_of_each() {
    let ranks = |bytes| (0..2).map(|_| in_a_row((0..100).map(|_| both(bytes)), 3)).collect();
    says(&finding_of(ranks(24), "small_collectives"), "headline", "100 calls of 24 B");
    says(&finding_of(ranks(1_024), "small_collectives"), "headline", "100 calls of 1.0 KiB");
    assert_eq!(finding_of(ranks(1_025), "small_collectives"), None);
}

#[test]
fn communicators_made_again_and_again_are_found_with_what_their_calls_cost_and_nineteen_are_not() {
    let ranks = |times: usize| {
        let both = |_| [on_nobody(Call::Comm_dup), on_nobody(Call::Comm_free)];
        (0..2).map(|_| in_a_row((0..times).flat_map(both), 1)).collect()
    };
    let found = finding_of(ranks(100), "made_again");
    says(&found, "headline", "Each rank makes 100 communicators in MPI_Comm_dup");
    // All but one of 100 pairs of calls.
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.198).abs() < 1e-3, "{cost}");
    assert_eq!(finding_of(ranks(19), "made_again"), None);
}

#[test]
fn datatypes_made_again_and_again_are_found_with_what_building_committing_and_freeing_them_takes() {
    let ranks = |times: usize| {
        let one = |_| [Call::Type_vector, Call::Type_commit, Call::Type_free].map(on_nobody);
        (0..2).map(|_| in_a_row((0..times).flat_map(one), 1)).collect()
    };
    let found = finding_of(ranks(100), "made_again");
    says(&found, "headline", "Each rank builds 100 datatypes in MPI_Type_vector");
    says(&found, "advice", "build and commit it once, before the loop");
    // All but one of 100 triples of calls.
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.297).abs() < 1e-3, "{cost}");
    assert_eq!(finding_of(ranks(100), "transfer"), None);
    assert_eq!(finding_of(ranks(19), "made_again"), None);
}

/// Advice that is about other ranks or the network.
fn is_about_others(found: &Value) -> bool {
    let text = format!("{} {} {}", found["headline"], found["detail"], found["advice"]);
    ["all ranks", "overhear network", "together", "bytes"].iter().any(|word| text.contains(word))
}

#[test]
fn a_call_that_is_local_gets_no_advice_about_other_ranks_or_the_network() {
    let calls =
        [Call::Type_indexed, Call::Pack, Call::Alloc_mem, Call::Comm_rank, Call::Group_incl, Call::Reduce_local];
    for call in calls {
        let ranks = (0..2).map(|_| in_a_row((0..10).map(|_| on_nobody(call)), 50)).collect();
        let found = finding_of(ranks, "transfer");
        says(&found, "advice", &call.mpi_name());
        assert!(!is_about_others(&found.unwrap()), "{}", call.mpi_name());
    }
    // Others wait for a rank in such a call.
    let waits = || {
        (0..5).fold(Calls::default(), |calls, at| {
            calls.call(on_nobody(Call::Barrier), (10 + 150 * at) * MILLISECOND, 101 * MILLISECOND)
        })
    };
    let builds = (0..5).fold(Calls::default(), |calls, at| {
        let built = calls.call(on_nobody(Call::Type_indexed), (10 + 150 * at) * MILLISECOND, 100 * MILLISECOND);
        built.call(on_nobody(Call::Barrier), (110 + 150 * at) * MILLISECOND, MILLISECOND)
    });
    let found = finding_of(vec![builds, waits(), waits(), waits()], "slow_call");
    says(&found, "advice", "No other rank takes part in that call");
}

#[test]
fn a_collective_file_call_is_not_told_to_access_the_file_by_all_ranks_together() {
    let advice = |call| {
        let file = signature(0, call, peer::NONE, 64, 0);
        finding_of((0..2).map(|_| in_a_row((0..10).map(|_| file), 50)).collect(), "transfer")
    };
    let collective = advice(Call::File_write_all);
    says(&collective, "advice", "larger pieces");
    says(&collective, "advice", "MPI_File_iwrite_all");
    assert!(!collective.unwrap()["advice"].as_str().unwrap().contains("together"));
    says(&advice(Call::File_write_at), "advice", "by all ranks together");
    says(&advice(Call::File_sync), "advice", "Call it once");
}

#[test]
fn each_rank_that_has_a_lock_in_turn_is_charged_with_its_turn() {
    let of_window = |call| on_object(Signature { source_tag: lock::EXCLUSIVE, ..to(call, 0, tag::NONE) });
    // Milliseconds: the begin and the end of MPI_Win_lock, and the begin of MPI_Win_unlock, which takes one.
    let rank = |[from, got, gives]: [u64; 3]| {
        let object = Definition::Object(Object { number: 2, kind: ObjectKind::Window });
        let origin = Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 });
        (0..10).fold(Calls::default().defines(vec![object, origin]), |calls, step| {
            let [from, got, gives] = [from, got, gives].map(|at| (100 * step + at) * MILLISECOND);
            let calls = calls.call(of_window(Call::Win_lock), from, got - from);
            calls.call(of_window(Call::Win_unlock), gives, MILLISECOND)
        })
    };
    let folder = made(vec![rank([2, 52, 54]), rank([1, 2, 20]), rank([10, 22, 50])], 3).0;
    let waits = ask(&folder.0, "waits", &["--no-cache"]);
    let mut told: Vec<(u64, u64, f64)> = waits
        .rows("waits")
        .iter()
        .filter(|row| row["wait_state"] == "lock_contention")
        .map(|row| {
            (row["rank"].as_u64().unwrap(), row["cause_rank"].as_u64().unwrap(), row["wait_s"].as_f64().unwrap())
        })
        .collect();
    told.sort_by_key(|(rank, cause, _)| (*rank, *cause));
    // Rank 1 has the lock when rank 0 asks for it at 2 ms, and until 20; rank 2 from 22 until 50, which asked at 10.
    assert_eq!(told, [(0, 1, 0.18), (0, 2, 0.28), (2, 1, 0.1)]);
    let found = finding(&folder, "lock_contention");
    says(&found, "headline", "while another rank has the lock");
    says(&found, "advice", "MPI_LOCK_SHARED");
}

#[test]
fn waits_for_a_lock_are_told_from_the_waits_for_those_that_wait_for_it() {
    let of_window = |call| on_object(Signature { source_tag: lock::EXCLUSIVE, ..to(call, 0, tag::NONE) });
    let rank = |times: Option<[u64; 3]>, barrier: u64| {
        let object = Definition::Object(Object { number: 2, kind: ObjectKind::Window });
        let origin = Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 });
        let begin = Calls::default().defines(vec![object, origin]);
        let calls = (0..10).filter_map(|step| Some((step, times?))).fold(begin, |calls, (step, times)| {
            let [from, got, gives] = times.map(|at| (100 * step + at) * MILLISECOND);
            let calls = calls.call(of_window(Call::Win_lock), from, got - from);
            calls.call(of_window(Call::Win_unlock), gives, MILLISECOND)
        });
        calls.call(on_nobody(Call::Barrier), barrier * MILLISECOND, (1001 - barrier) * MILLISECOND)
    };
    let found =
        finding_of(vec![rank(None, 1), rank(Some([2, 3, 52]), 990), rank(Some([4, 53, 98]), 1000)], "lock_contention");
    // Rank 2 waits for rank 1 for 48 ms, ten times; so does rank 0, through rank 2.
    says(&found, "headline", "the lock. It costs at most 472.67 ms per rank");
    says(&found, "detail", "Rank 0 waits for that in MPI_Barrier");
}

#[test]
fn a_run_without_a_finding_says_so_and_where_its_time_in_mpi_is() {
    let rank = || {
        (0..5).fold(Calls::default(), |calls, at| calls.call(both(8), (100 + 50 * at) * MILLISECOND, 30 * MILLISECOND))
    };
    let folder = made(vec![rank(), rank()], 2).0;
    let screen = stdout(&overhear("diagnose", &folder.0, &["--no-cache"]));
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = "The ranks spend 15.0 % of the run in MPI, most of it in MPI_Allreduce at (not told apart): 5 calls of 8 B per rank, each 30.000 ms.";
    assert!(screen.contains("No single cause stands out") && screen.contains(says), "{screen}");
}

#[test]
fn short_small_calls_that_take_a_tenth_of_the_run_are_told_before_larger_ones_are() {
    // Of a second.
    let of = |bytes, calls: u64, microseconds: u64| {
        let one = |calls: Calls, step| {
            let at = MILLISECOND + 400_000 * step;
            calls.call(on_nobody(Call::Barrier), at, 100).call(both(bytes), at + 100_000, microseconds * 1000)
        };
        finding_of((0..2).map(|_| (0..calls).fold(Calls::default(), one)).collect(), "transfer")
    };
    let found = of(8, 2_200, 60);
    says(&found, "advice", "call it less often, if not each result is needed at once");
    let percent = found.unwrap()["percent"].as_f64().unwrap();
    assert!((percent - 13.2).abs() < 0.1, "{percent}");
    assert_eq!(of(8, 1_400, 60), None, "8.4 % of the run");
    assert_eq!(of(100_000, 2_200, 60), None, "its bytes may need that time");
    says(&of(100_000, 2_200, 100), "advice", "send fewer bytes");
}

#[test]
fn what_one_collective_call_takes_the_place_of_is_no_time_of_mpi_itself() {
    // Gathers of 4 ms and broadcasts of 3 ms, the next call each time, and 2 ms of work.
    let rank = || {
        let bytes = 160_000;
        (0..100).fold(Calls::default(), |calls, step| {
            let at = (1 + 9 * step) * MILLISECOND;
            let gather = Signature { site: 1, peer: 0, ..collective(Call::Gather) };
            let back = Signature { site: 2, peer: 0, ..collective(Call::Bcast) };
            let [gather, back] = [gather, back].map(|call| Signature { sent: bytes, received: bytes, ..call });
            calls.call(gather, at, 4 * MILLISECOND).call(back, at + 4 * MILLISECOND + 100, 3 * MILLISECOND)
        })
    };
    let found = ask(&made(vec![rank(), rank()], 2).0.0, "diagnose", &["--no-cache"]);
    let rows = found.rows("findings");
    assert_eq!(rows[0]["kind"], "collective_by_hand", "{rows:#?}");
    assert!(rows.iter().all(|row| row["kind"] != "transfer"), "{rows:#?}");
}

#[test]
fn a_rank_that_sends_to_each_other_in_turn_makes_a_broadcast_and_all_of_them_an_all_to_all() {
    let others = |rank: i32| (0..4).filter(move |other| *other != rank);
    let turns = |rank| (0..10).flat_map(move |_| others(rank).map(|other| send(Call::Send, other, 10_000)));
    let root = in_a_row(turns(0), 30);
    let receives = |_| in_a_row((0..10).map(|_| receive(0, 10_000)), 90);
    let one = std::iter::once(root).chain((1..4).map(receives)).collect();
    says(&finding_of(one, "collective_by_hand"), "headline", "Rank 0 sends to each other rank in turn");
    // With a barrier after each message it is neither.
    let step = |rank| {
        (1..4).flat_map(move |other| {
            (rank == other).then(|| receive(0, 10_000)).into_iter().chain([on_nobody(Call::Barrier)])
        })
    };
    let apart = turns(0).flat_map(|send| [send, on_nobody(Call::Barrier)]);
    let others_apart = (1..4).map(|rank| in_a_row((0..10).flat_map(move |_| step(rank)), 15));
    assert_eq!(
        finding_of(std::iter::once(in_a_row(apart, 15)).chain(others_apart).collect(), "collective_by_hand"),
        None
    );
    let all = (0..4).map(|rank| {
        let receives = (0..10).flat_map(move |_| others(rank).map(|other| receive(other, 10_000)));
        in_a_row(turns(rank).chain(receives), 15)
    });
    says(&finding_of(all.collect(), "collective_by_hand"), "headline", "exchange messages with each other rank");
}

/// A barrier from one time to another, and calls around it.
type Barrier = fn(Calls, u64, u64) -> Calls;

/// The finding on barriers of the first two of these ranks. Rank `late` of the step comes 59 ms after the other one.
fn at_barriers(ranks: u32, count: u64, late: fn(u64) -> u64, barrier: Barrier) -> Option<Value> {
    let rank = |number: u64| {
        (0..count).fold(Calls::default(), |calls, at| {
            let end = 100 * (1 + at) * MILLISECOND;
            barrier(calls, end - if late(at) == number { 21 * MILLISECOND } else { 80 * MILLISECOND }, end)
        })
    };
    let pair = |rank| {
        let name = "pair".into();
        let local = vec![Span { first: 0, count: 2, step: 1 }];
        let members = Members { communicator: 2, local, remote: Vec::new() };
        vec![
            Definition::Communicator(Communicator { number: 2, rank, size: 2, inter: false, name }),
            Definition::Members(members),
        ]
    };
    let idle = (2..ranks).map(|_| Calls::default());
    finding_of(
        [0, 1].map(|number| rank(number).defines(pair(number as i32))).into_iter().chain(idle).collect(),
        "needless_barrier",
    )
}

fn barrier(calls: Calls, from: u64, until: u64) -> Calls {
    calls.call(on_nobody(Call::Barrier), from, until - from)
}

#[test]
fn barriers_at_which_ranks_wait_in_turn_are_needless_and_those_beside_files_are_not() {
    let in_turn = |count, barrier| at_barriers(2, count, |step| step % 2, barrier);
    says(&in_turn(8, barrier), "headline", "8 times");
    let others: [(&str, Barrier); 3] = [
        ("behind a file", |calls, from, until| barrier(calls.call(write(), from - 5_000, 1_000), from, until)),
        ("before a file", |calls, from, until| barrier(calls, from, until).call(write(), until + 5_000, 1_000)),
        ("beside calls that hold all ranks", |calls, from, until| {
            barrier(calls, from, until).call(both(8), until + 5_000, 1_000)
        }),
    ];
    for (what, barrier) in others {
        assert_eq!(in_turn(8, barrier), None, "{what}");
    }
    assert_eq!(at_barriers(2, 9, |step| u64::from(step > 1), barrier), None, "one rank is late mostly");
    let of_pair: Barrier = |calls, from, until| calls.call(on_object(on_nobody(Call::Barrier)), from, until - from);
    says(&at_barriers(2, 8, |step| step % 2, of_pair), "headline", "8 times");
    assert_eq!(at_barriers(3, 8, |step| step % 2, of_pair), None, "some ranks have none");
    let together = |takes: u64| {
        let rank =
            || (0..800).fold(Calls::default(), |calls, at| barrier(calls, at * MILLISECOND, at * MILLISECOND + takes));
        finding_of(vec![rank(), rank()], "needless_barrier")
    };
    says(
        &together(150_000),
        "headline",
        "Every rank is in MPI_Barrier at (not told apart) 800 times, and none is late",
    );
    assert_eq!(together(10_000), None, "they cost 1 % of the run");
}

#[test]
fn a_rank_in_a_call_that_the_others_wait_for_is_named_with_the_call() {
    let waits = || {
        (0..5).fold(Calls::default(), |calls, at| {
            calls.call(on_nobody(Call::Barrier), (10 + 150 * at) * MILLISECOND, 101 * MILLISECOND)
        })
    };
    let writes = (0..5).fold(Calls::default(), |calls, at| {
        let file = signature(0, Call::File_write, peer::NONE, 1 << 20, 0);
        let written = calls.call(file, (10 + 150 * at) * MILLISECOND, 100 * MILLISECOND);
        written.call(on_nobody(Call::Barrier), (110 + 150 * at) * MILLISECOND, MILLISECOND)
    });
    let found = finding_of(vec![writes, waits(), waits(), waits()], "slow_call");
    says(&found, "headline", "Rank 0 is in MPI_File_write");
    // Three of four ranks wait, five times.
    says(&found, "headline", "while the others wait for it. Curing it saves 500.00 ms");
    assert_eq!(found.unwrap()["sites"], "(not told apart)");
}

#[test]
fn large_calls_are_compared_with_what_a_slow_network_allows() {
    // On such a network a mebibyte from each of two ranks takes 17 ms.
    let ranks =
        |count: u64, milliseconds| (0..2).map(|_| in_a_row((0..count).map(|_| both(1 << 20)), milliseconds)).collect();
    says(&finding_of(ranks(20, 25), "transfer"), "advice", "Compare it with what the network allows");
    says(&finding_of(ranks(10, 50), "transfer"), "advice", "No network is that slow");
}

#[test]
fn a_sender_that_is_late_because_the_bottleneck_was_is_said_with_that() {
    // Rank 0 computes nearly all the time, and each 50 ms takes rank 1's message 30 ms late. Rank 1 then computes for 10 ms, as rank 2 does, which waits for it. What
    // ranks did before their first call is unknown.
    let steps = |one: fn(Calls, u64) -> Calls| (0..10).fold(Calls::default(), |calls, at| one(calls, 1 + 50 * at));
    let receives = steps(|calls, at| calls.call(receive(1, 8), (at + 30) * MILLISECOND, 1_000));
    let passes_on = steps(|calls, at| {
        let sent = calls.call(send(Call::Ssend, 0, 8), at * MILLISECOND, 30 * MILLISECOND + 1_000);
        sent.call(send(Call::Send, 2, 8), (at + 40) * MILLISECOND, 1_000)
    });
    let last = steps(|calls, at| calls.call(receive(1, 8), (at + 10) * MILLISECOND, 30 * MILLISECOND + 1_000));
    let folder = made(vec![receives, passes_on, last], 3).0;
    let found = finding(&folder, "late_rank");
    says(&found, "headline", "Rank 0 keeps the others waiting: it computes longest");
    says(&found, "detail", "Rank 1 then comes late, and others wait for that, too.");
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.1833).abs() < 1e-3, "{cost}");
    // A receive that is posted earlier makes the run no shorter.
    assert_eq!(finding(&folder, "late_receiver"), None);
}

#[test]
fn a_rank_that_computes_longest_is_no_finding_where_nobody_waits_for_it() {
    let ranks = |draws: bool| {
        let begun = || Calls::default().call(on_nobody(Call::Barrier), MILLISECOND, 100);
        let longest = begun().call(on_nobody(Call::Barrier), 200 * MILLISECOND, 100);
        let other = match draws {
            // It draws its next task meanwhile.
            true => begun().call(on_nobody(Call::Fetch_and_op), 100 * MILLISECOND, 99 * MILLISECOND).call(
                on_nobody(Call::Barrier),
                200 * MILLISECOND,
                100,
            ),
            false => begun().call(on_nobody(Call::Barrier), 100 * MILLISECOND, 100 * MILLISECOND + 100),
        };
        vec![longest, other]
    };
    says(&finding_of(ranks(false), "late_rank"), "headline", "Rank 0 keeps the others waiting");
    assert_eq!(finding_of(ranks(true), "late_rank"), None);
}
