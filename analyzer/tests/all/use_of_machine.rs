//! The scheduler's part: ranks that share cores are told so first, and no rank is blamed for the scheduler.

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::recorded::ask;
use crate::common::{BEGIN, Folder, signature};
use metrics::{hosts, scheduling};
use model::Run;
use serde_json::Value;
use traces::calls::Call;
use traces::definitions::{
    AskedEvent, CounterReading, CounterValue, Counters, Definition, HostTime, Machine, Process, SourcePlace, Span,
    Throttling, Usage, UsageMoment,
};
use traces::signature::{Signature, peer};

const MILLISECOND: u64 = 1_000_000;
/// All ranks leave their last barrier then.
const END: u64 = 900;

/// A rank that computes, enters a barrier, and leaves it with the others. Times in milliseconds.
#[derive(Clone, Copy)]
struct Share {
    computes: u64,
    /// The part of that in which it was ready, but did not run.
    delayed: u64,
    /// Threads that compute, and are delayed as much.
    threads: u64,
}

impl Share {
    fn of(computes: u64, delayed: u64) -> Share {
        Share { computes, delayed, threads: 1 }
    }
}

fn cores(count: u32) -> Vec<Span> {
    vec![Span { first: 0, count, step: 1 }]
}

/// A definition with another one's machine, whose control group allows so many thousandths of a core.
fn limited(definition: Definition, limit: u32) -> Definition {
    match definition {
        Definition::Machine(machine) => Definition::Machine(Machine { limit, ..machine }),
        other => other,
    }
}

fn usage(
    moment: UsageMoment,
    thread: Option<u32>,
    at: u64,
    share: &Share,
    (allowed, online): (u32, u32),
) -> Definition {
    let is_end = moment == UsageMoment::Finalizing;
    // Each core is busy for 600 ms, and a hypervisor has it for 9.
    let of_host = |milliseconds: u64| if is_end { u64::from(online.max(1)) * milliseconds * MILLISECOND } else { 0 };
    let host = HostTime { busy: of_host(600), idle: of_host(291), stolen: of_host(9) };
    let threads = if thread.is_none() { share.threads } else { 1 };
    let of = |milliseconds: u64| if is_end { threads * milliseconds * MILLISECOND } else { 0 };
    Definition::Usage(Usage {
        moment,
        thread,
        ticks: BEGIN + at * MILLISECOND,
        core: Some(0),
        allowed: cores(allowed),
        counters: Some(Counters { user: of(END - share.delayed), ..Counters::default() }),
        delay: Some(of(share.delayed)),
        threads: Some(1),
        host: Some(host),
    })
}

fn run(shares: &[Share], online: u32) -> Folder {
    bound(shares, online, online)
}

/// Such a run of ranks that may use the first cores alone.
fn bound(shares: &[Share], allowed: u32, online: u32) -> Folder {
    let ranks = shares.iter().map(|share| bound_rank(share, (allowed, online), Vec::new())).collect();
    made(ranks, shares.len() as u32).0
}

fn bound_rank(share: &Share, cores: (u32, u32), more: Vec<Definition>) -> Calls {
    computing(share, Call::Barrier).defines([more, used(share, cores)].concat())
}

/// A rank's calls of a function: one at the begin, and one from the end of its computation on.
fn computing(share: &Share, call: Call) -> Calls {
    let call = signature(1, call, peer::NONE, 0, 0);
    let begin = (1 + share.computes) * MILLISECOND;
    Calls::default().call(call, MILLISECOND, 1).call(call, begin, END * MILLISECOND - begin)
}

/// The use that a rank makes of so many of its host's cores.
fn used(share: &Share, (allowed, online): (u32, u32)) -> Vec<Definition> {
    let machine = Machine { online: cores(online), limit: Machine::UNLIMITED, ..Machine::default() };
    let mut definitions = vec![Definition::Machine(machine)];
    for thread in [None, Some(0)] {
        definitions.push(usage(UsageMoment::Initialized, thread, 1, share, (allowed, online)));
        definitions.push(usage(UsageMoment::Finalizing, thread, END + 1, share, (allowed, online)));
    }
    definitions
}

