//! `overhear hang` gives the right verdict, reason and ranks on live programs that hang on purpose, and on some that do
//! not.
//!
//! Each program states them, as `// hangs: certain cycle ranks 0-2` or `// hangs: no`.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{ATTEMPTS, both_families, case, libraries, one_that_runs};
use examples::answer::Answer;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::{Case, Run};
use examples::running::{Running, says_it_hangs, verdict};
use examples::verdicts::{self, Score, SmallProgram};
use examples::workspace;

/// Longest time until a program hangs as it should.
const LIMIT: Duration = Duration::from_secs(60);

/// A program's statement.
struct Stated {
    ranks: u32,
    /// Verdict, and if it hangs the reason with its ranks.
    verdict: String,
    reason: Option<(String, String)>,
}

impl Stated {
    fn of(name: &str) -> Stated {
        let path = workspace().join("examples/tests/programs/hangs").join(name).with_extension("c");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let line = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
            lines.next().unwrap_or_else(|| panic!("{name} does not state {key}")).to_string()
        };
        let ranks = line("run: -n ").parse().unwrap();
        let stated = line("hangs: ");
        let mut words = stated.splitn(3, ' ').map(String::from);
        let (verdict, reason, who) = (words.next().unwrap(), words.next(), words.next());
        Stated { ranks, verdict, reason: reason.zip(who) }
    }
}

/// First reason and its ranks.
fn reason(answer: &Answer) -> Option<(String, String)> {
    let first = answer.json["reasons"].as_array()?.first()?;
    let field = |key: &str| first[key].as_str().unwrap_or_default().to_string();
    Some((field("reason"), field("ranks")))
}

fn is_judged_as_stated(name: &str) {
    let stated = Stated::of(name);
    for mpi in libraries() {
        let running =
            Running::begin(&format!("hangs-{name}"), &case(&format!("hangs/{name}"), &mpi, stated.ranks, &[]));
        let began = Instant::now();
        // A program on its way to a hang does not hang yet, and one that never hangs must not be accused even once.
        let (mut looks, mut in_motion) = (0, 0);
        while stated.verdict != "no" || in_motion < 5 {
            assert!(began.elapsed() < LIMIT, "{name} under {} is not judged as stated in {looks} looks", mpi.name);
            let Some(answer) = running.look() else {
                sleep(Duration::from_millis(5));
                continue;
            };
            looks += 1;
            let (found, why) = (verdict(&answer), reason(&answer));
            let seen = || format!("{name} under {}, look {looks}: {:#}", mpi.name, answer.json);
            let status = match found {
                "no" => 0,
                "unknown" => 5,
                _ => 1,
            };
            assert_eq!(answer.status, status, "{}", seen());
            if found == stated.verdict && stated.reason.is_some() && why == stated.reason {
                break;
            }
            assert!(!says_it_hangs(&answer), "{}", seen());
            in_motion += u32::from(found == "no");
            sleep(Duration::from_millis(100));
        }
    }
}

#[test]
fn a_cycle_of_three_receives_hangs_for_certain() {
    is_judged_as_stated("cycle");
}

#[test]
fn a_collective_that_one_rank_misses_hangs_and_that_rank_is_named() {
    is_judged_as_stated("missing");
}

#[test]
fn a_nonblocking_collective_that_one_rank_misses_hangs_and_that_rank_is_named() {
    is_judged_as_stated("nonblocking");
}

#[test]
fn different_collectives_on_one_communicator_hang_for_certain() {
    is_judged_as_stated("mismatch");
}

#[test]
fn a_receive_whose_tag_nobody_sends_hangs_and_the_message_that_is_there_is_named() {
    is_judged_as_stated("tag");
}

#[test]
fn a_knot_of_wildcard_receives_hangs_for_certain() {
    is_judged_as_stated("knot");
}

#[test]
fn a_cycle_that_a_wildcard_resolves_does_not_hang() {
    is_judged_as_stated("resolved");
}

