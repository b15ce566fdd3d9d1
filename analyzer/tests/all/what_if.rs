//! Changed runs: `overhear whatif`, and the replay behind it. Runs made by hand are predicted from each other to the nanosecond.

use std::path::Path;
use std::process::{Command, Output};

use examples::fixture;
use examples::machine::workspace;
use model::matching::scenario::{PassChange, RunChange, Scenario};
use model::matching::{Estimate, WaitState, settled};
use model::what_if::{NEEDS, Replayable, lengths};
use model::{Choice, Run};
use serde_json::Value;
use synthetic::{Shape, Topology};
use traces::calls::Call;
use traces::definitions::{Counters, Definition, Usage, UsageMoment};
use traces::signature::{Signature, peer, tag};

use crate::common::made::{Calls, made, on_nobody, send};
use crate::common::{BEGIN, Folder, signature, stdout, two_ranks};

/// Largest distance of the unchanged replay from the recorded run, percent.
const MOST: f64 = 3.0;

/// The least share of a run's waits, in tenths, that are waits in the replay.
const REPLAYED: i64 = 7;

/// Programs whose waits stay as long as they were: the replay knows neither who has a lock, nor that MPI_Win_start waits, where the
/// library has it wait rather than MPI_Win_complete, nor the waits of other threads than the first.
const RIGID: [&str; 5] = ["diagnosis/lock_contention", "diagnosis/threads_together", "rma_lock", "rma_pscw", "threads"];

/// A recorded run and its unchanged replay. Times in nanoseconds.
struct Unchanged {
    recorded: i64,
    replayed: i64,
    /// The most by which a rank's end is off.
    off: i64,
    /// Waits that the analysis finds, and waits of the replay: those become shorter if what they wait for comes earlier.
    waits: (i64, i64),
    /// Two ranks wait for each other.
    hangs: Option<(u32, u32)>,
}

/// Replays a run; `None` if it has no single calls.
fn unchanged(folder: &Path) -> Option<Unchanged> {
    let choice = Choice { kept: true, ..Choice::default() };
    let run = Run::select(folder, &choice).unwrap();
    if run.needs_calls("whatif").is_err() {
        return None;
    }
    let replayable = Replayable::of(&run, false);
    let replayed = replayable.replay(&[Scenario::recorded()]);
    let ends = replayed.ranks.iter().zip(&replayed.times);
    // From when the first rank leaves a call until another does, nobody is late; and a wait that goes on has no end.
    let is_late = |state: WaitState| ![WaitState::BarrierCompletion, WaitState::NxnCompletion].contains(&state);
    let found = replayable.settled.account.waits.sums.iter().filter(|(key, sum)| is_late(key.state) && sum.open == 0);
    let waits = replayed.ranks.iter().flat_map(|rank| rank.places.waits.values()).map(|place| place.times[0]);
    Some(Unchanged {
        recorded: replayed.recorded(),
        replayed: replayed.length(0),
        off: ends.map(|(rank, time)| (rank.end[0] - time.end).abs()).max().unwrap(),
        waits: (found.map(|(_, sum)| sum.time).sum(), waits.sum()),
        hangs: replayed.hangs(),
    })
}

