//! Rules on what calls take by themselves: each finds its case with the cost, and its cure is accused of nothing; advice fits what was done.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{
    CallLayout, Communicator, Datatype, Definition, Elements, Members, Object, ObjectKind, Origin, SourcePlace, Span,
};
use traces::layout::BYTES as BYTES_IN_A_ROW;
use traces::signature::{Signature, peer};

use crate::common::made::{Calls, made, on_nobody, send, write_threads};
use crate::common::recorded::ask;
use crate::common::{Folder, signature};

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;

fn findings(ranks: Vec<Calls>) -> Vec<Value> {
    let size = ranks.len() as u32;
    let folder = made(ranks, size).0;
    ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

fn kinds(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|found| found["kind"].as_str().unwrap()).collect()
}

fn text<'f>(found: &'f [Value], kind: &str, key: &str) -> &'f str {
    let of_kind = found.iter().find(|found| found["kind"] == kind);
    of_kind.and_then(|found| found[key].as_str()).unwrap_or_else(|| panic!("no {kind}: {found:#?}"))
}

/// Two ranks that do the same, one call after the other, each as many nanoseconds after the last and as long.
fn alike(all: &[(Signature, u64, u64)], more: &[Definition]) -> Vec<Calls> {
    let rank = |_| {
        let mut at = MILLISECOND;
        all.iter().fold(Calls::default().defines(more.to_vec()), |calls, (call, gap, duration)| {
            let begin = at + gap;
            at = begin + duration;
            calls.call(*call, begin, *duration)
        })
    };
    (0..2).map(rank).collect()
}

fn window() -> [Definition; 2] {
    [
        Definition::Object(Object { number: 2, kind: ObjectKind::Window }),
        Definition::Origin(Origin { number: 2, parent: 1, ordinal: 0 }),
    ]
}

/// 200 accesses of 8 bytes, with a call that completes so many of them and takes so long.
fn epochs(ends: Call, accesses: usize, duration: u64) -> Vec<Value> {
    let on_window = |call, bytes| Signature { object: 2, ..signature(0, call, 0, bytes, 0) };
    let access = (on_window(Call::Put, 8), MICROSECOND, MICROSECOND);
    let end = (on_window(ends, 0), MICROSECOND, duration);
    let one = [vec![access; accesses], vec![end]].concat();
    findings(alike(&one.repeat(200 / accesses), &window()))
}

#[test]
fn an_epoch_for_each_small_put_is_found_with_what_epochs_cost_and_an_epoch_of_many_is_not() {
    for (ends, once) in [
        (Call::Win_fence, "call MPI_Win_fence once"),
        (Call::Win_flush, "flush once"),
        (Call::Win_unlock, "unlock after the last"),
    ] {
        let found = epochs(ends, 1, MILLISECOND);
        let headline = text(&found, "small_epochs", "headline");
        assert!(headline.starts_with(&format!("Each rank ends 200 epochs in {}", ends.mpi_name())), "{headline}");
        assert!(headline.contains("200 in a row, each for one access of 8 B by MPI_Put"), "{headline}");
        assert!(text(&found, "small_epochs", "advice").contains(once), "{found:#?}");
        // All but one of 200 calls.
        let cost = found[0]["at_most_s"].as_f64().unwrap();
        assert!((cost - 0.199).abs() < 1e-3, "{cost}");
        assert!(!kinds(&epochs(ends, 100, 150 * MILLISECOND)).contains(&"small_epochs"));
    }
}

#[test]
fn a_call_that_completes_many_small_accesses_is_told_what_each_costs() {
    let found = epochs(Call::Win_fence, 100, 150 * MILLISECOND);
    let advice = text(&found, "transfer", "advice");
    assert!(advice.starts_with("Each completes 100 accesses of 8 B, which is 1.500 ms per access"), "{advice}");
}