#[test]
fn a_rank_in_a_long_computation_does_not_hang() {
    is_judged_as_stated("computing");
}

#[test]
fn a_stopped_rank_that_others_wait_for_is_named_and_may_be_continued() {
    is_judged_as_stated("stopped");
}

#[test]
fn a_killed_rank_that_others_wait_for_hangs_for_certain() {
    is_judged_as_stated("killed");
}

/// Correct programs with late ranks, wildcards, polls, requests and all kinds of collective calls.
const CORRECT: [&str; 6] =
    ["late_sender", "nonblocking_collectives", "persistent_halo", "probing", "wait_at_barrier", "wildcard"];

#[test]
fn a_correct_program_is_never_said_to_hang() {
    let mut looks = 0;
    for program in CORRECT.map(Program::read) {
        for mpi in one_that_runs(&program) {
            let mut running = Running::begin(&format!("hangs-{}", program.name), &Case::of(&program, &mpi));
            let began = Instant::now();
            while !running.is_over() {
                let under = format!("{} under {}", program.name, mpi.name);
                assert!(began.elapsed() < LIMIT, "{under} does not end");
                let Some(answer) = running.look() else { continue };
                assert!(!says_it_hangs(&answer), "{under}, look {looks}: {:#}", answer.json);
                looks += 1;
            }
        }
    }
    assert!(looks > 0);
    println!("{looks} looks without a false alarm");
}

fn small(name: &str) -> SmallProgram {
    verdicts::all().into_iter().find(|program| program.name == name).expect("the collection has it")
}

/// A live run of a program of the collection, and the answers of `overhear hang` until it says that the run hangs.
fn until_it_hangs(name: &str, mpi: &Mpi) -> (Running, Vec<Answer>) {
    let running = Running::begin(&format!("hangs-{name}"), &verdicts::case(&small(name), mpi));
    let (began, mut answers) = (Instant::now(), Vec::new());
    loop {
        assert!(began.elapsed() < LIMIT, "{name} under {} is not said to hang in {} looks", mpi.name, answers.len());
        let Some(answer) = running.look() else {
            sleep(Duration::from_millis(5));
            continue;
        };
        answers.push(answer);
        if says_it_hangs(answers.last().unwrap()) {
            return (running, answers);
        }
    }
}

/// Ends a run, and asks again.
fn after_its_end(running: Running) -> Answer {
    let run = Run { folder: running.run.folder.clone() };
    drop(running);
    run.wait_for_its_processes();
    run.ask("hang", &["--no-cache"])
}

/// Programs of which a wildcard gets the message that a later receive waits for.
const TAKEN_BY_A_WILDCARD: [&str; 2] =
    ["irecv_from_any_takes_what_the_next_receive_needs", "waitall_behind_a_wildcard_that_took_its_message"];

#[test]
fn a_message_that_a_wildcard_took_is_not_said_to_come_while_it_runs_and_after() {
    for mpi in libraries() {
        for name in TAKEN_BY_A_WILDCARD {
            let (running, answers) = until_it_hangs(name, &mpi);
            // Once both have sent nothing moves, and matching alone leaves it open.
            let moves = |said: &String| ["compute", "made calls", "moved data"].iter().any(|does| said.contains(does));
            let without = answers.iter().filter(|answer| verdict(answer) == "no").map(rests_on);
            let without: Vec<String> = without.filter(|said| !moves(said)).collect();
            assert!(without.is_empty(), "{name} under {}: {without:?}", mpi.name);
            for answer in [answers.last().unwrap(), &after_its_end(running)] {
                let under = format!("{name} under {}: {}", mpi.name, rests_on(answer));
                // Some libraries show no sign of life in a call, so that their files do not tell for how long ranks waited.
                let is_open = verdict(answer) == "unknown" && rests_on(answer).contains("may have taken");
                assert!(says_it_hangs(answer) || is_open, "{under}");
                assert_eq!(reason(answer), Some(("taken".into(), "rank 0".into())), "{under}");
            }
        }
    }
}

