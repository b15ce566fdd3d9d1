//! The finding on late ranks, on runs made by hand: what they compute before each of many sums tells why they are late.

use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{Counters, Definition, SourcePlace, Usage, UsageMoment};
use traces::signature::{Signature, peer};

use crate::common::made::{Calls, made};
use crate::common::recorded::ask;
use crate::common::{BEGIN, SECOND, signature};

const MICROSECOND: u64 = 1_000;

/// The findings on late ranks where each rank computes so many microseconds before each of some sums.
fn found(ranks: u64, steps: u64, computes: impl Fn(u64, u64) -> u64) -> Vec<Value> {
    found_beside(LastRank::default(), ranks, steps, computes)
}

/// The last rank's second beside its computation, in microseconds.
#[derive(Clone, Copy, Default)]
struct LastRank {
    /// It did not run though it was ready.
    delayed: u64,
    asleep: u64,
    in_kernel: u64,
    faults: u64,
}

/// Such findings where the last rank did something else, too.
fn found_beside(last: LastRank, ranks: u64, steps: u64, computes: impl Fn(u64, u64) -> u64) -> Vec<Value> {
    let mut calls: Vec<Calls> = (0..ranks).map(|_| Calls::default()).collect();
    let sum = signature(0, Call::Allreduce, peer::NONE, 8, 8);
    let mut now = 1_000;
    for step in 0..=steps {
        let times: Vec<u64> =
            (0..ranks).map(|rank| if step == 0 { 0 } else { computes(rank, step - 1) * MICROSECOND }).collect();
        let end = now + times.iter().max().unwrap() + 1_000;
        let one = |(calls, time): (Calls, u64)| calls.call(sum, now + time, end - now - time);
        calls = calls.into_iter().zip(times).map(one).collect();
        now = end;
    }
    let calls = calls
        .into_iter()
        .zip(1..)
        .map(|(calls, rank)| calls.defines(ran(if rank == ranks { last } else { LastRank::default() })))
        .collect();
    let answer = ask(&made(calls, ranks as u32).0.0, "diagnose", &["--no-cache"]);
    let kinds = ["late_rank", "sporadic_delay", "chain", "serial_work"];
    answer.rows("findings").iter().filter(|row| kinds.iter().any(|kind| row["kind"] == *kind)).cloned().collect()
}

/// The readings of a rank that ran for the whole second but for these times.
fn ran(beside: LastRank) -> Vec<Definition> {
    let LastRank { delayed, asleep, in_kernel, faults } = beside;
    let usage = |moment, at: u64| {
        let counted = |count: u64| if at > 0 { count } else { 0 };
        let [delay, system] = [delayed, in_kernel].map(|time| counted(time * MICROSECOND));
        let user = counted(SECOND - (delayed + asleep + in_kernel) * MICROSECOND);
        let counters = Counters { user, system, minor_faults: counted(faults), ..Counters::default() };
        [None, Some(0)].map(|thread| {
            Definition::Usage(Usage {
                moment,
                thread,
                ticks: BEGIN + at,
                core: None,
                allowed: Vec::new(),
                counters: Some(counters),
                delay: Some(delay),
                threads: Some(1),
                host: None,
            })
        })
    };
    [usage(UsageMoment::Initialized, 0), usage(UsageMoment::Finalizing, SECOND)].concat()
}

fn headline(found: &[Value]) -> &str {
    found.first().map_or("", |found| found["headline"].as_str().unwrap())
}

#[test]
fn a_rank_with_more_work_in_most_steps_is_late_for_that_though_it_has_little_in_some() {
    // In 51 of 100 steps the last rank computes 800 us longer than the others, which explains 88 % of what they wait.
    let all = found(5, 100, |rank, step| match (rank, step % 10) {
        (4, 0) => 7_000,
        (4, 1..=5) => 2_800,
        (4, 6) if step == 6 => 2_800,
        (4, _) => 500,
        _ => 2_000,
    });
    assert!(headline(&all).starts_with("Rank 4 keeps the others waiting: it computes longest"), "{all:#?}");
}

#[test]
fn a_rank_with_a_bit_more_work_that_takes_far_longer_now_and_then_is_late_for_that() {
    let all = found(5, 100, |rank, step| match (rank, step % 10) {
        (4, 0) => 30_000,
        (4, _) => 2_600,
        _ => 2_000,
    });
    let said = "Now and then rank 4 is late: 10 of 100 times";
    assert!(
        headline(&all).starts_with(said)
            && headline(&all).contains("takes 30.000 ms on average, not the usual 2.000 ms"),
        "{all:#?}"
    );
}