/// The first finding, with its detail and advice.
fn first(folder: &Folder) -> String {
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    let first = &answer.rows("findings")[0];
    ["headline", "detail", "advice"].map(|key| first[key].as_str().unwrap_or_default()).join(" ")
}

fn findings(folder: &Folder) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    answer.rows("findings").iter().map(|row| (text(&row["kind"]), text(&row["ranks"]))).collect()
}

#[test]
fn a_rank_that_computes_longer_than_the_others_is_the_late_one_where_it_had_its_core() {
    let shares = [400, 400, 400, 800].map(|computes| Share::of(computes, 0));
    assert_eq!(findings(&run(&shares, 4)), [("late_rank".into(), "3".into())]);
}

#[test]
fn a_rank_that_is_late_because_it_did_not_run_is_not_blamed_but_the_sharing_of_cores_is_said() {
    let mut shares = [400, 400, 400, 800].map(|computes| Share::of(computes, 0));
    shares[3].delayed = 400;
    let folder = run(&shares, 2);
    let found = findings(&folder);
    assert_eq!(found.first().map(|first| first.0.as_str()), Some("oversubscribed"), "{found:?}");
    assert!(found.iter().all(|(kind, _)| kind != "late_rank"), "{found:?}");
    // One rank is named if its work was delayed more than that of all others together.
    assert!(
        first(&folder).contains(": rank 3 was ready to run but not running 44 % of the time"),
        "{}",
        first(&folder)
    );
    let all = first(&run(&[Share::of(800, 400); 4], 2));
    assert!(all.contains(": the ranks were ready to run but not running 44 % of the time"), "{all}");
    let two = first(&run(&shares[2..], 1));
    assert!(two.contains(": the ranks were ready"), "of two, one is no exception: {two}");
}

#[test]
fn one_rank_of_two_that_lacks_its_core_is_named_with_the_call_where_the_other_waits_and_costs_no_more_than_it_lacked() {
    let of = |delayed| run(&[Share::of(400, 0), Share::of(400 + delayed, delayed)], 2);
    assert!(
        findings(&of(85)).iter().all(|(_, ranks)| ranks != "1"),
        "a tenth of the run is the least, and no rank is to blame for it"
    );
    let folder = of(120);
    assert_eq!(findings(&folder), [("not_running".into(), "1".into())]);
    let said = first(&folder);
    assert!(
        said.starts_with("Rank 1 waited for a core: it was ready to run but not running 13 % of the time"),
        "{said}"
    );
    assert!(said.contains("The others wait for it in MPI_Barrier"), "{said}");
    let cost = ask(&folder.0, "diagnose", &["--no-cache"]).rows("findings")[0]["at_most_s"].as_f64().unwrap();
    assert!((0.1..=0.12).contains(&cost), "{cost}");
}

#[test]
fn ranks_with_a_core_each_that_do_not_wait_have_no_finding() {
    let shares = [880, 880].map(|computes| Share::of(computes, 0));
    assert_eq!(findings(&run(&shares, 2)), []);
}

#[test]
fn what_a_rank_and_its_host_did_beside_mpi_is_found_exactly() {
    let run = |shares: &[Share], online| Run::load(&run(shares, online).0).unwrap();
    let share = || Share::of(400, 300);
    let alone = run(&[share()], 4);
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-6, "{value}, not {expected}");
    // It ran for 600 ms of 900, and the host's cores for 2.4 s.
    let load = scheduling::others(&alone.ranks.iter().collect::<Vec<_>>()).unwrap();
    near(load.busy, (2.4 - 0.6) / 0.9);
    near(load.stolen, 4.0 * 0.009 / 0.9);
    // The barrier begins 401 ms after the begin, and MPI_Finalize 901.
    near(scheduling::scheduled(&alone.ranks[0]).unwrap().outside, 0.401);
    let unknown = Run::load(&bound(&[share()], 1, 0).0).unwrap();
    assert!(
        scheduling::others(&unknown.ranks.iter().collect::<Vec<_>>()).is_none(),
        "how many cores it has is unknown"
    );
    assert_eq!(hosts::in_words(&unknown), "1 rank on 1 core");
    assert_eq!(hosts::in_words(&alone), "1 rank on 4 cores");
    assert_eq!(hosts::in_words(&run(&[share(), share(), share()], 2)), "3 ranks on 2 cores: they take turns");
    let one_core = bound(&[share(), share()], 1, 2);
    assert_eq!(hosts::in_words(&Run::load(&one_core.0).unwrap()), "2 ranks on 1 core of 2: they take turns");
    let found = first(&one_core);
    assert!(found.contains("2 ranks share core 0 of the 2 of h1"), "{found}");
}