#[test]
fn calls_with_more_work_between_than_they_cost_are_not_told_to_become_one() {
    let both = Signature { received: 64, ..signature(0, Call::Allreduce, peer::NONE, 64, 0) };
    let collectives = |gap| findings(alike(&[(both, gap, 20 * MICROSECOND)].repeat(5000), &[]));
    assert!(kinds(&collectives(18 * MICROSECOND)).contains(&"small_collectives"));
    assert!(!kinds(&collectives(40 * MICROSECOND)).contains(&"small_collectives"), "each step needs its sum");
    let messages = |gap: u64| {
        let row = |of: Signature| {
            let at = |message: u64| MILLISECOND + message * (gap + 20 * MICROSECOND);
            (0..5000).fold(Calls::default(), |calls, message| calls.call(of, at(message), 20 * MICROSECOND))
        };
        findings(vec![row(send(Call::Send, 1, 64)), row(signature(0, Call::Recv, 0, 0, 64))])
    };
    assert!(kinds(&messages(30 * MICROSECOND)).contains(&"small_messages"), "less than the send and the receive");
    assert!(!kinds(&messages(80 * MICROSECOND)).contains(&"small_messages"), "the receiver waits for each");
}

#[test]
fn sums_of_three_lines_directly_behind_each_other_could_be_one_and_those_with_time_between_could_not() {
    let at_line = |site| Signature { received: 8, site, ..signature(0, Call::Allreduce, peer::NONE, 8, 0) };
    let of = |gap: u64| {
        let length = 40 * MICROSECOND;
        let sums = [(at_line(1), 150 * MICROSECOND, length), (at_line(2), gap, length), (at_line(3), gap, length)];
        let place = |site| {
            Definition::Place(SourcePlace { site, file: "cg.c".into(), line: 40 + site, function: "dots".into() })
        };
        findings(alike(&sums.repeat(3000), &[1, 2, 3].map(place)))
    };
    let found = of(MICROSECOND / 5);
    let headline = text(&found, "small_collectives", "headline");
    let told =
        "Calls of MPI_Allreduce at cg.c:42 and cg.c:43 follow directly on MPI_Allreduce at cg.c:41, 12,000 times";
    assert!(headline.starts_with(told), "{headline}");
    assert!(!kinds(&of(2 * MICROSECOND)).contains(&"small_collectives"), "there is time to use a sum");
}

#[test]
fn a_sum_that_a_root_hands_back_could_be_one_call_for_all_and_one_of_other_bytes_could_not() {
    let root = |call, bytes| Signature { received: bytes, ..signature(0, call, 0, bytes, 0) };
    let of = |back| {
        let both = [
            (root(Call::Reduce, 800), 200 * MICROSECOND, 90 * MICROSECOND),
            (root(Call::Bcast, back), MICROSECOND, 90 * MICROSECOND),
        ];
        findings(alike(&both.repeat(2000), &[]))
    };
    let found = of(800);
    let headline = text(&found, "collective_by_hand", "headline");
    assert!(headline.contains("2,000 times, 800 B each"), "{headline}");
    assert_eq!(text(&found, "collective_by_hand", "advice"), "Call MPI_Allreduce in place of both.");
    assert!(!kinds(&of(24)).contains(&"collective_by_hand"), "other data goes out");
}

#[test]
fn sums_with_another_collective_call_between_are_no_row() {
    let all = |call| Signature { received: 64, ..signature(0, call, peer::NONE, 64, 0) };
    let sums = [(all(Call::Allreduce), MICROSECOND, 100 * MICROSECOND)];
    let exchanges = [(all(Call::Alltoall), MICROSECOND, 100 * MICROSECOND)];
    let of = |one: &[(Signature, u64, u64)]| findings(alike(&one.repeat(3000), &[]));
    assert!(kinds(&of(&sums)).contains(&"small_collectives"));
    assert!(!kinds(&of(&[sums, exchanges].concat())).contains(&"small_collectives"));
}

#[test]
fn messages_that_nobody_receives_are_not_told_to_be_collected() {
    let sends = || {
        (0..500).fold(Calls::default(), |calls, at| {
            calls.call(send(Call::Send, 1, 8), MILLISECOND + 100 * MICROSECOND * at, 99 * MICROSECOND)
        })
    };
    let receives = |count| {
        (0..count).fold(Calls::default(), |calls, at| {
            let receive = signature(0, Call::Recv, 0, 0, 8);
            calls.call(receive, MILLISECOND + 100 * MICROSECOND * at, 99 * MICROSECOND)
        })
    };
    let taken = findings(vec![sends(), receives(500)]);
    assert!(text(&taken, "small_messages", "advice").starts_with("Collect them in a buffer"));
    let untaken = findings(vec![sends(), receives(100)]);
    assert!(text(&untaken, "small_messages", "detail").ends_with("400 messages are never received."), "{untaken:#?}");
    assert!(text(&untaken, "small_messages", "advice").starts_with("Receive them, or do not send them"));
}

