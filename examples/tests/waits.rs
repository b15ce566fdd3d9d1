//! What a program plants of waiting is found: how long, on which rank, at which line and for whom.

mod common;

use std::process::Command;

use common::libraries;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::{Case, finish, overhear};
use examples::waits;

macro_rules! planted {
    ($($name:ident)*) => {
        mod the_planted_waits_are_found_in {
            $(
                #[test]
                fn $name() {
                    super::is_found(stringify!($name));
                }
            )*
        }

        #[test]
        fn every_program_that_plants_waits_is_run_here() {
            let mut listed = vec![$(stringify!($name)),*];
            listed.sort();
            let plants = |name: &String| !Program::read(name).waits.is_empty();
            assert_eq!(Program::names().into_iter().filter(plants).collect::<Vec<_>>(), listed);
        }
    };
}

planted! {
    comm_churn early_reduce early_scan imbalance late_broadcast late_cancelled late_partitioned late_receiver
    late_sender mprobe nxn persistent_halo rma_fence wait_at_barrier wildcard wrong_order
}

/// On a busy machine, ranks wait for the processor where nothing is planted: so often a program may be run again.
const ATTEMPTS: usize = 3;

fn is_found(name: &str) {
    let program = Program::read(name);
    for mpi in libraries().iter().filter(|mpi| program.runs_under(mpi)) {
        let attempts: Vec<_> =
            (0..ATTEMPTS).map(|_| differences(&program, mpi)).take_while(|it| !it.is_empty()).collect();
        if attempts.len() == ATTEMPTS {
            panic!("{name} under {}, the last of {ATTEMPTS} times:\n{}", mpi.name, attempts[ATTEMPTS - 1].join("\n"));
        }
    }
}

fn differences(program: &Program, mpi: &Mpi) -> Vec<String> {
    let (output, run) = Case::of(program, mpi).recorded(&format!("waits-{}", program.name));
    assert_eq!(output.status, 0, "{} under {}: {}", program.name, mpi.name, output.stderr);
    let said = finish(Command::new(overhear()).arg("waits").arg(&run.folder).args(["--format", "json"]));
    let json = serde_json::from_str(&said.stdout);
    let json = json.unwrap_or_else(|error| panic!("{}: {error}: {said:?}", run.folder.display()));
    waits::differences(program, &output.stderr, &json)
}
