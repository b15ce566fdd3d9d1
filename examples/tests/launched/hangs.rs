//! `overhear hang` gives the right verdict, reason and ranks on live programs that hang on purpose, and on some that do
//! not.
//!
//! Each program states them, as `// hangs: certain cycle ranks 0-2` or `// hangs: no`.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{case, libraries, one_that_runs};
use examples::answer::Answer;
use examples::program::Program;
use examples::run::Case;
use examples::running::{Running, says_it_hangs, verdict};
use examples::verdicts::{self, Score};
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
