//! What a run leaves behind, on runs made by hand: objects, requests and messages, and near misses that are freed, completed or received.

use model::matching::{Follow, LeftKind, settled};
use serde_json::{Value, json};
use traces::calls::Call;
use traces::signature::{STARTS, Signature};

use crate::common::made::{Calls, made, on_nobody, receive, send};
use crate::common::recorded::ask;
use crate::common::signature;
use crate::common::stories::{collective, inside, run};
use crate::rules::finding_of;

/// Two hundred fill the second that a run made by hand lasts.
const STEP: u64 = 4_900_000;
const STEPS: u64 = 200;

/// Its headline. Runs made by hand tell no lines.
fn headline(finding: &Option<Value>) -> String {
    let headline = finding.as_ref().map_or("", |found| found["headline"].as_str().unwrap());
    headline.replace(" at (not told apart)", "")
}

/// The calls of one rank, a step at a time.
fn steps(step: impl Fn(Calls, u64, u64) -> Calls) -> Calls {
    (0..STEPS).fold(Calls::default(), |calls, at| step(calls, at, STEP * (1 + at)))
}

/// Makes an object in each step, and frees it in those that the function names.
fn makes(make: Call, free: Call, frees: impl Fn(u64) -> bool) -> Calls {
    steps(|calls, step, at| {
        let calls = calls.call(on_nobody(make), at, STEP / 10);
        let object = if make == Call::Comm_dup { Signature { object: 0, ..on_nobody(free) } } else { on_nobody(free) };
        if frees(step) { calls.call(object, at + STEP / 2, STEP / 10) } else { calls }
    })
}

#[test]
fn objects_that_nothing_frees_are_a_finding_and_those_that_are_freed_are_not() {
    for (make, free, name) in [
        (Call::Comm_dup, Call::Comm_free, "communicator"),
        (Call::Type_contiguous, Call::Type_free, "datatype"),
        (Call::Comm_group, Call::Group_free, "group"),
    ] {
        let left = |frees: fn(u64) -> bool| finding_of(vec![makes(make, free, frees)], "leak");
        let none = left(|_| false);
        let said = format!("Each rank makes 200 {name}s in {} and frees none", make.mpi_name());
        assert!(headline(&none).starts_with(&said), "{none:#?}");
        assert_eq!(none.unwrap()["detail"], json!("20 live after a tenth of the run, 200 at its end."));
        let half = left(|step| step % 2 == 0);
        assert!(headline(&half).contains("and frees 100 of them"), "{half:#?}");
        assert_eq!([left(|_| true), left(|step| step < 185)], [None, None], "{name}");
    }
}

#[test]
fn objects_that_a_phase_of_the_run_makes_are_kept_on_purpose() {
    let phase = |made: std::ops::Range<u64>| {
        steps(|calls, step, at| {
            let call = if made.contains(&step) { Call::Comm_dup } else { Call::Barrier };
            calls.call(on_nobody(call), at, STEP / 10)
        })
    };
    assert_eq!([0..100, 150..200].map(|made| finding_of(vec![phase(made)], "leak")), [None, None]);
    assert!(finding_of(vec![phase(40..200)], "leak").is_some());
}

#[test]
fn objects_that_are_made_and_kept_are_not_said_to_be_freed() {
    let calls = steps(|calls, step, at| {
        let call = if step < 100 { Call::Comm_dup } else { Call::Barrier };
        calls.call(on_nobody(call), at, STEP / 2)
    });
    let found = finding_of(vec![calls], "made_again").unwrap();
    assert!(found["detail"].as_str().unwrap().contains("none is freed"), "{found:#?}");
}

#[test]
fn a_run_that_ends_where_mpi_makes_no_more_communicators_says_so_first() {
    let ends = |made: usize| {
        let calls = inside(&vec![collective(Call::Comm_dup); made], collective(Call::Comm_dup));
        let folder = run(vec![calls.taking(1)]);
        ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings")[0].clone()
    };
    let first = ends(1_100);
    assert_eq!(first["kind"], json!("refused"), "{first:#?}");
    assert!(headline(&Some(first)).contains("no room for more communicators"));
    assert_ne!(ends(600)["kind"], json!("refused"), "no library refuses so early");
}