#[test]
fn threads_that_outnumber_the_cores_of_their_ranks_lack_cores_whatever_other_processes_do() {
    let share = || Share { threads: 4, ..Share::of(880, 675) };
    let found = first(&bound(&[share()], 1, 4));
    assert!(found.contains("1 rank with 4 busy threads has core 0 of the 4 of h1: "), "{found}");
    assert!(found.contains("Bind each rank to 4 cores, or to none"), "{found}");
    let found = first(&run(&[share(), share()], 6));
    assert!(found.contains("2 ranks with 4 busy threads each have 6 cores: "), "{found}");
    assert!(found.contains("Run at most 1 rank of 4 threads here"), "{found}");
    let found = first(&bound(&[Share::of(880, 675)], 1, 4));
    assert!(!found.contains("thread"), "{found}");
}

#[test]
fn a_limit_of_processor_time_and_other_processes_are_not_told_apart() {
    let told = |busy_elsewhere: bool| {
        let share = Share::of(400, if busy_elsewhere { 700 } else { 350 });
        let of_rank = || used(&share, (2, 2)).into_iter().map(|definition| limited(definition, 1_000)).collect();
        let rank = || computing(&share, Call::Barrier).defines(of_rank());
        first(&made(vec![rank(), rank()], 2).0)
    };
    // Two cores are busy for 1.2 s, of which the ranks used 0.4 s in the one case and 1.1 s in the other.
    let both = told(true);
    assert!(both.contains("their control group allows 1 core, and other processes kept 0.9 of the 2 cores"), "{both}");
    assert!(both.contains("which of the two delayed the ranks is not recorded"), "{both}");
    let limit = told(false);
    assert!(limit.contains("2 ranks share the one core that their control group allows"), "{limit}");
    assert!(!limit.contains("not recorded"), "{limit}");
}

#[test]
fn a_limit_that_stopped_the_ranks_is_told_from_other_processes_by_its_periods() {
    let told = |throttled: u64, busy_elsewhere: bool| {
        let share = Share::of(400, if busy_elsewhere { 700 } else { 350 });
        let reading = |moment, at: u64, [periods, throttled]: [u64; 2]| {
            let time = 50 * MILLISECOND * throttled;
            Definition::Throttling(Throttling { moment, ticks: BEGIN + at * MILLISECOND, periods, throttled, time })
        };
        let of_rank = || -> Vec<Definition> {
            let limited = used(&share, (2, 2)).into_iter().map(|definition| limited(definition, 1_000));
            let first = reading(UsageMoment::Initialized, 1, [100, 7]);
            let last = reading(UsageMoment::Finalizing, END + 1, [109, 7 + throttled]);
            limited.chain([first, last]).collect()
        };
        let rank = || computing(&share, Call::Barrier).defines(of_rank());
        let folder = made(vec![rank(), rank()], 2).0;
        (
            findings(&folder)[0].0.clone(),
            first(&folder),
            ask(&folder.0, "report", &["--by", "host"]).rows("hosts")[0].clone(),
        )
    };
    let (kind, said, host) = told(8, true);
    assert_eq!(kind, "oversubscribed", "{said}");
    assert!(said.contains("2 ranks share the one core that their control group allows"), "{said}");
    assert!(said.contains("used up in 8 of 9 periods, and stopped them for 400.00 ms of core time"), "{said}");
    assert!(said.contains("give their control group a larger quota"), "{said}");
    assert!(said.contains("Other processes kept 0.9 of the 2 cores"), "{said}");
    assert!((host["throttled_percent"].as_f64().unwrap() - 800.0 / 9.0).abs() < 1e-6, "{host}");
    let (kind, said, _) = told(0, true);
    assert_eq!(kind, "busy_host", "{said}");
    assert!(!said.contains("quota"), "{said}");
}