fn rests_on(answer: &Answer) -> String {
    answer.json["run"]["rests_on"].as_str().unwrap_or_default().to_string()
}

/// Programs that wait for a request that they freed, for which MPI ends them or they wait for ever.
const WAIT_FOR_FREED: [&str; 2] =
    ["wait_for_a_persistent_receive_that_was_freed", "waitall_of_a_receive_and_a_persistent_one_that_was_freed"];
/// Looks at a program in which nothing moves.
const STILL: u32 = 5;

#[test]
fn what_a_freed_persistent_request_waits_for_is_not_said_to_come() {
    let mut judged = 0;
    for mpi in libraries() {
        for name in WAIT_FOR_FREED {
            let mut running = Running::begin(&format!("hangs-{name}"), &verdicts::case(&small(name), &mpi));
            let (began, mut still) = (Instant::now(), 0);
            while still < STILL && !running.is_over() {
                let Some(answer) = running.look() else { continue };
                let under = format!("{name} under {}: {}", mpi.name, rests_on(&answer));
                assert!(began.elapsed() < LIMIT && !rests_on(&answer).contains("or can"), "{under}");
                still += u32::from(verdict(&answer) == "unknown");
                sleep(Duration::from_millis(100));
            }
            let has_ended = running.is_over();
            let after = after_its_end(running);
            let under = format!("{name} under {}, ended by itself: {has_ended}, {}", mpi.name, rests_on(&after));
            assert_eq!(verdict(&after), if has_ended { "no" } else { "unknown" }, "{under}");
            judged += 1;
        }
    }
    assert!(judged >= WAIT_FOR_FREED.len());
}

/// The details of the reasons, in order.
fn details(answer: &Answer) -> Vec<String> {
    answer.rows("reasons").iter().map(|row| row["detail"].as_str().unwrap().to_string()).collect()
}

#[test]
fn of_ranks_that_poll_for_ever_the_message_that_nobody_asks_for_is_named() {
    let is_named = |answer: &Answer| {
        let first = details(answer).first().cloned().unwrap_or_default();
        first.starts_with("Rank 0 waits for tag 7 from rank 1")
            && first.contains("rank 1 has sent it tag 8 by MPI_Send at")
            && first.ends_with("which no receive asks for.")
    };
    for mpi in libraries() {
        // On a busy machine a rank may be killed between two polls, and its file does not tell what it would have done.
        for attempt in 1..=ATTEMPTS {
            let (running, answers) = until_it_hangs("three_that_poll_and_a_message_of_another_tag", &mpi);
            let live = answers.last().unwrap();
            assert!(is_named(live), "{}: {:#}", mpi.name, live.json);
            let after = after_its_end(running);
            if is_named(&after) {
                break;
            }
            assert!(verdict(&after) == "unknown" && attempt < ATTEMPTS, "{}: {:#}", mpi.name, after.json);
        }
    }
}

#[test]
fn a_circle_comes_before_those_who_wait_for_it_in_a_collective() {
    for mpi in libraries() {
        let (running, answers) = until_it_hangs("circle_beside_a_barrier", &mpi);
        for answer in [answers.last().unwrap(), &after_its_end(running)] {
            let found: Vec<(&str, &str)> = answer
                .rows("reasons")
                .iter()
                .map(|row| (row["reason"].as_str().unwrap(), row["ranks"].as_str().unwrap()))
                .collect();
            assert_eq!(found, [("cycle", "ranks 0-2"), ("missing", "ranks 0-2")], "{}: {:#}", mpi.name, answer.json);
        }
    }
}

