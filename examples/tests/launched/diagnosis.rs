//! The first finding on a program with a planted cause is that cause; its twin without the cause has none. Held-out programs run.

use crate::common::one_that_runs;
use examples::diagnosis::{SETTINGS, Setting, diagnose, programs};
use examples::held_out::HeldOutSet;
use examples::launch_turns::alone;
use examples::program::Program;
use examples::rota;

/// Attempts: other work on the machine may delay a rank so much that it is the finding, but not each time.
const GOES: usize = 5;

/// A third of the programs; `cargo lab diagnosis` runs all.
fn some_programs() -> Vec<Program> {
    let mut programs = programs(None);
    programs.retain(|program| rota::takes(&program.name, 3));
    programs
}

/// With the fewest ranks that show it. Ranks sleep, since other work may have the cores.
fn setting_of(program: &Program) -> &'static Setting {
    let shows = |setting: &&Setting| setting.sleeps && setting.ranks >= program.ranks;
    SETTINGS.iter().find(shows).unwrap_or_else(|| panic!("no setting has {} ranks", program.ranks))
}

fn is_right(twin: bool) {
    let _alone = alone();
    let mut ran = 0;
    for program in &some_programs() {
        // The causes are in the programs: what ABIs number differently is tested by others.
        for mpi in one_that_runs(program) {
            let judge = || diagnose(program, &mpi, setting_of(program), twin);
            let mut judged = judge();
            for _ in 1..GOES {
                if !judged.is_right {
                    judged = judge();
                }
            }
            let aborts = !twin && program.name == "aborted";
            assert_eq!(judged.status != 0, aborts, "{} under {}: {}", program.name, mpi.name, judged.stderr);
            // On a machine that others keep busy, that is all that can be said. `cargo lab diagnosis` counts it as wrong.
            assert!(judged.is_right || judged.is_hidden, "{} under {}: {}", program.name, mpi.name, judged.first);
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

/// `cargo lab diagnosis --set held-out` judges what is found about them.
#[test]
fn held_out_programs_are_correct_with_their_cause_and_cured() {
    let mut ran = 0;
    let all = HeldOutSet::ALL.into_iter().flat_map(|set| set.programs(None));
    for one in all.filter(|one| rota::takes(&one.program.name, 13)) {
        for mpi in one_that_runs(&one.program) {
            for cured in [false, true] {
                let (output, loop_s) = one.plain(&mpi, cured);
                assert!(loop_s.is_some(), "{} under {}, cured: {cured}: {output}", one.program.name, mpi.name);
                ran += 1;
            }
        }
    }
    assert!(ran > 0);
}
