//! The findings on polls in vain, on runs made by hand: what a rank does between them decides what they cost.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Counters, Definition, Usage, UsageMoment};
use traces::progress::Polls;
use traces::signature::{Signature, peer};

use crate::common::made::{Calls, made, on_nobody, receive, send};
use crate::common::recorded::ask;
use crate::common::{BEGIN, overhear, signature, stdout};

const MILLISECOND: u64 = 1_000_000;
const ROUNDS: u64 = 10;

fn probe() -> Signature {
    signature(0, Call::Iprobe, peer::ANY, 0, 0)
}

fn take() -> Signature {
    signature(0, Call::Recv, 0, 0, 8)
}

/// A run of polls over 80 ms, of which this part is in MPI.
fn in_vain(count: u64, milliseconds: u64) -> Polls {
    let gaps = [100, 2 * MILLISECOND as u32];
    Polls {
        end: 80 * MILLISECOND,
        count,
        total: milliseconds * MILLISECOND,
        gaps,
        durations: [50, 900],
        ..Polls::default()
    }
}

/// Sends a message each 90 ms, from the second millisecond on.
fn sender() -> Calls {
    let one = |calls: Calls, round: u64| calls.call(send(Call::Send, 1, 8), (2 + 90 * round) * MILLISECOND, 1000);
    (0..=ROUNDS).fold(Calls::default(), one)
}

/// Probes until each of these messages is there, and receives it.
fn poller(polls: Polls) -> Calls {
    let one = |calls: Calls, round: u64| {
        let at = (3 + 90 * round) * MILLISECOND;
        let calls = calls.call(probe(), at, 1000).got(0, 8).call(take(), at + 2000, 1000);
        if round < ROUNDS { calls.call(probe(), at + 3 * MILLISECOND, 1000).polls(polls) } else { calls }
    };
    (0..=ROUNDS).fold(Calls::default(), one)
}

/// The processor time of a rank that ran for so many milliseconds of a second.
fn ran(milliseconds: u64) -> Vec<Definition> {
    let usage = |moment, at, ran| {
        [None, Some(0)].map(|thread| {
            Definition::Usage(Usage {
                moment,
                thread,
                ticks: BEGIN + at * MILLISECOND,
                core: None,
                allowed: Vec::new(),
                counters: Some(Counters { user: ran * MILLISECOND, ..Counters::default() }),
                delay: Some(0),
                threads: Some(1),
                host: None,
            })
        })
    };
    [usage(UsageMoment::Initialized, 0, 0), usage(UsageMoment::Finalizing, 1000, milliseconds)].concat()
}

fn findings(ranks: Vec<Calls>) -> Vec<Value> {
    let size = ranks.len() as u32;
    ask(&made(ranks, size).0.0, "diagnose", &["--no-cache"]).rows("findings").to_vec()
}

fn polling(ranks: Vec<Calls>) -> Option<Value> {
    findings(ranks).into_iter().find(|row| row["kind"] == "polling")
}

#[track_caller]
fn says(found: &Option<Value>, key: &str, said: &str) {
    let text = found.as_ref().map_or("", |found| found[key].as_str().unwrap());
    assert!(text.contains(said), "{said}: {found:#?}");
}

#[test]
fn a_rank_that_does_nothing_but_poll_waits_for_the_rank_whose_message_it_finds_in_the_end() {
    let found = polling(vec![sender(), poller(in_vain(400_000, 70))]);
    says(&found, "headline", "and does nothing between the polls");
    says(&found, "headline", "Rank 1 polls 4,000,0");
    says(&found, "detail", "It waits for rank 0, which is outside MPI");
    says(&found, "advice", "See why rank 0 sends so late.");
    says(&found, "advice", "MPI_Recv or MPI_Probe waits");
    // Ten runs of 80 ms, on one of two ranks.
    let cost = found.unwrap()["at_most_s"].as_f64().unwrap();
    assert!((cost - 0.4).abs() < 0.005, "{cost}");
}

#[test]
fn a_rank_that_tests_for_a_request_waits_for_the_rank_at_its_other_end() {
    let one = |calls: Calls, round: u64| {
        let at = (3 + 90 * round) * MILLISECOND;
        let test = signature(0, Call::Test, peer::NONE, 0, 0);
        let calls = calls.call(test, at, 1000).polls(in_vain(400_000, 70)).call(test, at + 85 * MILLISECOND, 1000);
        calls.completed(1).call(receive(0), at + 86 * MILLISECOND, 1000)
    };
    let test = signature(0, Call::Test, peer::NONE, 0, 0);
    let first = Calls::default().call(test, 1000, 100).call(receive(0), 2000, 100);
    let found = polling(vec![sender(), (0..ROUNDS).fold(first, one)]);
    says(&found, "headline", "and does nothing between the polls");
    says(&found, "detail", "It waits for rank 0");
    says(&found, "advice", "MPI_Wait waits without a loop");
}