#[test]
fn rare_cases_explain_what_the_scheduler_does_not() {
    // Of 124 ms that the last rank is late, it is 70 ms late in ten long cases.
    let said = |delayed| {
        let all =
            found_beside(LastRank { delayed, ..LastRank::default() }, 5, 100, |rank, step| match (rank, step % 10) {
                (4, 0) => 9_000,
                (4, _) => 2_600,
                _ => 2_000,
            });
        headline(&all).to_string()
    };
    assert!(said(0).starts_with("Rank 4 keeps the others waiting"), "{}", said(0));
    assert!(said(37_000).starts_with("Now and then rank 4 is late: 10 of 100 times"), "{}", said(37_000));
}

#[test]
fn ranks_that_are_late_for_a_stretch_of_the_run_each_are_told_so() {
    let all = found(4, 40, |rank, step| if step / 10 == rank { 5_000 } else { 2_000 });
    assert!(headline(&all).starts_with("One rank after another is late"), "{all:#?}");
    // Though all others wait for it nearly all the time, and though each has several stretches.
    let by_turns = |length: u64| {
        let all = found(2, 200, |rank, step| if step / length % 2 == rank { 5_000 } else { 100 });
        headline(&all).to_string()
    };
    assert!(by_turns(25).starts_with("One rank after another is late"), "{}", by_turns(25));
    assert!(by_turns(4).starts_with("One rank after another is late"), "{}", by_turns(4));
    assert!(by_turns(3).starts_with("A different rank is late each time"), "{}", by_turns(3));
}

#[test]
fn a_rank_with_no_more_work_in_all_is_late_now_and_then_though_most_of_its_steps_are_longer() {
    // It is 36 ms late in 51 steps and 65 ms in ten, and early in the others: in all it computes 23 ms more than the others' 200.
    let all = found(5, 100, |rank, step| match (rank, step % 10) {
        (4, 0) => 8_500,
        (4, 1..=5) => 2_700,
        (4, 6) if step == 6 => 2_700,
        (4, _) => 10,
        _ => 2_000,
    });
    assert!(headline(&all).starts_with("Now and then rank 4 is late: 10 of 100 times"), "{all:#?}");
}

#[test]
fn cases_of_a_rank_that_are_long_in_two_steps_of_five_are_no_rare_ones() {
    let all = found(5, 100, |rank, step| if rank == 4 && step % 5 < 2 { 6_000 } else { 2_000 });
    assert!(headline(&all).starts_with("Rank 4 keeps the others waiting: it computes longest"), "{all:#?}");
    let detail = "It takes 360.00 ms there, the others 200.00 ms on average. Its fast and usual passes take as long as the others'.";
    assert_eq!(all[0]["detail"], detail);
    assert!(all[0]["advice"].as_str().unwrap().starts_with("If rank 4 has the same to do in each pass"), "{all:#?}");
}

#[test]
fn a_rank_that_takes_longer_says_why_by_what_it_did_for_most_of_that_time() {
    // It takes 9.9 ms in each of 100 steps, the others 2 ms.
    let late = |last| found_beside(last, 5, 100, |rank, _| if rank == 4 { 9_900 } else { 2_000 }).remove(0);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_string();
    let said = |last| {
        let headline = text(&late(last), "headline");
        headline.strip_prefix("Rank 4 keeps the others waiting: it ").map_or(headline.clone(), str::to_string)
    };
    let nothing = LastRank::default();
    assert!(said(nothing).starts_with("computes longest between"), "{}", said(nothing));
    let most = 550_000;
    let asleep = LastRank { asleep: most, ..nothing };
    assert!(said(asleep).starts_with("sleeps, or waits for input or output, between"), "{}", said(asleep));
    let less = LastRank { asleep: 350_000, ..nothing };
    assert!(said(less).starts_with("computes longest between"), "{}", said(less));
    // Where it lacked its core for most of the rest, it slept for most of what is left.
    let without_core = said(LastRank { delayed: 200_000, ..less });
    assert!(without_core.starts_with("sleeps, or waits for input or output, between"), "{without_core}");
    let in_kernel = LastRank { in_kernel: most, faults: 300_000, ..nothing };
    assert!(said(in_kernel).starts_with("spends 5"), "{}", said(in_kernel));
    assert!(said(in_kernel).contains(" ms in the kernel between"), "{}", said(in_kernel));
    assert!(text(&late(in_kernel), "detail").contains("It has 300,000 page faults, the others 0"));
    let calls = late(LastRank { faults: 50_000, ..in_kernel });
    assert!(!text(&calls, "detail").contains("page faults"), "11 us each are more than a page takes: {calls}");
    assert!(text(&calls, "advice").starts_with("See which system calls rank 4 makes there"), "{calls}");
}

