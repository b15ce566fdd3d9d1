//! Every program of the folder behaves the same with the recorder; the report agrees with its statements, and `overhear
//! waits` with its planted waits. Each program is a test of its own, found in the folder.

#[path = "launched/common/mod.rs"]
mod common;

use common::{assert_as_planted, every_library};
use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use examples::{choice, rota, truth};
use libtest_mimic::{Arguments, Trial};

fn main() {
    let names = Program::names();
    assert!(!names.is_empty(), "the folder of programs is empty");
    let mut trials = Vec::new();
    for name in &names {
        trials.push(trial(format!("{name}_is_recorded_as_it_states"), name, as_stated));
        // Totals come from the same code for all programs.
        if rota::takes(name, PROFILES) {
            trials.push(trial(format!("a_profile_says_what_{name}_states"), name, in_totals));
        }
    }
    trials.retain(|trial| rota::is_wanted(trial.name()));
    trials.sort_by(|one, other| one.name().cmp(other.name()));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// One in this many programs is run as a profile.
const PROFILES: u64 = 5;

fn libraries(program: &Program) -> Vec<Mpi> {
    let libraries = choice::of_program(program, every_library(), rota::taken());
    assert!(!libraries.is_empty(), "no MPI that is here has {:?}", program.needs);
    libraries
}

/// Output and exit status of every program that found nothing wrong. It runs without the recorder only if these differ:
/// another launch of each program under each library would be a fifth of the tests' whole time.
const DOES_WELL: (&str, i32) = ("ok\n", 0);

fn trial(title: String, name: &str, test: fn(&str)) -> Trial {
    let name = name.to_string();
    Trial::test(title, move || {
        test(&name);
        Ok(())
    })
}

fn as_stated(name: &str) {
    let program = Program::read(name);
    // Programs that plant waits compare times.
    let _alone = (!program.waits.is_empty()).then(alone);
    let mut ran = 0;
    for mpi in &libraries(&program) {
        let case = Case::of(&program, mpi);
        let under = mpi.name;
        let (recorded, run) = case.recorded(name);
        if (recorded.stdout.as_str(), recorded.status) != DOES_WELL {
            panic!("{name} under {under}, with the recorder: {recorded:#?}; without it: {:#?}", case.plain());
        }
        truth::check(&program, &run, under);
        let check = run.ask("check", &[]);
        assert_eq!(check.status, truth::agreement(name), "{name} under {under}: {}", check.warnings());
        assert_as_planted(&program, mpi, (recorded, run), || case.recorded(name));
        ran += 1;
    }
    for mpi in every_library().iter().filter(|mpi| rota::is_all() && program.fails_under(mpi)) {
        let plain = Case::of(&program, mpi).plain();
        assert_ne!((plain.stdout.as_str(), plain.status), DOES_WELL, "{name} can be run under {}", mpi.name);
    }
    assert!(ran > 0);
}

/// If not every call is recorded, totals are the same.
fn in_totals(name: &str) {
    let program = Program::read(name);
    let mpi = &libraries(&program)[0];
    let (recorded, run) = Case::of(&program, mpi).with("OVERHEAR_MODE", "profile").recorded(&format!("{name}-profile"));
    assert_eq!(recorded.status, 0, "{name} under {}: {}", mpi.name, recorded.stderr);
    truth::check_totals(&program, &run, mpi.name);
}
