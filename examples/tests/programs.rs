//! Every program of the folder does the same with the recorder as without it; the report says what the program states, and
//! `overhear waits` where it plants waits. Each is a test of its name, found by looking into the folder.

mod common;

use common::{assert_as_planted, libraries};
use examples::program::Program;
use examples::run::Case;
use examples::truth;
use libtest_mimic::{Arguments, Trial};

fn main() {
    let trials = |name: String| {
        [
            trial(format!("{name}_is_recorded_as_it_states"), &name, as_stated),
            trial(format!("a_profile_says_what_{name}_states"), &name, in_totals),
        ]
    };
    let trials: Vec<Trial> = Program::names().into_iter().flat_map(trials).collect();
    assert!(!trials.is_empty(), "the folder of programs is empty");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// What every program says and ends with where it found nothing wrong. How it fares without the recorder is asked only where
/// it does not fare so: a launch more of each program under each library is a fifth of the time that all tests take.
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
    let mut ran = 0;
    for mpi in libraries().iter().filter(|mpi| program.runs_under(mpi)) {
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
    for mpi in libraries().iter().filter(|mpi| program.fails_under(mpi)) {
        let plain = Case::of(&program, mpi).plain();
        assert_ne!((plain.stdout.as_str(), plain.status), DOES_WELL, "{name} can be run under {}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0, "no MPI that is here has {:?}", program.needs);
}

/// Where not every call is recorded, the totals are the same.
fn in_totals(name: &str) {
    let program = Program::read(name);
    let libraries = libraries();
    let fits = libraries.iter().find(|mpi| program.runs_under(mpi));
    let mpi = fits.unwrap_or_else(|| panic!("no MPI that is here has {:?}", program.needs));
    let (recorded, run) = Case::of(&program, mpi).with("OVERHEAR_MODE", "profile").recorded(&format!("{name}-profile"));
    assert_eq!(recorded.status, 0, "{name} under {}: {}", mpi.name, recorded.stderr);
    truth::check_totals(&program, &run, mpi.name);
}
