//! `overhear hang` on programs that hang on purpose, and on some that do not: the right verdict, reason and ranks, while they run.
//!
//! Each program states them, as `// hangs: certain cycle ranks 0-2` or `// hangs: no`.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{case, libraries};
use examples::answer::Answer;
use examples::program::Program;
use examples::run::Case;
use examples::running::{Running, verdict};
use examples::workspace;

/// How long a program may take until it stands where it is meant to.
const LIMIT: Duration = Duration::from_secs(60);

/// What a program states.
struct Stated {
    ranks: u32,
    /// The verdict, and the reason with its ranks where it hangs.
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

/// The first reason and its ranks.
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
        while !running.has_begun(stated.ranks) && began.elapsed() < LIMIT {
            sleep(Duration::from_millis(20));
        }
        // On the way to where it hangs it does not, and where it never does it must not once be said to.
        let mut looks = 0;
        loop {
            let answer = running.hang();
            looks += 1;
            let (found, why) = (verdict(&answer), reason(&answer));
            let seen = || format!("{name} under {}, look {looks}: {:#}", mpi.name, answer.json);
            if found != "no" {
                assert_eq!((found, &why), (stated.verdict.as_str(), &stated.reason), "{}", seen());
                assert_eq!(answer.status, 1, "{}", seen());
                break;
            }
            assert_eq!(answer.status, 0, "{}", seen());
            if stated.verdict == "no" && looks == 5 {
                break;
            }
            assert!(began.elapsed() < LIMIT, "{}", seen());
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
fn a_stopped_rank_that_others_wait_for_hangs_for_certain() {
    is_judged_as_stated("stopped");
}

#[test]
fn a_killed_rank_that_others_wait_for_hangs_for_certain() {
    is_judged_as_stated("killed");
}

/// Correct programs, with late ranks, wildcards, polls, requests and collective calls of all kinds.
const CORRECT: [&str; 6] =
    ["late_sender", "nonblocking_collectives", "persistent_halo", "probing", "wait_at_barrier", "wildcard"];

#[test]
fn a_correct_program_is_never_said_to_hang() {
    let mut looks = 0;
    for mpi in libraries() {
        for program in CORRECT.map(Program::read).iter().filter(|program| program.runs_under(&mpi)) {
            let mut running = Running::begin(&format!("hangs-{}", program.name), &Case::of(program, &mpi));
            let began = Instant::now();
            while !running.is_over() {
                assert!(began.elapsed() < LIMIT, "{} under {} does not end", program.name, mpi.name);
                if running.has_begun(program.ranks) {
                    let answer = running.hang();
                    assert!(
                        ["no", "finished"].contains(&verdict(&answer)),
                        "{} under {}, look {looks}: {:#}",
                        program.name,
                        mpi.name,
                        answer.json
                    );
                    looks += 1;
                }
            }
        }
    }
    assert!(looks > 0);
    println!("{looks} looks without a false alarm");
}
