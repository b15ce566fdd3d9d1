//! Every program does the same with the recorder as without it, and the report says what the program states.

use examples::mpi::Mpi;
use examples::program::Program;
use examples::run::Case;
use examples::truth;

macro_rules! programs {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                as_stated(stringify!($name));
            }
        )*

        #[test]
        fn every_program_is_run_here() {
            let mut listed = vec![$(stringify!($name)),*];
            listed.sort();
            assert_eq!(Program::names(), listed);
        }
    };
}

programs! {
    ring
}

fn as_stated(name: &str) {
    let program = Program::read(name);
    let libraries = Mpi::all();
    assert!(!libraries.is_empty(), "no MPI is here: run cargo xtask test, which brings them");
    let mut ran = 0;
    for mpi in libraries.iter().filter(|mpi| program.runs_under(mpi)) {
        let case = Case::of(&program, mpi);
        let plain = case.plain();
        let (recorded, run) = case.recorded(name);
        let under = mpi.name;
        assert_eq!(recorded.stdout, plain.stdout, "{name} under {under} says something else: {}", recorded.stderr);
        assert_eq!(recorded.status, plain.status, "{name} under {under} ends otherwise: {}", recorded.stderr);
        assert_eq!(plain.status, program.status, "{name} under {under} ends otherwise than it states: {plain:?}");
        truth::check(&program, &run, under);
        ran += 1;
    }
    assert!(ran > 0, "no MPI that is here has {:?}", program.needs);
}