#[test]
fn communicators_that_are_never_freed_are_not_said_to_cost_the_call_that_frees_them() {
    let step = |call| (on_nobody(call), MICROSECOND, MILLISECOND);
    let freed = findings(alike(&[step(Call::Comm_dup), step(Call::Comm_free)].repeat(100), &[]));
    assert!(text(&freed, "made_again", "detail").ends_with("with the call that frees it."));
    let kept = findings(alike(&[step(Call::Comm_dup)].repeat(100), &[]));
    assert!(text(&kept, "made_again", "detail").ends_with("none is freed: MPI_Comm_free is never called."));
}

#[test]
fn what_ranks_that_have_no_records_here_may_be_waited_for_is_not_what_mpi_takes() {
    let barriers = [(on_nobody(Call::Barrier), MILLISECOND, 50 * MILLISECOND)].repeat(10);
    let whole = findings(alike(&barriers, &[]));
    assert_eq!(kinds(&whole), ["transfer"]);
    // Two of three ranks have files.
    let rank = |rank: i32| {
        let span = Span { first: 0, count: 3, step: 1 };
        let world = Communicator { number: 3, rank, size: 3, inter: false, name: "three".into() };
        let members = Members { communicator: 3, local: vec![span], remote: Vec::new() };
        let calls = Calls::default().defines(vec![Definition::Communicator(world), Definition::Members(members)]);
        (0..10).fold(calls, |calls, at| {
            let barrier = Signature { object: 3, ..on_nobody(Call::Barrier) };
            calls.call(barrier, (1 + 51 * at) * MILLISECOND, 50 * MILLISECOND)
        })
    };
    let part = findings(vec![rank(0), rank(1)]);
    assert_eq!(kinds(&part), ["unseen_ranks"]);
    let headline = text(&part, "unseen_ranks", "headline");
    assert!(headline.starts_with("Ranks are in MPI_Barrier"), "{headline}");
    assert!(headline.contains(" with ranks that have no records here. It costs at most 500"), "{headline}");
    let accepts = [(on_nobody(Call::Comm_accept), MILLISECOND, 300 * MILLISECOND)];
    let accepted = findings(alike(&accepts, &[]));
    assert_eq!(kinds(&accepted), ["unseen_ranks"]);
    let headline = text(&accepted, "unseen_ranks", "headline");
    assert!(headline.starts_with("Ranks wait in MPI_Comm_accept"), "{headline}");
    assert!(headline.contains(" until the other side comes"), "{headline}");
}

#[test]
fn a_file_that_is_opened_once_is_not_told_to_be_opened_once() {
    let opens = |times| {
        let open = (on_nobody(Call::File_open), MILLISECOND, 100 * MILLISECOND);
        findings(alike(&[open].repeat(times), &[]))
    };
    let once = opens(1);
    assert_eq!(once[0]["kind"], "transfer");
    assert_eq!(once[0]["advice"], Value::Null);
    assert!(text(&opens(10), "transfer", "advice").starts_with("Open the file once"));
}

/// The finding on two threads of each of two ranks. The first one makes 200 calls of 1 us alone, then both make 1,000 calls, as many nanoseconds long, at
/// the same time, and are outside MPI for as long between two.
fn threads(length: u64, outside: u64) -> Vec<Value> {
    let folder = Folder::new();
    let exchange = |_| Signature { source: 0, source_tag: 5, received: 4, ..signature(0, Call::Sendrecv, 0, 4, 0) };
    let mut calls: Vec<(u32, u64, u64)> = (0..200).map(|at| (0, 1_100 * at, 1_100 * at + MICROSECOND)).collect();
    for at in 0..1000 {
        for thread in [0, 1] {
            let begin = 300 * MICROSECOND + u64::from(thread) * length / 2 + (length + outside + 10) * at;
            calls.push((thread, begin, begin + length));
        }
    }
    for rank in [0, 1] {
        write_threads(&folder, rank, exchange, &calls);
    }
    ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

#[test]
fn threads_whose_calls_take_longer_with_another_one_inside_are_found_unless_they_compute() {
    let found = threads(200 * MICROSECOND, 0);
    let headline = text(&found, "threads_together", "headline");
    assert!(
        headline.starts_with("2 threads of a rank are in MPI at the same time and hinder each other"),
        "{headline}"
    );
    let cost = found.iter().find(|found| found["kind"] == "threads_together").unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.198).abs() < 5e-3, "{cost}");
    assert!(!kinds(&threads(MICROSECOND, 0)).contains(&"threads_together"), "as long as alone");
    assert!(!kinds(&threads(200 * MICROSECOND, 100 * MICROSECOND)).contains(&"threads_together"), "they compute");
}