#[test]
fn the_unchanged_replay_of_every_recorded_run_is_as_long_as_the_run() {
    let mut all = Vec::new();
    for name in [fixture::names(), fixture::diagnosis_names()].concat() {
        let folder = format!("what-if-{}-{}", name.replace('/', "-"), std::process::id());
        let run = fixture::unpack(&name, &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder)).run;
        all.push((name, unchanged(&run)));
    }
    for sample in ["integer_sort-mpich", "integer_sort-openmpi", "missing", "solver", "wavefront-1", "wavefront-16"] {
        all.push((sample.into(), unchanged(&workspace().join("traces/samples").join(sample))));
    }
    for topology in [Topology::Ring, Topology::Torus] {
        let folder = Folder::new();
        synthetic::run(&folder.0, &Shape { ranks: 16, calls: 2_000, topology, seed: 5 }).unwrap();
        all.push((format!("synthetic {topology:?}"), unchanged(&folder.0)));
    }
    let (mut errors, mut rigid) = (Vec::new(), Vec::new());
    for (name, run) in all {
        let Some(Unchanged { recorded, replayed, off, waits, hangs }) = run else { continue };
        assert_eq!(hangs, None, "{name}");
        let error = 100.0 * (replayed - recorded) as f64 / recorded.max(1) as f64;
        errors.push((error.abs(), off, format!("{name}: {error:+.3} % of {recorded} ns, ranks' ends by {off} ns")));
        rigid.push((waits.0 - waits.1, waits.0, format!("{name}: waits {} ns, in the replay {} ns", waits.0, waits.1)));
    }
    assert!(errors.len() > 100, "{} runs", errors.len());
    rigid.sort_by_key(|(lack, ..)| -lack);
    let is_known = |line: &str| RIGID.iter().any(|name| line.starts_with(name));
    let lacks = rigid
        .iter()
        .filter(|(lack, waits, line)| !is_known(line) && *lack > 1_000_000 && 10 * (waits - lack) < REPLAYED * waits);
    let lacks: Vec<&String> = lacks.map(|(.., line)| line).collect();
    assert!(lacks.is_empty(), "{lacks:#?}");
    errors.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    for line in errors.iter().map(|error| &error.2).take(3).chain(rigid.iter().map(|rigid| &rigid.2).take(8)) {
        println!("{line}");
    }
    let beyond: Vec<&String> = errors.iter().filter(|error| error.0 > MOST).map(|error| &error.2).collect();
    assert!(beyond.is_empty(), "{beyond:#?}");
}