/// Two ranks, for the first of which two of three events were counted.
pub fn counted() -> Folder {
    let reading = |moment, at: u64, values: [u64; 2]| {
        // Both events had a counter for half of the time.
        let value = |value| CounterValue { value, enabled: at * MILLISECOND, running: at * MILLISECOND / 2 };
        let (ticks, values) = (BEGIN + at * MILLISECOND, values.map(value).to_vec());
        Definition::CounterReading(CounterReading { moment, thread: 0, ticks, values })
    };
    let asked = |name: &str, problem: &str| AskedEvent { name: name.into(), problem: problem.into() };
    let events =
        vec![asked("instructions", ""), asked("cache-misses", "there is no such counter"), asked("cycles", "")];
    let of_rank = || {
        let first = reading(UsageMoment::Initialized, 2, [100, 1_000]);
        let last = reading(UsageMoment::Finalizing, 902, [100 + 3_000, 1_000 + 6_000]);
        [used(&Share::of(400, 0), (2, 2)), vec![Definition::AskedEvents(events.clone()), first, last]].concat()
    };
    let rank = |definitions| computing(&Share::of(400, 0), Call::Barrier).defines(definitions);
    made(vec![rank(of_rank()), rank(used(&Share::of(400, 0), (2, 2)))], 2).0
}

#[test]
fn events_are_counted_between_the_readings_scaled_to_all_of_the_time_and_those_that_cannot_be_are_said() {
    let folder = counted();
    let answer = ask(&folder.0, "report", &["--by", "rank"]);
    let rows = answer.rows("counters");
    let counts: Vec<_> = rows.iter().map(|row| (row["event"].as_str(), row["count"].as_u64())).collect();
    assert_eq!(counts, [(Some("instructions"), Some(6_000)), (Some("cycles"), Some(12_000))]);
    assert_eq!((&rows[0]["per_cycle"], &rows[1]["per_cycle"]), (&Value::from(0.5), &Value::Null));
    assert_eq!(rows[0]["counted_percent"], 50.0);
    let said = answer.json["warnings"].to_string();
    assert!(said.contains("not counted: cache-misses (there is no such counter)"), "{said}");
}

#[test]
fn readings_of_a_small_part_of_a_run_say_nothing_of_the_whole() {
    let told = |last: u64| {
        let share = Share::of(880, 0);
        let early = |definition: Definition| match definition {
            Definition::Usage(mut usage) if usage.moment == UsageMoment::Finalizing => {
                usage.moment = UsageMoment::PageFull;
                usage.ticks = BEGIN + last * MILLISECOND;
                usage.delay = Some(usage.delay.unwrap() + (last - 2) * MILLISECOND);
                Definition::Usage(usage)
            }
            other => other,
        };
        let of_rank = || used(&share, (2, 2)).into_iter().map(early).collect();
        let rank = || computing(&share, Call::Barrier).defines(of_rank());
        ask(&made(vec![rank(), rank()], 2).0.0, "report", &[]).json["run"]["delay_percent"].clone()
    };
    assert!(told(800).as_f64().unwrap() > 90.0);
    assert_eq!(told(100), Value::Null);
}

#[test]
fn a_rank_with_far_more_work_than_the_others_is_said_with_doubt_where_all_are_delayed() {
    let shares = || [Share::of(300, 540), Share::of(800, 540)];
    let answer = ask(&run(&shares(), 4).0, "diagnose", &["--no-cache"]);
    let late = &answer.rows("findings")[1];
    assert_eq!((late["kind"].as_str(), late["ranks"].as_str()), (Some("late_rank"), Some("1")), "{late}");
    assert_eq!(late["detail"], "The delays may cause a part of it.");
}