#[test]
fn a_rank_that_sleeps_between_its_polls_is_said_to_and_one_that_works_there_is_not() {
    // 19 polls for each message, 4 ms apart.
    let screen = |milliseconds| {
        let folder = made(vec![sender(), poller(in_vain(19, 1)).defines(ran(milliseconds))], 2).0;
        stdout(&overhear("diagnose", &folder.0, &["--no-cache"])).replace('\n', " ")
    };
    let sleeps = screen(20);
    assert!(!sleeps.contains("No single cause stands out"), "{sleeps}");
    assert!(sleeps.contains("what they do between the polls is not known, and may be nothing"), "{sleeps}");
    assert!(!screen(990).contains("between the polls"));
}

#[test]
fn polls_of_a_rank_whose_processor_time_is_unknown_are_no_finding_but_no_comfort_either() {
    let folder = made(vec![sender(), poller(in_vain(19, 1))], 2).0;
    let screen = stdout(&overhear("diagnose", &folder.0, &["--no-cache"])).replace('\n', " ");
    assert!(!screen.contains("No single cause stands out"), "{screen}");
    assert!(screen.contains("what they do between the polls is not known, and may be nothing"), "{screen}");
}

#[test]
fn a_rank_whose_polls_never_find_anything_pays_for_the_calls_and_waits_for_nobody() {
    let rank = || {
        let one = |calls: Calls, round: u64| {
            let at = (1 + 90 * round) * MILLISECOND;
            calls.call(probe(), at, 100).polls(in_vain(400_000, 70)).call(
                on_nobody(Call::Barrier),
                at + 85 * MILLISECOND,
                1000,
            )
        };
        (0..ROUNDS).fold(Calls::default(), one)
    };
    let found = polling(vec![rank(), rank()]);
    // What they do between two is not known: they pay for the calls.
    says(&found, "headline", "Ranks 0-1 call MPI_Iprobe");
    says(&found, "headline", "8,000,020 times, all unsuccessful.");
    assert!((found.as_ref().unwrap()["at_most_s"].as_f64().unwrap() - 0.7).abs() < 1e-3, "{found:#?}");
    says(&found, "advice", "after larger pieces of work");
}

#[test]
fn polls_in_vain_are_not_time_that_mpi_itself_takes() {
    let found = findings(vec![sender(), poller(in_vain(400_000, 79))]);
    assert!(found.iter().all(|row| row["kind"] != "transfer"), "{found:#?}");
    assert_eq!(found[0]["kind"], "polling", "{found:#?}");
    let waits = made(vec![sender(), poller(in_vain(400_000, 79))], 2).0;
    let waits = stdout(&overhear("waits", &waits.0, &["--no-cache"]));
    assert!(waits.contains("polls are no waits: 790.02 ms over all ranks"), "{waits}");
}

#[test]
fn one_rank_of_several_that_polls_nearly_all_the_time_serves_the_others_and_costs_nothing() {
    let polls = Polls { end: 85 * MILLISECOND, ..in_vain(400_000, 70) };
    let works = || Calls::default().call(on_nobody(Call::Barrier), 990 * MILLISECOND, 1000);
    let found = polling(vec![sender(), poller(polls), works()]);
    says(&found, "headline", "Rank 1 only serves: it polls 4,000,0");
    says(&found, "detail", "It waits for rank 0");
    says(&found, "advice", "If that is not intended, give it a share of the other ranks' work.");
    assert_eq!(found.unwrap()["at_most_s"], Value::Null);
}

#[test]
fn ranks_that_sleep_between_two_looks_see_late_what_others_wait_for_and_those_that_work_there_do_not() {
    // Two ranks pass a message to and fro 50 times; each looks for it at once, and again after 9 ms, in which it came.
    let (test, pass) = (signature(0, Call::Test, peer::NONE, 0, 0), 10 * MILLISECOND);
    let rank = |first: u64, peer: i32, first_look: u32| {
        (0..50).fold(Calls::default(), |calls, turn| {
            let at = MILLISECOND + 2 * pass * turn + first * pass;
            let calls = calls.call(send(Call::Send, peer, 8), at, 1000).call(receive(peer), at + 2000, 100);
            let calls = calls.call(Signature { site: first_look, ..test }, at + 3000, 300);
            calls.call(test, at + pass + 9 * MILLISECOND, 300).completed(1)
        })
    };
    let looking = |ran_for: u64, first_look: u32| {
        polling([(0, 1), (1, 0)].map(|(one, other)| rank(one, other, first_look).defines(ran(ran_for))).into())
    };
    let of = |ran_for| looking(ran_for, 0);
    let found = of(20);
    let saved = |found: &Option<Value>| found.as_ref().unwrap()["saves_s"].as_f64().unwrap();
    assert!((saved(&looking(20, 7)) - saved(&found)).abs() < 0.001, "the look before the last one is at another line");
    says(&found, "headline", "Ranks 0-1 sleep between two looks in MPI_Test");
    says(&found, "headline", "18.997 ms on average, and see what comes late 100 times");
    says(&found, "advice", "Call MPI_Wait instead of looking and sleeping");
    assert_eq!(of(990), None, "it works between its looks");
}