#[test]
fn communicators_have_the_numbers_that_the_report_gives_them() {
    for mpi in libraries() {
        let (running, answers) = until_it_hangs("halves_without_one", &mpi);
        // Two communicators of one number are told apart by their ranks.
        let number = |name: &str| name.split(" of ").next().unwrap().to_string();
        let names = |answer: &Answer, table: &str| {
            let rows = answer.rows(table).iter();
            rows.filter_map(|row| row["communicator"].as_str().map(number)).collect::<BTreeSet<String>>()
        };
        let report = names(&running.run.report("comm"), "communicators");
        let hang = names(answers.last().unwrap(), "standing");
        assert!(hang.len() == 3 && hang.is_subset(&report), "{}: {hang:?}, {report:?}", mpi.name);
    }
}

/// Programs that MPI ends by an error at once, and a rank by a crash. Open MPI makes communicators for half a minute.
const ENDED_BY_AN_ERROR: [&str; 4] =
    ["too_many_communicators_end_it", "different_sizes_end_it", "call_after_the_end_ends_it", "truncation_ends_it"];

#[test]
fn a_run_that_an_error_of_mpi_ended_was_not_hanging_and_its_end_is_said_first() {
    let mut judged = 0;
    for mpi in both_families() {
        for name in ENDED_BY_AN_ERROR {
            // Intel MPI may wait for ever for the rest of a broadcast.
            let may_wait = mpi.name.starts_with("impi") && name == "different_sizes_end_it";
            if may_wait || (mpi.is_openmpi() && name == "too_many_communicators_end_it") {
                continue;
            }
            let (output, run) = verdicts::case(&small(name), &mpi).recorded(&format!("hangs-{name}"));
            let under = format!("{name} under {}", mpi.name);
            if output.status == 0 {
                // A broadcast of other sizes ends well under some libraries.
                assert_eq!(name, "different_sizes_end_it", "{under}");
                continue;
            }
            let hang = run.ask("hang", &["--no-cache"]);
            assert!(matches!(verdict(&hang), "no" | "finished"), "{under}: {}", rests_on(&hang));
            assert!(hang.json["run"]["end"].as_str().is_some_and(|end| end.contains(" with status ")), "{under}");
            let by_itself = ["it ended by itself", "do not fit, and MPI ended it", "before it ended as it did"];
            assert!(by_itself.iter().any(|said| rests_on(&hang).contains(said)), "{under}: {}", rests_on(&hang));
            let is_stuck = |row: &serde_json::Value| row["waits_for_ever"] == "yes";
            assert!(!hang.rows("standing").iter().any(is_stuck), "{under}: {:#}", hang.json);
            let first = run.ask("diagnose", &[]).rows("findings")[0].clone();
            let text =
                format!("{} {}", first["headline"].as_str().unwrap(), first["detail"].as_str().unwrap_or_default());
            assert!(text.contains(" with status "), "{under}: {text}");
            judged += 1;
        }
    }
    assert!(judged >= 3, "{judged}");
}

/// Programs from the collection of `cargo lab verdicts`: messages, collective calls, windows and threads, each with one
/// that ends.
const SAMPLE: [&str; 6] = [
    "two_irecvs_from_any_one_message",
    "two_irecvs_two_messages",
    "gathers_of_different_roots",
    "one_fence_less",
    "start_and_post",
    "threads_that_send_later",
];

#[test]
fn small_programs_of_each_kind_are_judged_by_whether_they_hang() {
    let all = verdicts::all();
    let mut judged = 0;
    for mpi in libraries() {
        for name in SAMPLE {
            let program = all.iter().find(|program| program.name == name).expect("the collection has it");
            let trial = verdicts::judge(program, &mpi, Duration::ZERO).unwrap();
            // The last look may see a process that is about to end.
            let is_judged = trial.live == Score::Right || (!trial.hung && trial.live != Score::Wrong);
            assert!(is_judged && trial.after != Score::Wrong, "{name} under {}: {}", mpi.name, trial.said);
            judged += 1;
        }
    }
    assert!(judged >= SAMPLE.len());
}