fn on(host: &str) -> Definition {
    Definition::Process(Process { host: host.into(), program: "/bin/app".into(), ..Process::default() })
}

#[test]
fn delays_of_ranks_that_are_all_in_mpi_cost_time_unless_others_may_be_what_they_wait_for() {
    // Ranks that wait for each other and are kept from polling.
    let rank = |host| bound_rank(&Share::of(20, 500), (2, 2), vec![on(host)]);
    let costs = |ranks: Vec<Calls>| {
        let size = ranks.len() as u32;
        ask(&made(ranks, size).0.0, "diagnose", &["--no-cache"])
            .rows("findings")
            .iter()
            .any(|row| ["oversubscribed", "not_running", "busy_host"].contains(&row["kind"].as_str().unwrap()))
    };
    assert!(costs(vec![rank("h1"), rank("h1")]));
    assert!(!costs(vec![rank("h1"), rank("h2")]), "they may wait for the network");
    let unknown = computing(&Share::of(898, 0), Call::Barrier);
    assert!(!costs(vec![rank("h1"), rank("h1"), unknown]), "the other rank may work");
    let writes = |share| computing(&share, Call::File_write).defines(used(&share, (2, 2)));
    assert!(costs(vec![writes(Share::of(20, 500)), writes(Share::of(880, 0))]), "a call that waits for nobody");
}

#[test]
fn ranks_that_are_all_in_mpi_could_be_faster_by_the_share_of_that_time_in_which_they_did_not_run() {
    // After 20 ms of computation one waits for the other's message, which writes a file for half a second before that, and then the
    // other for the first.
    let write = signature(0, Call::File_write, peer::NONE, 8, 0);
    let parts = |rank: i32| {
        let receive = signature(0, Call::Recv, 1 - rank, 0, 8);
        let parts = if rank == 0 { [receive, write] } else { [write, receive] };
        (0..).zip(parts).fold(Calls::default().call(write, MILLISECOND, 1), |calls, (at, part)| {
            let begin = (21 + 440 * at) * MILLISECOND;
            let is_write = part.call == write.call;
            let calls = calls.call(part, begin, if is_write { 438 } else { 439 } * MILLISECOND);
            let sends = signature(0, Call::Send, 1 - rank, 8, 0);
            if is_write { calls.call(sends, begin + 438 * MILLISECOND, MILLISECOND / 2) } else { calls }
        })
    };
    let ranks = [500, 400]
        .into_iter()
        .zip(0..)
        .map(|(delayed, rank)| parts(rank).defines(used(&Share::of(0, delayed), (2, 2))));
    let folder = made(ranks.collect(), 2).0;
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    let cost = answer.rows("findings")[0]["at_most_s"].as_f64().unwrap();
    // The work was delayed by 12.5 ms, and both were in MPI for 855 ms, of which they did not run for half.
    assert!((cost - (0.0125 + 0.855 / 2.0)).abs() < 1e-6, "{cost}");
}

#[test]
fn delays_without_a_finding_about_the_program_are_told_with_what_most_time_in_mpi_waits_for() {
    // The last rank comes late, since it did not run.
    let told = |call: Call| {
        let rank = |share: Share| computing(&share, call).defines(used(&share, (2, 2)));
        let mut ranks: Vec<Calls> = (0..3).map(|_| rank(Share::of(420, 0))).collect();
        ranks.push(rank(Share::of(850, 430)));
        first(&made(ranks, 4).0)
    };
    let of_file = told(Call::File_open);
    assert!(of_file.contains("Calls on files wait for the file system rather than for a core."), "{of_file}");
    for spawns in [Call::Comm_spawn, Call::Comm_spawn_multiple].map(told) {
        assert!(spawns.contains("It starts processes, and waits for these rather than for a core."), "{spawns}");
    }
    let other = told(Call::Barrier);
    assert!(other.contains("These delays hide how much of that is the program's."), "{other}");
}