/// A megabyte from each of two ranks to the other, 100 times, by calls of so long that hand it over in pieces of so many bytes. At another
/// line the ranks exchange a megabyte side by side, in calls of `alike` nanoseconds, if that is not 0.
fn exchanges(duration: u64, piece: u64, alike: u64) -> Vec<Value> {
    const BYTES: u64 = 1 << 20;
    let datatype = |number, size| Datatype { number, size, extent: 2 * size as i64, pieces: Some(1), joins: false };
    let elements = vec![Elements { datatype: 2, count: BYTES / piece, times: 1 }];
    let layout = CallLayout { number: 1, parts: 0, sent: elements.clone(), received: elements };
    let place = |site| SourcePlace { site, file: "p.c".into(), line: site, function: "main".into() };
    let definitions = vec![
        Definition::Datatype(Datatype { extent: 1, joins: true, ..datatype(BYTES_IN_A_ROW, 1) }),
        Definition::Datatype(datatype(2, piece)),
        Definition::CallLayout(layout),
        Definition::Place(place(7)),
        Definition::Place(place(8)),
    ];
    let rank = |other: i32| {
        let exchange = Signature { source: other, source_tag: 5, ..signature(0, Call::Sendrecv, other, BYTES, BYTES) };
        let (in_pieces, in_a_row) =
            (Signature { site: 7, parts: u32::from(piece < BYTES), ..exchange }, Signature { site: 8, ..exchange });
        (0..100).fold(Calls::default().defines(definitions.clone()), |calls, at| {
            let begin = MILLISECOND + 8 * MILLISECOND * at;
            let calls = calls.call(in_pieces, begin, duration);
            if alike == 0 { calls } else { calls.call(in_a_row, begin + 5 * MILLISECOND, alike) }
        })
    };
    findings(vec![rank(1), rank(0)])
}

#[test]
fn calls_that_take_longer_than_copies_are_data_in_pieces_if_their_datatype_scatters_it() {
    let slow = exchanges(4 * MILLISECOND, 8, 0);
    let headline = text(&slow, "data_in_pieces", "headline");
    // 1 MiB at 10 GB/s, in and out: 0.21 ms.
    assert!(
        headline.contains(" takes 19 times as long as to copy its bytes: 1.0 MiB lie in 131,072 pieces of 8 B"),
        "{headline}"
    );
    let cost = slow[0]["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.379).abs() < 1e-3, "{cost}");
    assert_eq!(kinds(&exchanges(4 * MILLISECOND, 1 << 20, 0)), ["transfer"]);
    for (duration, piece) in [(4 * MILLISECOND, 8192), (240 * MICROSECOND, 8)] {
        assert!(!kinds(&exchanges(duration, piece, 0)).contains(&"data_in_pieces"), "{duration} {piece}");
    }
}

#[test]
fn calls_with_pieces_are_compared_with_those_of_the_run_whose_bytes_lie_side_by_side() {
    let slow = exchanges(2 * MILLISECOND, 32, 100 * MICROSECOND);
    let headline = text(&slow, "data_in_pieces", "headline");
    assert!(
        headline.contains("MPI_Sendrecv at p.c:7 takes 20 times as long as for the same bytes side by side"),
        "{headline}"
    );
    assert!(
        text(&slow, "data_in_pieces", "detail").contains("100.00 µs, as those of MPI_Sendrecv at p.c:8"),
        "{slow:#?}"
    );
    // A slow memory is no reason to pack.
    assert!(!kinds(&exchanges(2 * MILLISECOND, 32, 2 * MILLISECOND)).contains(&"data_in_pieces"));
}