#[test]
fn ranks_with_more_work_in_each_step_are_named_if_they_are_no_more_than_half_of_all() {
    let said = |ranks: u64| {
        let all = found(ranks, 100, |rank, step| match (2 * rank >= ranks, rank % 2 == step % 2) {
            (false, _) => 2_000,
            (true, false) => 3_000,
            (true, true) => 5_000,
        });
        headline(&all).to_string()
    };
    assert!(said(2).starts_with("Rank 1 keeps the others waiting: it computes longest"), "{}", said(2));
    assert!(said(4).starts_with("Ranks 2-3 keep the others waiting: they compute longest"), "{}", said(4));
}

#[test]
fn a_rank_that_is_late_in_two_steps_of_five_and_early_in_the_others_is_not_said_to_be_late_always() {
    let all = found(5, 100, |rank, step| match (rank, step % 5) {
        (4, 0 | 1) => 4_000,
        (4, _) => 1_100,
        _ => 2_000,
    });
    assert!(headline(&all).starts_with("A different rank is late each time"), "{all:#?}");
}

#[test]
fn a_rank_that_works_while_all_others_wait_works_alone_and_ranks_that_do_so_by_turns_begin_their_steps_together() {
    let alone = found(4, 100, |rank, _| if rank == 2 { 5_000 } else { 100 });
    assert!(
        headline(&alone).starts_with("Rank 2 works ") && headline(&alone).contains("while the others wait"),
        "{alone:#?}"
    );
    let by_turns = |ranks| {
        let all = found(ranks, 96, |rank, step| if step % ranks == rank { 5_000 } else { 100 });
        assert!(headline(&all).starts_with("A different rank is late each time"), "{all:#?}");
        all[0]["detail"].as_str().unwrap().to_string()
    };
    let told = |others: u64| format!("While one works, {others}.0 of the other {others} ranks wait on average.");
    assert!([(3, 2), (4, 3)].iter().all(|(ranks, others)| by_turns(*ranks).contains(&told(*others))));
    assert!(!by_turns(2).contains("While one works"), "the other one waits");
}

#[test]
fn of_fewer_than_four_cases_those_are_named_that_cost_much() {
    let said = |cases: u64, late: u64| {
        let all = found(4, 20, |rank, step| 20_000 + if rank == 3 && step < cases { late } else { 0 });
        headline(&all).to_string()
    };
    assert_eq!(said(3, 20_000), "");
    assert!(said(4, 20_000).starts_with("Now and then rank 3 is late: 4 of 20 times"), "{}", said(4, 20_000));
    assert!(said(3, 100_000).starts_with("Now and then rank 3 is late: 3 of 20 times"), "{}", said(3, 100_000));
}

#[test]
fn a_rank_is_compared_with_those_that_do_the_same_work_and_not_with_the_one_that_gathers_it() {
    // Each 10 ms rank 1 computes for 4 ms and rank 2 for 1, and rank 0 then for 3 ms with the part of each.
    let at = |calls: Calls, call, [begin, end]: [u64; 2]| {
        calls.call(call, (1_000 + begin) * MICROSECOND, (end - begin) * MICROSECOND)
    };
    let everyone = signature(0, Call::Bcast, peer::NONE, 8, 8);
    let from = |rank| Signature { site: 7 + rank as u32, ..signature(0, Call::Recv, rank, 0, 8) };
    let to_gather = signature(0, Call::Send, 0, 8, 0);
    let gathers = (0..=90).map(|step| 10_000 * step).fold(Calls::default(), |calls, step| {
        let calls = at(calls, everyone, [step, step + 2]);
        let calls = at(calls, from(1), [step + 10, step + 4_010]);
        at(calls, from(2), [step + 7_000, step + 7_001])
    });
    let worker = |computes: u64| {
        (0..=90).map(|step| 10_000 * step).fold(Calls::default(), |calls, step| {
            let before = if step == 0 { 0 } else { step + computes - 9_900 };
            let calls = at(calls, everyone, [before, step + 2]);
            at(calls, to_gather, [step + computes, step + computes + 2])
        })
    };
    // Receives of one line could take what comes first.
    let line = |site| Definition::Place(SourcePlace { site, file: "a.c".into(), line: site, function: "f".into() });
    let gathers = gathers.defines(vec![line(8), line(9)]);
    let ranks = vec![gathers, worker(4_000), worker(1_000)];
    let answer = ask(&made(ranks, 3).0.0, "diagnose", &["--no-cache"]);
    let rows = answer.rows("findings");
    let late = rows.iter().find(|row| row["ranks"] == "1").unwrap_or_else(|| panic!("{rows:#?}"));
    assert!(
        late["headline"].as_str().unwrap().starts_with("Rank 1 keeps the others waiting: it computes longest"),
        "{late}"
    );
    let detail = late["detail"].as_str().unwrap();
    assert!(detail.starts_with("It takes 363.82 ms there, rank 2 90.818 ms."), "{detail}");
}
