//! Programs that measure themselves, and whether their traces say the same, row by row.

use std::collections::BTreeMap;

use examples::launch_turns::alone;
use examples::mpi::Mpi;
use examples::rota;
use examples::run::{Case, Run};

use super::{one_at_most, transports, with_programs_in_rust};

/// Rows that differ, and how.
pub type Differences = BTreeMap<String, String>;

/// The libraries that benchmarks are compared under where all are.
const LIBRARIES: [&str; 4] = ["ompi4", "ompi5", "mpich4", "mpich5"];
/// So often may a row differ on a busy machine: it is of another moment than its neighbors, and runs are short.
const ATTEMPTS: usize = 6;

/// Those that benchmarks are compared under: one, where not all is asked for.
pub fn with_benchmarks() -> Vec<Mpi> {
    let mut libraries = with_programs_in_rust();
    libraries.retain(|mpi| LIBRARIES.contains(&mpi.name));
    assert!(!libraries.is_empty(), "no MPI that is here, or that TEST_MPI names, has the programs");
    if rota::is_measured() { libraries } else { one_at_most(libraries, "benchmarks") }
}

/// The transports that they are compared over.
pub fn with_transports(mpi: &Mpi) -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let ways: &[&str] = if rota::is_all() || rota::is_measured() { &["default", "tcp"] } else { &["default"] };
    transports(mpi).into_iter().filter(|(way, _)| ways.contains(way)).collect()
}

/// Runs until every row has once been as the program says it. Fails where one differs each of several times; where other tests
/// run beside the launches, where two do: there one row of a few microseconds is now and then off in all of them.
pub fn agree(of: &str, mut differences: impl FnMut() -> Differences) {
    let allowed = if rota::is_measured() { 0 } else { 1 };
    let _alone = alone();
    let mut left = differences();
    for _ in 1..ATTEMPTS {
        if left.is_empty() {
            return;
        }
        let again = differences();
        left.retain(|row, _| again.contains_key(row));
    }
    assert!(left.len() <= allowed, "{of}, each of {ATTEMPTS} times: {left:#?}");
}

/// The same under each library that has the benchmarks, over shared memory and TCP.
pub fn agree_everywhere(mut differences: impl FnMut(&Mpi, &[(&str, &str)]) -> Differences) {
    let mut ran = 0;
    for mpi in with_benchmarks() {
        for (way, variables) in with_transports(&mpi) {
            agree(&format!("{} over {way}", mpi.name), || differences(&mpi, &variables));
            ran += 1;
        }
    }
    assert!(ran > 0);
}

/// What a program prints, and its trace.
pub fn recorded(case: Case<'_>, variables: &[(&str, &str)], name: &str) -> (String, Run) {
    let case = variables.iter().fold(case, |case, (name, value)| case.with(name, value));
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{}: {}", case.mpi.name, output.stderr);
    (output.stdout, run)
}
