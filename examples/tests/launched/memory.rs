//! The recorder reads no uninitialized memory, writes only its own, and takes little.
//!
//! Runs one of two programs under valgrind's memcheck; `cargo xtask memcheck` runs all under all MPIs.

use crate::common::{case, quick, two_families};
use examples::memcheck;
use examples::mpi::Mpi;
use examples::program::Program;
use examples::rota;
use examples::run::Case;

#[test]
fn memcheck_finds_no_error_of_the_recorder() {
    assert!(memcheck::is_here(), "valgrind is not here: run cargo xtask test, which brings it");
    let mpi = Mpi::named("mpich4").expect("mpich4 is not here: cargo xtask test brings it where this is root");
    for name in rota::one_case(vec!["communicators", "cancelled"]) {
        let program = Program::read(name);
        let checked = memcheck::run(Case::of(&program, &mpi), "memory").unwrap();
        assert_eq!((checked.output.status, checked.processes as u32), (0, program.ranks), "{}", checked.output.stderr);
        assert!(checked.ours.is_empty(), "{name}: {:#?}", checked.ours);
    }
}

#[test]
fn under_valgrind_threads_are_not_sampled_and_the_run_says_so() {
    assert!(memcheck::is_here(), "valgrind is not here: run cargo xtask test, which brings it");
    for mpi in ["mpich4", "ompi4"].map(|name| Mpi::named(name).expect("cargo xtask test brings it where this is root"))
    {
        let case = quick(&mpi, &[]).with("OVERHEAR_SAMPLE", "10ms");
        let checked = memcheck::run(case, "memory-sampled").unwrap();
        assert_eq!((checked.output.status, checked.processes), (0, 2), "{}: {}", mpi.name, checked.output.stderr);
        assert!(checked.ours.is_empty(), "{}: {:#?}", mpi.name, checked.ours);
        let warnings = checked.run.report("rank").warnings();
        assert!(warnings.contains("the program runs under valgrind"), "{}: {warnings}", mpi.name);
    }
}

/// MiB of anonymous memory that recording may take of a process, and of each thread that calls MPI.
const OF_A_PROCESS: f64 = 16.0;
const OF_A_THREAD: f64 = 1.0;

#[test]
fn recording_takes_at_most_16_mib_of_memory_and_1_a_thread_however_many_calls_there_are() {
    const THREADS: usize = 8;
    let held = |case: &Case, recorded: bool| {
        let output = if recorded { case.recorded("held").0 } else { case.plain() };
        assert_eq!(output.status, 0, "{}: {}", case.mpi.name, output.stderr);
        let mib: Vec<f64> = output.stdout.lines().map(|line| line.parse::<f64>().unwrap() / 1024.0).collect();
        [mib[0], mib[1]]
    };
    let mut ran = 0;
    for mpi in two_families() {
        let case = case("held", &mpi, 1, &["200000", &THREADS.to_string()]);
        let (plain, recorded) = (held(&case, false), held(&case, true));
        let taken = [0, 1].map(|at| recorded[at] - plain[at]);
        println!("{}: {taken:.1?} MiB of a process of {THREADS} threads, after a tenth of its calls and all", mpi.name);
        assert!(taken[1] <= OF_A_PROCESS + OF_A_THREAD * THREADS as f64, "{}: {taken:?}", mpi.name);
        // No more memory is taken after that.
        assert!(taken[1] - taken[0] < 1.0, "{}: {taken:?}", mpi.name);
        ran += 1;
    }
    assert!(ran > 0);
}