#[test]
fn small_accesses_to_a_file_are_told_beside_delays_that_explain_who_is_late_there() {
    // Each writes 100 times before each of five barriers; the last one's writes take longer, since it is kept from its core.
    let write = Signature { site: 1, ..signature(0, Call::File_write, peer::NONE, 512, 0) };
    let place = Definition::Place(SourcePlace { site: 1, file: "a.c".into(), line: 7, function: "f".into() });
    let rank = |each: u64, delayed| {
        let calls = (0..5).fold(Calls::default(), |calls, round| {
            let from = (1 + 175 * round) * MILLISECOND;
            let calls =
                (0..100).fold(calls, |calls, at| calls.call(write, from + at * each * 1_000, each * 1_000 - 100));
            let at = from + 100 * each * 1_000;
            calls.call(on_nobody(Call::Barrier), at, from + 174 * MILLISECOND - at)
        });
        calls.defines([used(&Share::of(0, delayed), (2, 2)), vec![place.clone()]].concat())
    };
    let folder = made(vec![rank(1_000, 450), rank(1_000, 450), rank(1_000, 450), rank(1_700, 780)], 4).0;
    let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
    let kinds: Vec<&str> = answer.rows("findings").iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"transfer"), "{:#?}", answer.rows("findings"));
    let files = answer.rows("findings").iter().find(|row| row["kind"] == "transfer").unwrap().clone();
    assert!(files["detail"].as_str().unwrap().starts_with("There a rank makes 500 calls of 512 B"), "{files}");
}

#[test]
fn small_messages_cost_what_their_calls_take_while_the_ranks_run() {
    let ranks = |delayed| {
        let share = Share::of(0, delayed);
        let calls = |of| {
            let calls =
                (0..800).fold(Calls::default(), |calls, at| calls.call(of, (1 + at) * MILLISECOND, MILLISECOND - 100));
            calls.defines(used(&share, (2, 2)))
        };
        vec![calls(send(Call::Send, 1, 8)), calls(signature(0, Call::Recv, 0, 0, 8))]
    };
    let costs = |delayed| {
        let (folder, run) = made(ranks(delayed), 2);
        let answer = ask(&folder.0, "diagnose", &["--no-cache"]);
        let found = answer.rows("findings").iter().find(|row| row["kind"] == "small_messages").cloned();
        let running = scheduling::scheduled(&run.ranks[0]).unwrap().running_in_mpi();
        (found.unwrap()["at_most_s"].as_f64().unwrap(), running)
    };
    let [(whole, all), (part, running)] = [0, 400].map(costs);
    assert!(all == 1.0 && running < 0.7 && (part / whole - running).abs() < 1e-6, "{part} of {whole}, {running}");
}

/// Four ranks, the last two on another host, that compute for this many milliseconds.
fn on_two_hosts(computes: [u64; 4]) -> Folder {
    let rank = |(computes, number): (u64, u32)| {
        let barrier = signature(1, Call::Barrier, peer::NONE, 0, 0);
        let first = Calls::default().call(barrier, MILLISECOND, 1);
        let begin = (1 + computes) * MILLISECOND;
        let host = if number < 2 { "h1" } else { "h2" };
        first.call(barrier, begin, END * MILLISECOND - begin).defines(vec![on(host)])
    };
    made(computes.into_iter().zip(0..).map(rank).collect(), 4).0
}

#[test]
fn a_host_whose_ranks_all_compute_longer_is_said_and_its_ranks_are_not_blamed() {
    let mut found = findings(&on_two_hosts([400, 410, 600, 610]));
    // After the last rank has come, the barrier of this run goes on for a third of it.
    found.retain(|(kind, _)| kind != "transfer");
    assert_eq!(found, [("slow_host".into(), "2 3".into())]);
}

#[test]
fn where_the_ranks_of_a_host_differ_as_much_as_the_hosts_the_rank_is_late_and_not_the_host() {
    let found = findings(&on_two_hosts([400, 400, 430, 800]));
    assert_eq!(found, [("late_rank".into(), "3".into())]);
}
