//! The first finding on a program with a planted cause is that cause; its twin without the cause has none.

use crate::common::libraries;
use examples::diagnosis::{SETTINGS, diagnose, programs};
use examples::launch_turns::alone;
use examples::program::Program;
use examples::rota;

/// Attempts: other work on the machine may delay a rank so much that it is the finding, but not each time.
const GOES: usize = 5;

/// A third of the programs each day; `cargo lab diagnosis` runs all.
fn programs_of_the_day() -> Vec<Program> {
    let mut programs = programs(None);
    programs.retain(|program| rota::is_all() || rota::is_turn(&program.name, rota::round(), 3));
    programs
}

fn is_right(twin: bool) {
    let _alone = alone();
    let programs = programs_of_the_day();
    let setting = SETTINGS.iter().find(|setting| setting.ranks == 2 && setting.sleeps).expect("there is one");
    let mut ran = 0;
    for program in &programs {
        for mpi in libraries() {
            let goes = || diagnose(program, &mpi, setting, twin);
            let mut judged = goes();
            for _ in 1..GOES {
                if !judged.is_right {
                    judged = goes();
                }
            }
            assert_eq!(judged.status, 0, "{} under {}", program.name, mpi.name);
            assert!(judged.is_right, "{} under {}: {}", program.name, mpi.name, judged.first);
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn the_first_finding_is_the_planted_cause() {
    is_right(false);
}

#[test]
fn the_twin_without_the_cause_has_no_finding() {
    is_right(true);
}
