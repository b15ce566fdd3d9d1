//! The recorder reads no uninitialized memory, and writes only its own.
//!
//! Runs one of two programs a day under valgrind's memcheck; `cargo xtask memcheck` runs all under all MPIs.

use examples::memcheck;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::rota;
use examples::run::Case;

#[test]
fn memcheck_finds_no_error_of_the_recorder() {
    assert!(memcheck::is_here(), "valgrind is not here: run cargo xtask test, which brings it");
    let mpi = Mpi::named("mpich4").expect("mpich4 is not here: cargo xtask test brings it where this is root");
    let mut programs = vec!["communicators", "cancelled"];
    if !rota::is_all() {
        programs = vec![programs[rota::round() as usize % programs.len()]];
    }
    for name in programs {
        let program = Program::read(name);
        let checked = memcheck::run(Case::of(&program, &mpi), "memory").unwrap();
        assert_eq!((checked.output.status, checked.processes as u32), (0, program.ranks), "{}", checked.output.stderr);
        assert!(checked.ours.is_empty(), "{name}: {:#?}", checked.ours);
    }
}