fn what_if(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_overhear")).arg("whatif").arg(folder).args(arguments).output().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = what_if(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Lengths of the run and of the changed one, nanoseconds.
fn predicted(folder: &Path, arguments: &[&str]) -> (i64, i64) {
    let report = json(folder, arguments);
    let figure = |key: &str| (report["run"][key].as_f64().unwrap() * 1e9).round() as i64;
    assert_eq!(figure("replayed_s"), figure("wall_time_s"), "{:#}", report["run"]);
    (figure("replayed_s"), figure("predicted_s"))
}

const STEPS: u64 = 20;
/// Time from when all ranks have come until a collective call returns.
const TOGETHER: u64 = 700;

/// Writes a run whose ranks compute for these times in each step, and then meet.
fn meeting(computing: &[fn(u64) -> u64]) -> Folder {
    meeting_twice(computing, None)
}

/// Has the ranks of that run compute a little more, and then meet again in a barrier if `barrier` is true.
fn meeting_twice(computing: &[fn(u64) -> u64], barrier: Option<bool>) -> Folder {
    let mut ranks: Vec<(Calls, u64)> =
        computing.iter().map(|_| (Calls::default().call(on_nobody(Call::Init), 0, 100), 100)).collect();
    for step in 0..STEPS {
        let of_step = |rank: usize| computing[rank](step);
        meet(&mut ranks, of_step, Some(Call::Allreduce));
        if let Some(barrier) = barrier {
            meet(&mut ranks, |rank| 50 * rank as u64, barrier.then_some(Call::Barrier));
        }
    }
    let (folder, size) = (Folder::new(), ranks.len() as u32);
    for (number, (calls, now)) in (0..).zip(ranks) {
        calls.call(on_nobody(Call::Finalize), now, 10).write(&folder, number, size);
    }
    folder
}

/// Has all ranks compute, and meet in a call.
fn meet(ranks: &mut [(Calls, u64)], computing: impl Fn(usize) -> u64, function: Option<Call>) {
    for (rank, (_, now)) in ranks.iter_mut().enumerate() {
        *now += computing(rank);
    }
    let Some(function) = function else { return };
    let end = ranks.iter().map(|(_, now)| *now).max().unwrap() + TOGETHER;
    for (calls, now) in ranks {
        *calls = std::mem::take(calls).call(on_nobody(function), *now, end - *now);
        *now = end;
    }
}

#[test]
fn slower_and_faster_ranks_are_predicted_as_if_they_had_run_so() {
    let run = meeting(&[|_| 1_000, |step| 4_000 + 10 * step, |_| 2_000]);
    let faster = meeting(&[|_| 1_000, |step| 2_000 + 5 * step, |_| 2_000]);
    let slower = meeting(&[|_| 6_000, |step| 4_000 + 10 * step, |_| 2_000]);
    let of = |folder: &Folder| predicted(&folder.0, &["--rank", "0=1"]).0;
    assert_eq!(predicted(&run.0, &["--rank", "1=0.5"]), (of(&run), of(&faster)));
    assert_eq!(predicted(&run.0, &["--rank", "0=6"]), (of(&run), of(&slower)));
}

#[test]
fn balanced_computation_is_the_mean_of_the_ranks_in_each_step() {
    let run = meeting(&[|step| if step.is_multiple_of(2) { 1_000 } else { 3_000 }, |step| 3_000 + step, |_| 2_000]);
    let (_, balanced) = predicted(&run.0, &["--balance"]);
    let mean = |step: u64| (if step.is_multiple_of(2) { 6_000 + step } else { 8_000 + step }) as f64 / 3.0;
    let steps = (0..STEPS).map(|step| mean(step).round() as i64 + TOGETHER as i64);
    assert_eq!(balanced, steps.sum::<i64>());
}

/// Two ranks meet 20 times. In the last ten steps, rank 1 computes for `late`, of which it is `delayed`; there is a reading before them.
fn delayed(late: u64, delayed: u64) -> Folder {
    let mut ranks: Vec<(Calls, u64)> =
        (0..2).map(|_| (Calls::default().call(on_nobody(Call::Init), 0, 100), 100)).collect();
    let mut readings = vec![(UsageMoment::Initialized, 100, 0)];
    for step in 0..STEPS {
        if step == STEPS / 2 {
            readings.push((UsageMoment::PageFull, ranks[1].1, 0));
        }
        let computes = [500, if step < STEPS / 2 { 1_000 } else { late }];
        meet(&mut ranks, |rank| computes[rank], Some(Call::Allreduce));
    }
    let end = ranks[1].1;
    readings.push((UsageMoment::Finalizing, end, STEPS / 2 * delayed));
    let usage = |(moment, at, delay): (UsageMoment, u64, u64)| {
        Definition::Usage(Usage {
            moment,
            thread: Some(0),
            ticks: BEGIN + at,
            core: Some(0),
            allowed: Vec::new(),
            counters: Some(Counters { user: at - 100 - delay, ..Counters::default() }),
            delay: Some(delay),
            threads: Some(1),
            host: None,
        })
    };
    let folder = Folder::new();
    for (number, (calls, now)) in (0..).zip(ranks) {
        let defined = if number == 1 { readings.iter().copied().map(usage).collect() } else { Vec::new() };
        calls.defines(defined).call(on_nobody(Call::Finalize), now, 10).write(&folder, number, 2);
    }
    folder
}

#[test]
fn ranks_that_always_have_a_core_are_faster_where_readings_say_that_they_had_none() {
    let (shared, alone) = (delayed(3_000, 2_000), delayed(1_000, 0));
    let report = json(&shared.0, &["--no-off-core"]);
    let [replayed, predicted_s, error] = ["replayed_s", "predicted_s", "predicted_error_s"]
        .map(|key| (report["run"][key].as_f64().unwrap() * 1e9).round() as i64);
    // Of 20 us without a core, what was inside calls is not known: of 37 us, 30 were outside.
    assert!((replayed - predicted_s - 20_000 * 30 / 37).abs() <= STEPS as i64, "{replayed} {predicted_s}");
    assert!((predicted_s - predicted(&alone.0, &["--rank", "0=1"]).0).abs() <= error, "{predicted_s} {error}");
    assert_eq!(predicted(&alone.0, &["--no-off-core"]).1, predicted(&alone.0, &["--rank", "0=1"]).0);
    let without = what_if(&two_ranks().0, &["--no-off-core"]);
    assert!(
        String::from_utf8_lossy(&without.stderr).contains("does not tell for how long its ranks lacked a core"),
        "{without:?}"
    );
}

#[test]
fn work_that_grows_on_one_rank_and_shrinks_on_the_other_is_levelled_step_by_step() {
    let folder = meeting(&[|step| 1_000 + 30 * step, |step| 9_000 - 20 * step]);
    let run = Run::load(&folder.0).unwrap();
    let settled = settled(&run, NEEDS);
    let site =
        (0..run.call_sites().len()).find(|at| run.call_sites()[*at].call() == Some(Call::Allreduce)).unwrap() as u32;
    let levelled =
        [(None, site), (Some(site), site)].map(|around| RunChange::Stretch(vec![0, 1], around, PassChange::Level));
    let scenarios = [Scenario::recorded(), Scenario::with(&levelled, Estimate::Typical)];
    let replayed = lengths(&run, &settled, &scenarios);
    let steps = (0..STEPS).map(|step| ((10_000 + 10 * step) as f64 / 2.0).round() as i64 + TOGETHER as i64);
    assert_eq!(replayed.length(1), steps.sum::<i64>());
    assert!(replayed.length(0) > replayed.length(1));
}

#[test]
fn a_run_without_a_barrier_is_predicted_as_if_it_were_not_there() {
    let computing: [fn(u64) -> u64; 2] = [|step| 1_000 + 3_000 * (step % 2), |step| 4_000 - 3_000 * (step % 2)];
    let (with, without) = (meeting_twice(&computing, Some(true)), meeting_twice(&computing, Some(false)));
    let (recorded, _) = predicted(&without.0, &["--rank", "0=1"]);
    assert_eq!(predicted(&with.0, &["--without", "MPI_Barrier"]).1, recorded);
}

/// Ranks that take turns in having more to do meet in a barrier, behind which rank 0 sends so many bytes to all: the other rank comes to
/// that after 10 ns, and rank 0 returns after 20.
fn broadcasting(bytes: u64) -> Folder {
    let from_root = signature(0, Call::Bcast, 0, bytes, bytes);
    let rank = |rank: u64| {
        let mut now = 0;
        let mut calls = Calls::default().call(on_nobody(Call::Init), now, 100);
        for step in 0..STEPS {
            let begin = 100 + 5_000 * step;
            let comes = begin + if step % 2 == rank { 4_000 } else { 1_000 };
            now = begin + 4_980 + 10 * rank;
            calls = calls.call(on_nobody(Call::Barrier), comes, begin + 4_970 - comes);
            calls = calls.call(from_root, now, 20);
            now = begin + 5_000;
        }
        calls.call(on_nobody(Call::Finalize), now + 100, 10)
    };
    made(vec![rank(0), rank(1)], 2).0
}

#[test]
fn the_root_of_a_broadcast_runs_ahead_once_a_barrier_is_gone_if_libraries_store_what_it_sends() {
    let [stored, handed_over] =
        [256, 65_536].map(|bytes| predicted(&broadcasting(bytes).0, &["--without", "MPI_Barrier"]));
    assert_eq!(stored.0, handed_over.0);
    // Both ranks compute for half of the steps' 100 us, and meet in each in 85 us.
    assert!((50_000..60_000).contains(&stored.1), "{stored:?}");
    assert!((80_000..90_000).contains(&handed_over.1), "{handed_over:?}");
}

/// Rank 0 computes for `sender` and sends; rank 1 computes for `receiver` and receives what is on its way for `way`. Its receive takes
/// 200 ns if the message is there.
fn sending(sender: u64, receiver: u64, way: u64) -> Folder {
    let folder = Folder::new();
    let [mut sends, mut receives] = [0, 0].map(|_| Calls::default().call(on_nobody(Call::Init), 0, 100));
    let (mut sent, mut received) = (100, 100);
    for _ in 0..STEPS {
        sends = sends.call(send(Call::Send, 1, 8), sent + sender, 300);
        let arrived = sent + sender + way;
        sent += sender + 300;
        let begin = received + receiver;
        received = arrived.max(begin + 200);
        receives = receives.call(signature(0, Call::Recv, 0, 0, 8), begin, received - begin);
    }
    for (number, (calls, now)) in [(sends, sent), (receives, received)].into_iter().enumerate() {
        calls.call(on_nobody(Call::Finalize), now, 10).write(&folder, number as u32, 2);
    }
    folder
}

#[test]
fn longer_latency_delays_receivers_that_wait_and_no_others() {
    let length = |folder: &Folder| predicted(&folder.0, &["--rank", "0=1"]).0;
    let waiting = sending(5_000, 1_000, 900);
    assert_eq!(predicted(&waiting.0, &["--latency", "+3us"]).1, length(&sending(5_000, 1_000, 3_900)));
    let computing = sending(1_000, 9_000, 900);
    assert_eq!(predicted(&computing.0, &["--latency", "+3us"]).1, length(&computing));
}

/// Rank 0 computes and sends 1 MB; rank 1 computes for `receiver` and receives it. The message is handed over once both are there, in 400
/// ns. With `eager`, the send does not wait.
fn handing_over(receiver: u64, eager: bool) -> Folder {
    let folder = Folder::new();
    let [mut sends, mut receives] = [0, 0].map(|_| Calls::default().call(on_nobody(Call::Init), 0, 100));
    let (mut sent, mut received) = (100, 100);
    for step in 0..STEPS {
        let (send_at, receive_at) = (sent + 2_000 + 10 * step, received + receiver);
        let both = send_at.max(receive_at) + 400;
        received = both;
        sent = if eager { send_at + 400 } else { both };
        sends = sends.call(send(Call::Send, 1, 1_000_000), send_at, sent - send_at);
        receives = receives.call(signature(0, Call::Recv, 0, 0, 1_000_000), receive_at, received - receive_at);
    }
    for (number, (calls, now)) in [(sends, sent), (receives, received)].into_iter().enumerate() {
        calls.call(on_nobody(Call::Finalize), now, 10).write(&folder, number as u32, 2);
    }
    folder
}

#[test]
fn senders_wait_for_receivers_that_are_late_and_no_longer_if_they_are_early() {
    let late = handing_over(6_000, false);
    for (factor, receiver) in [("1=0.5", 3_000), ("1=2", 12_000), ("1=0.25", 1_500)] {
        let recorded = predicted(&handing_over(receiver, false).0, &["--rank", "0=1"]).0;
        assert_eq!(predicted(&late.0, &["--rank", factor]).1, recorded, "{factor}");
    }
}

#[test]
fn a_higher_eager_limit_lets_senders_go_on() {
    let of_sender = |folder: &Folder, arguments: &[&str]| json(folder.0.as_path(), arguments)["waits"].clone();
    let late = handing_over(6_000, false);
    let waits = of_sender(&late, &["--eager", "1M"]);
    let row = waits.as_array().unwrap().iter().find(|row| row["function"] == "MPI_Send").unwrap();
    assert!(row["before_s"].as_f64().unwrap() > 30e-6 && row["then_s"] == 0.0, "{row}");
    assert_eq!(predicted(&late.0, &["--eager", "1M"]).1, predicted(&handing_over(6_000, true).0, &["--rank", "0=1"]).0);
}

#[test]
fn a_lower_eager_limit_holds_senders_up_until_their_receives() {
    let stored = handing_over(6_000, true);
    let held_up = predicted(&handing_over(6_000, false).0, &["--rank", "0=1"]).0;
    assert_eq!(predicted(&stored.0, &["--eager", "64K"]).1, held_up);
    let sends = |limit: &str| {
        let waits = json(&stored.0, &["--eager", limit])["waits"].clone();
        let row = waits.as_array().unwrap().iter().find(|row| row["function"] == "MPI_Send").cloned();
        row.map_or(0.0, |row| row["then_s"].as_f64().unwrap())
    };
    assert!(sends("64K") > 30e-6 && sends("1M") == 0.0, "{} {}", sends("64K"), sends("1M"));
}

/// Two ranks send to each other, and then receive.
fn sending_to_each_other() -> Folder {
    let folder = Folder::new();
    for rank in 0..2 {
        let other = 1 - rank as i32;
        let calls = Calls::default().call(on_nobody(Call::Init), 0, 100);
        let calls = calls.call(send(Call::Send, other, 8), 1_000, 300).call(
            signature(rank, Call::Recv, other, 0, 8),
            1_400,
            300,
        );
        calls.call(on_nobody(Call::Finalize), 2_000, 10).write(&folder, rank, 2);
    }
    folder
}

#[test]
fn sends_that_only_return_because_the_library_stores_them_hang_without() {
    let folder = sending_to_each_other();
    let output = what_if(&folder.0, &["--eager", "4"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("the program hangs: rank 0 sends to rank 1"), "{output:?}");
    assert_eq!(predicted(&folder.0, &["--eager", "8"]).1, 1_900);
}

/// Rank 0 answers whoever asks, 60 times; of the others, each computes for its time after each answer.
fn handing_out(computing: [u64; 2]) -> Folder {
    let any = Signature { tag: tag::ANY, ..signature(0, Call::Recv, peer::ANY, 0, 8) };
    let [mut server, mut first, mut second] = [0, 1, 2].map(|_| Calls::default().call(on_nobody(Call::Init), 0, 100));
    let (mut asks, mut free) = ([110, 130], 100);
    for _ in 0..60 {
        let who = usize::from(asks[1] < asks[0]);
        let answered = asks[who].max(free) + 20;
        server = server.call(any, free, answered - free).got(1 + who as i32, 8);
        server = server.call(send(Call::Send, 1 + who as i32, 8), answered + 5, 10);
        let worker = if who == 0 { &mut first } else { &mut second };
        *worker = std::mem::take(worker).call(send(Call::Send, 0, 8), asks[who], 10);
        *worker = std::mem::take(worker).call(
            signature(0, Call::Recv, 0, 0, 8),
            asks[who] + 10,
            answered + 20 - asks[who] - 10,
        );
        (asks[who], free) = (answered + 20 + computing[who], answered + 20);
    }
    let folder = Folder::new();
    for (number, (calls, end)) in (0..).zip([(server, free), (first, asks[0]), (second, asks[1])]) {
        calls.call(on_nobody(Call::Finalize), end, 10).write(&folder, number, 3);
    }
    folder
}

#[test]
fn work_that_goes_to_whoever_asks_may_go_to_another_rank_and_the_error_says_so() {
    let (uneven, even) = (handing_out([6_000, 3_000]), handing_out([3_000, 3_000]));
    let shorter = predicted(&even.0, &["--rank", "0=1"]).0;
    let report = json(&uneven.0, &["--rank", "1=0.5"]);
    let [predicted, error] =
        ["predicted_s", "predicted_error_s"].map(|key| (report["run"][key].as_f64().unwrap() * 1e9) as i64);
    let is_told = |report: &Value| report["warnings"].to_string().contains("rank 0 answers whoever asks");
    assert!(
        predicted > shorter + 20_000 && predicted - error <= shorter && is_told(&report),
        "{predicted} {error} {shorter}"
    );
    assert!(!is_told(&json(&uneven.0, &["--rank", "0-2=2"])));
}

#[test]
fn a_receiver_that_becomes_slow_no_longer_waits() {
    let (waiting, slow) = (sending(5_000, 2_000, 900), sending(5_000, 8_000, 900));
    let recorded = predicted(&slow.0, &["--rank", "0=1"]).0;
    let (_, predicted) = predicted(&waiting.0, &["--rank", "1=4"]);
    // No receive of the run shows how long one takes whose message is there: up to 700 ns more or less for each.
    assert!((predicted - recorded).abs() < 700 * STEPS as i64, "{predicted} {recorded}");
}

#[test]
fn names_that_do_not_exist_are_answered_by_those_that_do() {
    let folder = two_ranks();
    for (arguments, said) in [
        (vec![], "needs a change"),
        (vec!["--rank", "2=0.5"], "there is no rank 2: the run has 2"),
        (vec!["--rank", "x=0.5"], "expected a list of ranks"),
        (vec!["--rank", "1"], "expected a name, = and a factor"),
        (
            vec!["--without", "MPI_Bcast"],
            "no call site is called MPI_Bcast. There are MPI_Recv@(not told apart), MPI_Send@",
        ),
        (vec!["--latency", "20us"], "expected +20us, -5us, x2 or /2"),
        (vec!["--latency", "/2", "--between", "h1,h3"], "no host is called h3. There are h1."),
        (vec!["--balance", "--between", "h1,h1"], "add one of them"),
        (vec!["--bandwidth", "x2"], "the bandwidth is not known"),
    ] {
        let output = what_if(&folder.0, &arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(said) && stdout(&output).is_empty(), "{arguments:?}: {text}");
        assert!([2, 3].contains(&output.status.code().unwrap()), "{arguments:?}: {output:?}");
    }
}
