//! Compares runs with and without the recorder at length: every function, misuse, and mpi4py's own tests.

use examples::build;
use examples::mpi::{self, Mpi};
use examples::mpi4py::{self, How};
use examples::wheel::run as done;

/// Skipped files of mpi4py's tests: library, ranks, files as mpi4py's option `-e` takes them, and the reason.
const LEFT_OUT: &[(&str, &[u32], &str, &str)] = &[
    ("ompi4", &[1, 2], "test_spawn", "some child never leaves MPI_Init, without the recorder either"),
    (
        "impi",
        &[1, 2],
        "test_dynproc|test_spawn",
        "MPI_Open_port and MPI_Comm_spawn crash where the launcher has no name server",
    ),
    ("mpich4", &[2], "test_util_sync", "one rank waits for ever in a condition of both, without the recorder either"),
];

/// Ranks, loading of the extension module, and initialization of MPI.
const WAYS: [(u32, &str, &str); 4] = [
    (1, "local", "--threads"),
    (1, "global", "--no-threads"),
    (2, "local", "--threads"),
    (2, "global", "--no-threads"),
];

/// Seconds for all of mpi4py's tests.
const LIMIT: u32 = 600;

/// Runs everything under these libraries, separated by commas, or under all.
pub fn run(names: Option<&str>) -> Result<(), String> {
    mpi::install_all()?;
    mpi4py::bring()?;
    build::overhear()?;
    let libraries = Mpi::all_of(names);
    let chosen: Vec<&str> = libraries.iter().map(|mpi| mpi.name).collect();
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear-examples", "--test", "launched", "--", "--test-threads=2"]);
    cargo.args(["every_function::", "bad_input::"]);
    // A test that finds nothing to run fails.
    if libraries.iter().any(|mpi| mpi.fortran.is_some()) {
        cargo.arg("every_function_in_fortran::");
    }
    done(cargo.env("TEST_MPI", chosen.join(",")))?;
    let mut different = Vec::new();
    println!("mpi4py's tests        ranks  loaded  threads       passed  failed  skipped  different");
    for mpi in libraries.iter().filter(|mpi| mpi4py::runs_under(mpi)) {
        for way in WAYS {
            different.extend(compare(mpi, way));
        }
    }
    if different.is_empty() { Ok(()) } else { Err(format!("with the recorder:\n{}", different.join("\n"))) }
}

/// Runs mpi4py's tests one way, prints their outcomes, and returns those that change with the recorder.
fn compare(mpi: &Mpi, (ranks, loaded, threads): (u32, &str, &str)) -> Vec<String> {
    let mut arguments = vec!["-q", threads];
    let here = LEFT_OUT.iter().filter(|left| left.0 == mpi.name && left.1.contains(&ranks));
    for (_, _, tests, _) in here {
        arguments.extend(["-e", tests]);
    }
    let how = How { ranks, loaded, arguments: &arguments, limit: LIMIT };
    let plain = mpi4py::run(mpi, &how, None);
    let recorded = mpi4py::run(mpi, &how, Some("mpi4py"));
    let mut differences = plain.differences(&recorded);
    if !differences.is_empty() {
        // An outcome that changes between runs without the recorder is not the recorder's doing.
        let unsteady = plain.differences(&mpi4py::run(mpi, &how, None));
        differences.retain(|one| !unsteady.iter().any(|other| (one.rank, &one.test) == (other.rank, &other.test)));
    }
    if plain.count("passed") == 0 {
        return vec![format!("{} {loaded} {threads}: no test passes without it: {}", mpi.name, plain.output.stderr)];
    }
    println!(
        "{:20}  {ranks:5}  {loaded:6}  {threads:12}  {:6}  {:6}  {:7}  {:9}",
        mpi.name,
        plain.count("passed"),
        plain.count("failed") + plain.count("error"),
        plain.count("skipped"),
        differences.len()
    );
    differences.iter().map(|difference| format!("{} {loaded} {threads}: {difference}", mpi.name)).collect()
}