#[test]
fn receives_that_never_complete_are_left_and_those_that_are_completed_or_given_up_are_not() {
    let posts = |ends: Option<traces::record::RecordKind>| {
        let receives = steps(|calls, _, at| {
            let calls = calls.call(receive(1), at, STEP / 10).call(on_nobody(Call::Wait), at + STEP / 2, STEP / 10);
            match ends {
                Some(traces::record::RecordKind::Completed) => calls.completed(1),
                Some(_) => calls.freed(1),
                None => calls,
            }
        });
        vec![receives, steps(|calls, _, at| calls.call(on_nobody(Call::Barrier), at, STEP / 10))]
    };
    let left = finding_of(posts(None), "leak");
    assert_eq!(headline(&left), "Rank 0 begins 200 requests in MPI_Irecv and never completes any.", "{left:#?}");
    for ends in [traces::record::RecordKind::Completed, traces::record::RecordKind::Freed] {
        assert_eq!(finding_of(posts(Some(ends)), "leak"), None);
    }
}

/// Rank 1 sends a message in each step, which rank 0 receives then, in the last part of the run, or never.
fn log(receives: impl Fn(u64) -> u64) -> Vec<Calls> {
    let sends = steps(|calls, _, at| calls.call(send(Call::Send, 0, 8), at, STEP / 10));
    let take = |calls: Calls, at, some| {
        (0..some).fold(calls, |calls, one| {
            calls.call(signature(0, Call::Recv, 1, 0, 8), at + STEP / 2 + one * STEP / 1_000, STEP / 10_000)
        })
    };
    vec![steps(|calls, step, at| take(calls.call(on_nobody(Call::Comm_size), at, 100), at, receives(step))), sends]
}

#[test]
fn messages_that_are_never_received_are_a_finding_and_those_taken_at_once_are_not() {
    let never = finding_of(log(|_| 0), "untaken");
    let said = "Rank 1 sends 200 messages (1.6 KiB) in MPI_Send that rank 0 never receives: up to 200 lie there.";
    assert_eq!(headline(&never), said, "{never:#?}");
    assert_eq!(never.unwrap()["ranks"], json!("0"));
    assert_eq!(finding_of(log(|_| 1), "untaken"), None);
    // They cost nothing where no other message is received meanwhile.
    assert_eq!(finding_of(log(|step| if step == 199 { 200 } else { 0 }), "untaken"), None);
}

#[test]
fn the_account_says_how_many_messages_and_requests_lie_there_over_time() {
    let (_folder, run) = made(log(|step| if step == 199 { 200 } else { 0 }), 2);
    let account = settled(&run, Follow::QUEUES).account;
    let ((from, to), lying) = account.untaken.iter().next().unwrap();
    assert_eq!((from.rank, *to, lying.never), (1, 0, 0));
    assert_eq!(lying.lying.most(), lying.messages as i64);
    assert!((185..=195).contains(&lying.messages), "those of the last part are taken there: {lying:?}");
    let receives =
        steps(|calls, _, at| calls.call(Signature { flags: STARTS, ..send(Call::Isend, 0, 8) }, at, STEP / 10));
    let (_folder, run) = made(vec![receives], 1);
    let account = settled(&run, Follow::QUEUES).account;
    let left: Vec<_> = account.left_over.iter().map(|((_, kind), left)| (*kind, left.live.at_end())).collect();
    assert_eq!(left, [(LeftKind::Request, 200)]);
}

#[test]
fn calls_that_take_longer_and_longer_are_found_with_what_grows_and_calls_as_long_as_ever_are_not() {
    let lasts = |time: fn(u64) -> u64| {
        let tests = |other| {
            steps(|calls, step, at| {
                let calls = calls.call(receive(other), at, 1_000);
                let calls = calls.call(on_nobody(Call::Iprobe), at + 10_000, time(step));
                if step + 1 < STEPS {
                    return calls;
                }
                (1..=STEPS).rev().fold(calls.call(on_nobody(Call::Waitall), at + STEP / 2, 1_000), Calls::completed)
            })
        };
        finding_of(vec![tests(1), tests(0)], "drift")
    };
    let longer = lasts(|step| 100_000 + 10_000 * step);
    let said = "Calls of MPI_Iprobe take longer and longer: 195.00 µs in the first tenth of the run, 2.010 ms in the last one.";
    assert!(headline(&longer).starts_with(said), "{longer:#?}");
    assert!(longer.unwrap()["detail"].as_str().unwrap().ends_with("grow from 20 to 193."));
    assert_eq!([lasts(|_| 1_000_000), lasts(|step| 2_000_000 - 5_000 * step)], [None, None]);
}
